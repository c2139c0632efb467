"""Faults of records as their custodian is told them: every one is counted, and the first are named with their line. NOT PRIVATE.

What is shown of the values that are at fault, causes.py says.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.engine.bounded_records import Persons
from starling.engine.delimited import Int64, Part, fitting
from starling.engine.held_records import Held
from starling.engine.parquet_rows import DAMAGED, stored_rows
from starling.engine.record_files import Records
from starling.engine.workbooks import record_rows
from starling.errors import Findings, Problem, number_of
from starling.release.causes import Kind, Offending
from starling.text_format import PLAIN, TextFormat

OTHER_FIELDS: Final = "has another number of fields than the header, or a quote that is not closed"

_ROW_NAMES: Final = "write it with row.names = FALSE, or name their column too with col.names = NA"


@dataclass(slots=True)
class Tally:
    """Faults by kind, how often each field has each, and the first `most` of them; `total` counts the records that `tables` looked at,
    `causes` says what is wrong with most lines alike.
    """

    most: int
    fix: str
    total: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    listed: list[Problem] = field(default_factory=list)
    offending: dict[tuple[str, str], Offending] = field(default_factory=dict)
    causes: list[Problem] = field(default_factory=list)

    def show(self, name: str, problem: str, kind: Kind, texts: pa.Array, codes: tuple[str, ...] = ()) -> None:
        """Add values of a field that have a fault, to be shown to the custodian."""
        if len(texts):
            self.offending.setdefault((name, problem), Offending(kind, codes)).add(texts)

    def add(
        self, name: str, problem: str, bad: npt.NDArray[np.bool_], lines: Int64, file: str, *, fix: str = ""
    ) -> None:
        """Add a fault of a field, of the records where `bad` holds; `lines` has the line of each, `fix` what to do if not `self.fix`."""
        if many := int(np.count_nonzero(bad)):
            self.counts[name, problem] += many
            some = lines[np.flatnonzero(bad)[: self.most - len(self.listed)]]
            self.listed += [Problem(name, problem, fix or self.fix, file, line) for line in some.tolist()]

    def tables(
        self, records: Records | Held, read: Callable[[Part], Iterator[pa.Table]]
    ) -> Iterator[tuple[pa.Table, Int64, str]]:
        """All records, part by part, with the line of each row and the file; lines of text with other fields are added as faults.

        `read` gives the records of a part that have as many fields as the header.
        """
        form = records.format if isinstance(records, Records) and records.form == "text" else None
        before = {part.path: header_lines(part, form) if form else 0 for part in records.parts}
        for part in records.parts:
            begin, name, at, lines_read, lines = before[part.path], part.path.name, 0, None, 0
            if isinstance(records, Records) and form:
                _, lines_read, dropped, lines = fitting(part, len(records.header), form)
                self.add("record", OTHER_FIELDS, dropped > 0, begin + dropped, name)
                self.total += len(dropped)
                # Most lines that are left out have one field more than the header.
                more = fitting(part, len(records.header) + 1, form).begins if len(dropped) > len(lines_read) else ()
                if 2 * len(more) > len(dropped) and not self.causes:
                    problem = "names one column fewer than the rows have, as R's write.table does with row names"
                    self.causes.append(Problem("the header", problem, _ROW_NAMES, name))
            elif isinstance(records, Records) and records.form == "workbook":
                lines_read = record_rows(part.path, records.format.sheet)
            for table in read(part):
                rows = (
                    np.arange(at + 1, at + len(table) + 1) if lines_read is None else lines_read[at : at + len(table)]
                )
                yield table, begin + rows, name
                at += len(table)
            if isinstance(records, Records) and records.form == "parquet":
                missing = np.arange(at + 1, stored_rows(part.path, part.begin, part.stop) + 1)
                self.add("record", DAMAGED, missing > 0, begin + missing, name)
                at += len(missing)
            self.total += at
            before[part.path] += at if lines_read is None else lines

    def decisive(self, file: str, fix: str) -> list[Problem]:
        """That there are no records, or the faults that most of them have.

        Args:
            file: The name of the records.
            fix: What to do about a fault that most have.
        """
        if not self.total:
            return [Problem("the file", "has no rows, only a header", "give the file that holds them", file)]
        return [
            Problem(name, f"{problem}, in {many:,} of {number_of(self.total, 'record')}", fix, file)
            for (name, problem), many in self.counts.items()
            if 2 * many > self.total
        ]

    def findings(self, decisive: tuple[Problem, ...] = ()) -> Findings:
        """What was found; `decisive` is what is wrong with the records as a whole."""
        by_field: Counter[str] = Counter()
        for (name, _), many in self.counts.items():
            by_field[name] += many
        file = self.listed[0].file or "" if self.listed else ""
        shown = tuple(each.explanation(*fault, file) for fault, each in self.offending.items())
        return Findings(by_field.total(), dict(by_field), tuple(self.listed), (*self.causes, *decisive, *shown))


def notes_of_persons(column: str, persons: Persons, most: int, raised: str, file: str) -> Findings:
    """That persons, named by a column, have more records than the `most` that count, or are rather the numbers of rows."""
    notes = []
    if persons.more:
        counts = "counts" if most == 1 else "count"
        problem = (
            f"has more than {number_of(most, 'record')}, {number_of(persons.more, 'time')}: {most:,} of them {counts}"
        )
        notes.append(Problem(column, problem, f"raise {raised} if that is too few", file))
    if 1 < persons.persons == persons.records:
        problem = f"is another in each of {persons.records:,} records: a number of rows would protect single records"
        notes.append(Problem(column, problem, "name the column that says whose record it is", file))
    return Findings(len(notes), {column: len(notes)} if notes else {}, tuple(notes))


def header_lines(part: Part, form: TextFormat = PLAIN) -> int:
    """The lines of text before the first record of its file."""
    with part.path.open("rb") as file:
        header = file.read(part.origin)
    return len((header.decode(form.encoding).encode() if form.wide else header).splitlines())
