"""What is wrong with the records, for their custodian's eyes: never part of a release, never shown by one.

A release takes every record by its stated rule, silently (source/__init__.py). Here every broken rule is counted, and the first are named
with line and field, and the most frequent values that break it. What concerns the file as a whole is stated before all else: another number
of groups than is public, or a fault that most records have, which is the coding or the wrong file.
"""

from contextlib import closing
from functools import partial
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine import duck
from starling.engine.delimited import labels
from starling.engine.plain_text import numbers_of
from starling.errors import SHOWN, Problem, number_of
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.plan.register import read_register
from starling.groups.source import NUMBERS, SCHEMAS, Held, Records, bounds, counted, leaves, read_part, rows, whole
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.causes import texts_of
from starling.release.domain import Validated
from starling.release.faults import Tally

Faulty = npt.NDArray[np.bool_]

FIX: Final = "correct it; a release goes by its rule: docs/reference/groups.md"
MOST_FAULTY: Final = "look at the coding, the columns and the plan before anything else"
SEVERAL_SQL: Final = """
WITH lies AS (SELECT records.person AS person, min(records.name) AS first, max(records.name) AS last FROM records
GROUP BY records.person)
SELECT cast(count(*) AS bigint) AS persons FROM lies WHERE lies.first <> lies.last
"""
ONCE_SQL: Final = """
WITH met AS (SELECT records.name AS name, count(*) AS times FROM records GROUP BY records.name)
SELECT cast(count(*) AS bigint) AS groups FROM met WHERE met.name IS NOT NULL AND met.times = 1
"""


def validate(plan: Plan, records: Records | Held, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian what breaks their rules, and sizes beyond the largest as notes.

    Args:
        plan: Public choices.
        records: The checked records.
        most: How many faults are listed, and how many notes; all are counted.

    Raises:
        SourceError: a file is no longer what was checked.
    """
    return inspect(Confidential(partial(_validated, plan, records, most)))


def _validated(plan: Plan, records: Records | Held, most: int) -> Validated:
    problems, notes = Tally(most, FIX), Tally(most, FIX)
    registered = None if plan.register is None else _registered(plan)
    totals = np.zeros(len(plan.regions.leaves))
    for table, lines, file in problems.tables(records, partial(read_part, records)):
        _check(plan, records, table, lines, file, registered, problems, notes)
        if registered is None:
            batch = rows(plan, table)
            totals += np.bincount(batch["leaf"], batch["groups"], minlength=len(totals))
    total = problems.total
    name, groups = records.name, int(totals.sum()) if registered is None else len(registered)
    if plan.kind == "persons" and (many := _ask(SEVERAL_SQL, plan, records)):
        problems.counts["person", "has records in several groups, and counts in one"] = many
    elif plan.kind == "events" and not problems.counts and 0 < total == _ask(ONCE_SQL, plan, records) == groups:
        text = "have exactly one event of each group of the register, as a list of the groups has"
        notes.counts["records", text] = 1
        notes.listed[:0] = [Problem("records", text, "make sure that these are the events and not the register", name)]
    decisive = [
        *problems.decisive(name, MOST_FAULTY),
        *(_other_totals(plan, name, totals) if total and registered is None else ()),
    ]
    read = f"{number_of(total, 'record')} of {number_of(groups, 'group')}"
    return Validated(problems.findings(tuple(decisive)), notes.findings(), read, {"records": total, "groups": groups})


def _registered(plan: Plan) -> pa.Array:
    """The names of all groups."""
    assert plan.register is not None
    assert plan.register.path is not None
    return labels(read_register(plan.register.path, plan.format)[0]["group"])


def _check(
    plan: Plan,
    records: Records | Held,
    table: pa.Table,
    lines: Int64,
    file: str,
    registered: pa.Array | None,
    problems: Tally,
    notes: Tally,
) -> None:
    """Add the faults of some records."""
    for name in records.columns:
        if name == "region":
            other = leaves(plan, table[name]) < 0
            problems.add(name, "is no leaf of the plan", other, lines, file)
            problems.show(name, "is no leaf of the plan", "code", _some(table[name], other), plan.regions.leaves)
        elif name in NUMBERS:
            bound = bounds(plan)[name]
            number = numbers_of(table[name], plan.format)
            wrong = _no_number(number)
            problems.add(name, "is no whole number from 0 on", wrong, lines, file)
            problems.show(name, "is no whole number from 0 on", "number", _some(table[name], wrong))
            beyond = whole(number, bound + 1) > bound
            tally = problems if name == "groups" else notes
            tally.add(name, f"is beyond {bound:,}, and counts as that", beyond, lines, file)
        else:
            named = labels(table[name])
            problems.add(name, "is missing", named.is_null().to_numpy(zero_copy_only=False), lines, file)
            if name == "group" and registered is not None:
                unknown = pc.and_(named.is_valid(), pc.invert(pc.is_in(named, registered)))
                wrong = unknown.to_numpy(zero_copy_only=False)
                problems.add(name, "is not in the register", wrong, lines, file)
                problems.show(name, "is not in the register", "code", _some(named, wrong))


def _some(column: pa.ChunkedArray | pa.Array, wrong: Faulty) -> pa.Array:
    """The values of a column that are wrong."""
    return texts_of(column).filter(pa.array(wrong)) if wrong.any() else pa.array([], pa.binary())


def _no_number(column: pa.Array) -> Faulty:
    """Which values of a column are no whole numbers from 0 on."""
    if pa.types.is_integer(column.type):
        fits = pc.greater_equal(column, pa.scalar(0, column.type))
    elif pa.types.is_floating(column.type):
        column = column.cast(pa.float64())
        fits = pc.and_(pc.greater_equal(column, 0.0), pc.equal(column, pc.floor(column)))
    else:
        fits = pc.match_substring_regex(column, r'^[ \t]*"?[ \t]*\+?[0-9]+(\.0*)?[ \t]*"?[ \t]*$')
    bad: Faulty = pc.invert(fits.fill_null(False)).to_numpy(zero_copy_only=False)
    return bad


def _ask(sql: str, plan: Plan, records: Records | Held) -> int:
    """The one number that a SELECT over all records gives."""
    batches = chain.from_iterable(counted(plan, records, part) for part in records.parts)
    stream = pa.RecordBatchReader.from_batches(SCHEMAS[plan.kind], batches)
    with closing(duck.run(sql, {"records": stream})) as answer:
        return sum(batch.column(0)[0].as_py() for batch in answer)


def _other_totals(plan: Plan, file: str, totals: npt.NDArray[np.float64]) -> list[Problem]:
    """That leaves have another number of groups than is public."""
    problems, other = int(totals.sum()), int(np.count_nonzero(totals != np.array(plan.regions.totals or totals)))
    if problems != plan.groups:
        problem, wrong = f"have {problems:,} groups in regions of the plan, and {plan.groups:,} are public", "total"
    elif other:
        problem = f"have other numbers of groups than are public in {other:,} of {len(totals):,} leaves"
        wrong = "totals"
    else:
        return []
    return [Problem("records", problem, f"give the file that the plan is about, or correct its {wrong}", file)]
