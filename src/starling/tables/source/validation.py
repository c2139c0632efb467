"""What is wrong with the person records, for their custodian's eyes: never part of a release, never shown by one.

A release drops or reads as a stated rule says, silently. Here every broken rule is counted, and the first are named with line and
field; the value that broke it is never repeated. What most records have in common, or that there are none, is stated before all else: it is
the coding or the file, not the records. They pass `trust.inspect`, so the answer is marked NotPrivate.
"""

from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from starling.engine.parquet_rows import DAMAGED
from starling.errors import SHOWN, Findings, Problem
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.domain import Validated
from starling.tables.plan import Geography, Plan
from starling.tables.source.fields import NOTES, OUTSIDE, PROBLEMS, Fault
from starling.tables.source.lookup import lookup
from starling.tables.source.persons import Persons
from starling.tables.source.reading import read


class _Tally:
    """Collects faults of the kinds in `faults`, chunk by chunk, and lists the first `most`."""

    def __init__(self, faults: tuple[Fault, ...], most: int) -> None:
        self._faults, self._most = faults, most
        self._counts = np.zeros(len(faults), dtype=np.int64)
        self._listed: list[Problem] = []

    def add(self, faults: npt.NDArray[np.int32], before: int, name: str) -> None:
        """Faults of each line of a chunk that has `before` lines before it, the file being called `name`."""
        bits = sum(fault.bit for fault in self._faults)
        bad = np.flatnonzero(faults & bits)
        if not len(bad):
            return
        for kind, fault in enumerate(self._faults):
            self._counts[kind] += np.count_nonzero(faults[bad] & fault.bit)
        for line in bad[: self._most - len(self._listed)].tolist():
            for fault in self._faults:
                if faults[line] & fault.bit and len(self._listed) < self._most:
                    self._listed.append(Problem(fault.field, fault.problem, fault.fix, name, before + line + 1))

    def findings(self, decisive: tuple[Problem, ...] = ()) -> Findings:
        by_field: dict[str, int] = {}
        for fault, count in zip(self._faults, self._counts.tolist(), strict=True):
            if count:
                by_field[fault.field] = by_field.get(fault.field, 0) + count
        return Findings(int(self._counts.sum()), by_field, tuple(self._listed), decisive)

    def common(self, lines: int) -> list[tuple[Fault, int]]:
        """The faults that more than half of so many lines have, and how many have them."""
        return [
            (fault, count)
            for fault, count in zip(self._faults, self._counts.tolist(), strict=True)
            if 2 * count > lines
        ]


def validate(plan: Plan, geography: Geography, persons: Persons, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian what breaks the record rules.

    Notes are records outside the plan's states and codes after a Null. Lines after the header (Parquet: rows) are counted, blank ones
    included, and the records that a release counts. Otherwise as `source.validate`.
    """
    return inspect(Confidential(partial(_validated, plan, geography, persons, most)))


def _validated(plan: Plan, geography: Geography, persons: Persons, most: int) -> Validated:
    problems, notes = _Tally(PROBLEMS, most), _Tally(NOTES, most)
    # A text file's header is its line 1; Parquet rows are counted from 1.
    before = 1 if persons.source.form == "text" else 0
    lines = dict.fromkeys(persons.files, 0)
    counted = 0
    for chunk in read(persons, plan, lookup(plan, geography), explain=True):
        for tally in (problems, notes):
            tally.add(chunk.faults, before + lines[chunk.part], chunk.part.name)
        lines[chunk.part] += len(chunk.faults)
        counted += len(chunk.records.unit)
    stored = {path: pq.read_metadata(path).num_rows for path in persons.files if persons.source.form == "parquet"}
    damaged = [path for path, rows in stored.items() if lines[path] < rows]
    missing = [Problem("line", DAMAGED, "write the file again", path.name) for path in damaged]
    whole = sum(lines.values())
    decisive = (*missing, *_decisive(persons, problems, notes, whole, counted))
    phrase = f"{whole:,} records, {counted:,} of them counted"
    return Validated(problems.findings(decisive), notes.findings(), phrase, {"lines": whole, "counted": counted})


def _decisive(persons: Persons, problems: _Tally, notes: _Tally, lines: int, counted: int) -> tuple[Problem, ...]:
    name = persons.name
    if not lines:
        return (Problem("the file", "has no rows, only a header", "give the file that holds them", name),)
    fix = "look at the coding, the columns and the plan before anything else"
    problem_list = [
        Problem(fault.field, f"{fault.problem}, in {count:,} of {lines:,} records", fix, name)
        for fault, count in problems.common(lines)
    ]
    if not counted:
        outside = [count for fault, count in notes.common(lines) if fault.bit == OUTSIDE]
        where = f": {outside[0]:,} are outside the states of the plan" if outside else ""
        problem_list.insert(0, Problem("records", f"are {lines:,}, and none is counted{where}", fix, name))
    return tuple(problem_list)
