"""What is wrong with the records, for their custodian's eyes: never part of a release, never shown by one.

A release takes every record by its stated rule, silently (files.py). Here every broken rule is counted, and the first are named with line
and field; the value that broke it is never repeated. What concerns the file as a whole is stated before all else: another number of
groups than is public, or a fault that most records have, which is the coding or the wrong file.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine import duck
from starling.errors import SHOWN, Found, Problem
from starling.groups.plan import Plan
from starling.groups.plan.readable import read_register
from starling.groups.source.files import (
    NUMBERS,
    Int64,
    Part,
    Records,
    counted,
    fitting,
    leaves,
    lines,
    read_part,
    text,
    whole,
)
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.statement import Json

Faulty = npt.NDArray[np.bool_]

FIX: Final = "correct it; a release goes by its rule: docs/groups.md"
SEVERAL_SQL: Final = """
WITH lies AS (SELECT records.person AS person, min(records.name) AS first, max(records.name) AS last FROM records
GROUP BY records.person)
SELECT cast(count(*) AS bigint) AS persons FROM lies WHERE lies.first <> lies.last
"""


@dataclass(frozen=True, slots=True)
class Validation:
    """What `validate` found: a `release.domain.Validated`.

    Attributes:
        records: How many records there are.
        groups: How many groups the records have, before they are fitted to the public totals.
        problems: The rules that are broken.
        notes: What is in order but may surprise: sizes beyond the largest.
    """

    records: int
    groups: int
    problems: Found
    notes: Found

    def summary(self) -> tuple[str, dict[str, Json]]:
        """What was read, as a phrase for people and as values for programs."""
        words = f"{self.records:,} records of {self.groups:,} groups"
        return words, {"records": self.records, "groups": self.groups}


@dataclass(slots=True)
class _Tally:
    """Faults by kind, and the first of them."""

    most: int
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    listed: list[Problem] = field(default_factory=list)

    def add(self, name: str, problem: str, bad: Faulty, lines: Int64, file: str) -> None:
        many = int(np.count_nonzero(bad))
        if many:
            self.counts[name, problem] = self.counts.get((name, problem), 0) + many
            some = lines[np.flatnonzero(bad)[: self.most - len(self.listed)]]
            self.listed += [Problem(name, problem, FIX, file, line) for line in some.tolist()]

    def found(self, decisive: tuple[Problem, ...] = ()) -> Found:
        by_field: dict[str, int] = {}
        for (name, _), many in self.counts.items():
            by_field[name] = by_field.get(name, 0) + many
        return Found(sum(by_field.values()), by_field, tuple(self.listed), decisive)


def validate(plan: Plan, records: Records, *, most: int = SHOWN) -> NotPrivate[Validation]:
    """Read all records and list for the custodian what breaks their rules.

    Args:
        plan: Public choices.
        records: The checked records.
        most: How many faults are listed, and how many notes; all are counted.

    Raises:
        SourceError: a file is no longer what was checked.
    """
    return inspect(Confidential(partial(_validation, plan, records, most)))


def _validation(plan: Plan, records: Records, most: int) -> Validation:
    problems, notes = _Tally(most), _Tally(most)
    registered = None if plan.register is None else _registered(plan)
    total, totals = 0, np.zeros(len(plan.regions.leaves), dtype=np.int64)
    before = dict.fromkeys(records.files, 1 if records.form == "text" else 0)
    for part in records.parts:
        _, kept, dropped = fitting(records, part) if records.form == "text" else (b"", None, np.zeros(0, np.int64))
        begin = before[part.path]
        problems.add(
            "record", "has another number of fields than the header", dropped > 0, begin + dropped, part.path.name
        )
        at = 0
        for table in read_part(records, part):
            here = begin + (kept[at : at + len(table)] if kept is not None else np.arange(at + 1, at + len(table) + 1))
            _check(plan, records, table, here, part.path.name, registered, problems, notes)
            if registered is None:
                batch = next(iter(_batches(plan, records, table)))
                totals += np.bincount(batch[0], batch[1], minlength=len(totals)).astype(np.int64)
            at += len(table)
        total += at + len(dropped)
        before[part.path] += at if kept is None else _ends(part)
    if plan.kind == "persons":
        _check_homes(plan, records, problems)
    groups = int(totals.sum()) if registered is None else len(registered)
    decisive = _decisive(plan, records, problems, total, totals if registered is None else None)
    return Validation(total, groups, problems.found(decisive), notes.found())


def _batches(plan: Plan, records: Records, table: pa.Table) -> Iterator[tuple[Int64, Int64]]:
    """Leaf and number of groups of each record that is not dropped."""
    leaf = leaves(plan, table["region"])
    groups = whole(table["groups"], records.bounds["groups"]) if plan.kind == "counts" else np.ones(len(leaf), np.int64)
    yield leaf[leaf >= 0], groups[leaf >= 0]


def _ends(part: Part) -> int:
    """How many lines of text end in a part."""
    with part.path.open("rb") as file:
        return lines(file, part.begin, part.stop).count(b"\n")


def _registered(plan: Plan) -> pa.Array:
    """The names of all groups."""
    assert plan.register is not None
    assert plan.register.path is not None
    return text(read_register(plan.register.path)[0]["group"])


def _check(
    plan: Plan,
    records: Records,
    table: pa.Table,
    lines: Int64,
    file: str,
    registered: pa.Array | None,
    problems: _Tally,
    notes: _Tally,
) -> None:
    """Add the faults of some records."""
    for name in records.columns:
        if name == "region":
            problems.add(name, "is no leaf of the plan", leaves(plan, table[name]) < 0, lines, file)
        elif name in NUMBERS:
            column, bound = table[name].combine_chunks(), records.bounds[name]
            problems.add(name, "is no whole number from 0 on", _no_number(column), lines, file)
            beyond = whole(table[name], bound + 1) > bound
            (problems if name == "groups" else notes).add(
                name, f"is beyond {bound:,}, and counts as that", beyond, lines, file
            )
        else:
            labels = text(table[name])
            problems.add(name, "is missing", labels.is_null().to_numpy(zero_copy_only=False), lines, file)
            if name == "group" and registered is not None:
                unknown = pc.and_(labels.is_valid(), pc.invert(pc.is_in(labels, registered)))
                problems.add(name, "is not in the register", unknown.to_numpy(zero_copy_only=False), lines, file)


def _no_number(column: pa.Array) -> Faulty:
    """Which values of a column are no whole numbers from 0 on."""
    if pa.types.is_integer(column.type):
        fits = pc.greater_equal(column, pa.scalar(0, column.type))
    elif pa.types.is_floating(column.type):
        fits = pc.and_(pc.greater_equal(column, 0.0), pc.equal(column, pc.floor(column)))
    else:
        fits = pc.match_substring_regex(column, r'^[ \t]*"?[ \t]*\+?[0-9]+(\.0*)?[ \t]*"?[ \t]*$')
    bad: Faulty = pc.invert(fits.fill_null(False)).to_numpy(zero_copy_only=False)
    return bad


def _check_homes(plan: Plan, records: Records, problems: _Tally) -> None:
    """Add how many persons are in several groups."""
    batches = (batch for part in records.parts for batch in counted(plan, records, part))
    first = next(batches, None)
    if first is None:
        return
    stream = pa.RecordBatchReader.from_batches(first.schema, _again(first, batches))
    with closing(duck.run(SEVERAL_SQL, {"records": stream})) as answer:
        many = sum(batch.column(0)[0].as_py() for batch in answer)
    if many:
        problems.counts["person", "has records in several groups, and counts in one"] = many


def _again(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _decisive(plan: Plan, records: Records, problems: _Tally, total: int, totals: Int64 | None) -> tuple[Problem, ...]:
    """What is wrong with the records as a whole."""
    name = records.files[0].name
    if not total:
        return (Problem("records", "are none: there is nothing but the header", "give the file that holds them", name),)
    fix = "look at the coding, the columns and the plan before anything else"
    found = [
        Problem(field, f"{problem}, in {many:,} of {total:,} records", fix, name)
        for (field, problem), many in problems.counts.items()
        if 2 * many > total
    ]
    if totals is not None and int(totals.sum()) != plan.groups:
        problem = f"have {int(totals.sum()):,} groups in regions of the plan, and {plan.groups:,} are public"
        found.append(Problem("records", problem, "give the file that the plan is about, or correct its total", name))
    elif totals is not None and plan.regions.totals is not None and tuple(totals.tolist()) != plan.regions.totals:
        other = int(np.count_nonzero(totals != np.array(plan.regions.totals)))
        problem = f"have other numbers of groups than are public in {other:,} of {len(totals):,} leaves"
        found.append(Problem("records", problem, "give the file that the plan is about, or correct its totals", name))
    return tuple(found)
