"""What is wrong with the person records, for their custodian's eyes: never part of a release, never shown by one.

A release drops or reads as a stated rule says, silently. Here every broken rule is counted, and the first are named with line and
field; the value that broke it is never repeated. What most records have in common, or that there are none, is stated before all else: it is
the coding or the file, not the records. They pass `trust.inspect`, so the answer is marked NotPrivate.
"""

from functools import partial

import numpy as np
import pyarrow.parquet as pq

from starling.engine.parquet_rows import DAMAGED
from starling.errors import SHOWN, Problem, number_of
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.domain import Validated
from starling.release.faults import Tally
from starling.tables.plan import Geography, Plan
from starling.tables.source.census_records import Persons
from starling.tables.source.declared_validation import decisive
from starling.tables.source.fields import NOTES, PROBLEMS, Fault
from starling.tables.source.lookup import lookup
from starling.tables.source.reading import Chunk, read


def validate(plan: Plan, geography: Geography, persons: Persons, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian what breaks the record rules.

    Notes are records outside the plan's states and codes after a Null. Lines after the header (Parquet: rows) are counted, blank ones
    included, and the records that a release counts. Otherwise as `source.validate`.
    """
    return inspect(Confidential(partial(_validated, plan, geography, persons, most)))


def _validated(plan: Plan, geography: Geography, persons: Persons, most: int) -> Validated:
    problems, notes = Tally(most, ""), Tally(most, "")
    # A text file's header is its line 1; Parquet rows are counted from 1.
    header = 1 if persons.source.form == "text" else 0
    lines, counted = dict.fromkeys(persons.files, 0), 0
    for chunk in read(persons, plan, lookup(plan, geography), explain=True):
        for tally, kinds in ((problems, PROBLEMS), (notes, NOTES)):
            _add(tally, kinds, chunk, header + lines[chunk.part] + 1)
        lines[chunk.part] += len(chunk.faults)
        counted += len(chunk.records.unit)
    problems.total = sum(lines.values())
    for path in persons.files if persons.source.form == "parquet" else ():
        missing = np.arange(lines[path] + 1, pq.read_metadata(path).num_rows + 1)
        problems.add("record", DAMAGED, missing > 0, missing, path.name, fix="write the file again")
    outside = notes.counts[NOTES[0].field, NOTES[0].problem]
    where = f": {outside:,} are outside the states of the plan" if 2 * outside > problems.total else ""
    findings = problems.findings(decisive(problems, counted, persons.name, where))
    phrase = f"{number_of(problems.total, 'record')}, {counted:,} of them counted"
    return Validated(findings, notes.findings(), phrase, {"lines": problems.total, "counted": counted})


def _add(tally: Tally, kinds: tuple[Fault, ...], chunk: Chunk, first: int) -> None:
    """Add the faults of some kinds of the lines of a chunk, of which the first has this number; all faults of a line stand together."""
    bad = np.flatnonzero(chunk.faults & sum(kind.bit for kind in kinds))
    for kind in kinds if len(bad) else ():
        if many := int(np.count_nonzero(chunk.faults[bad] & kind.bit)):
            tally.counts[kind.field, kind.problem] += many
    for line in bad[: tally.most - len(tally.listed)].tolist():
        here = (kind for kind in kinds if chunk.faults[line] & kind.bit)
        tally.listed += [Problem(each.field, each.problem, each.fix, chunk.part.name, first + line) for each in here]
        del tally.listed[tally.most :]
