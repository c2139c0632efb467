"""What is wrong with custom records, for their custodian's eyes: never part of a release, never shown by one.

A release drops or reads as a stated rule says, silently (declared_reading.py). Here every fault is counted, and the first are named with
their line and column. What most records have in common is stated before all else, and the most frequent values that are at fault.
"""

from collections import Counter
from contextlib import closing
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.bounded_records import persons_of
from starling.engine.delimited import labels
from starling.engine.plain_text import times_of
from starling.engine.record_parts import tables
from starling.engine.times import no_times
from starling.errors import SHOWN, Findings, Problem, number_of
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.causes import Kind, texts_of
from starling.release.domain import Validated
from starling.release.faults import Tally, notes_of_persons
from starling.tables.plan.columns import Codes, Column, Domain, Integers, Periods, RecordColumns
from starling.tables.source.declared_reading import coded_fields, read_declared
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.declared_values import (
    MISSING,
    OUTSIDE,
    RecordValues,
    bounds,
    parse_units,
    reader,
    record_values,
    sets,
)
from starling.tables.source.lookup import Int64

Faulty = npt.NDArray[np.bool_]

DROPPED: Final = "correct it, or the domain in the plan; a release drops the record, uncounted"
NO_GROUP: Final = "correct it, or the domain in the plan; until then the record is in no group by it"
NO_PART: Final = "the record takes no part in sums and quantiles of it"
NO_NUMBER: Final = f"correct it; until then {NO_PART}"
NO_DATE: Final = "is no date"
NOTHING: Final = "nothing to do, if that is meant"


def validate_declared(records: DeclaredRecords, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian what breaks the rules of reading, and what is read otherwise than it may be meant.

    Notes are columns of one value of which a record says none, values beyond the most that are read, and those that count as "other".
    Otherwise as `source.validate`.
    """
    return inspect(Confidential(partial(_validated, records, most)))


def _validated(records: DeclaredRecords, most: int) -> Validated:
    records.check_unchanged()
    source, check = records.source, _Check(records.columns, most)
    for table, lines, file in check.problems.tables(
        source, partial(tables, source, coded=coded_fields(records.columns))
    ):
        check.add(table, lines, file)
    total, counted = check.problems.total, check.counted
    which = "counted" if records.columns.unit is None else "with all that is counted"
    phrase = f"{number_of(total, 'record')}, {counted:,} of them {which}"
    problems = check.problems.findings(decisive(check.problems, counted, records.name))
    notes = check.notes.findings()
    if (unit := records.columns.unit) is not None:
        with closing(read_declared(records, lambda batch: batch.person)) as batches:
            persons = persons_of(batches, unit.most)
        more = notes_of_persons(unit.field, persons, unit.most, "the records that are kept", records.name)
        by_field = Counter(notes.by_field) + Counter(more.by_field)
        notes = Findings(notes.total + more.total, dict(by_field), (*more.listed, *notes.listed)[:most])
    return Validated(problems, notes, phrase, {"records": total, "counted": counted})


class _Check:
    """Collects faults and notes of records, of which `most` are listed."""

    def __init__(self, columns: RecordColumns, most: int) -> None:
        self.problems, self.notes, self.counted = Tally(most, DROPPED), Tally(most, NOTHING), 0
        self._of = columns
        self._reads = {each: reader(each.domain, columns.format) for each in (*columns.single, *columns.groups)}

    def add(self, table: pa.Table, lines: Int64, file: str) -> None:
        """Look at some records, of which `lines` has the line of each."""
        readable = np.ones(len(table), dtype=np.bool_)
        if (unit := self._of.unit) is not None:
            person = labels(table[unit.field].combine_chunks())
            readable = person.is_valid().to_numpy(zero_copy_only=False)
            self.problems.add(unit.field, "is missing", ~readable, lines, file)
        for column, read in self._reads.items():
            fields = [table[name].combine_chunks() for name in column.fields]
            values = record_values(column, read, fields)
            missing, outside = ~_any(values, values.numbers != MISSING), _any(values, values.numbers == OUTSIDE)
            name, (what, _, _) = ", ".join(column.fields), _outside(column.domain)
            if isinstance(column.domain, Codes) and column.domain.other:
                self.notes.add(name, f"{what}, and counts as the declared other value", outside, lines, file)
                other = "is missing, and counts as the declared other value"
                self.notes.add(name, other, missing & (not column.several), lines, file)
            elif column in self._of.single:
                self.problems.add(name, "is missing", missing, lines, file)
                self._outside(column, fields, outside, lines, file, DROPPED)
                readable &= ~(missing | outside)
            else:
                self._outside(column, fields, outside, lines, file, NO_GROUP)
                # Of a column of several values, none is an answer like any other.
                nothing = missing & (not column.several)
                self.notes.add(name, "is missing, and the record is in no group by it", nothing, lines, file)
            if column.several:
                note = f"holds more values than the {column.most} that are read; the first of them are"
                more = np.asarray(sets(column, values, column.most + 1)[:, -1] >= 0)
                self.notes.add(name, note, more, lines, file)
        for column in self._of.numbers:
            self._number(column, table[column.fields[0]].combine_chunks(), lines, file)
        self.counted += int(np.count_nonzero(readable))

    def _outside(
        self, column: Column, fields: list[pa.Array], outside: Faulty, lines: Int64, file: str, fix: str
    ) -> None:
        if not outside.any():
            return
        name, (what, kind, codes) = ", ".join(column.fields), _outside(column.domain)
        if isinstance(column.domain, Periods):
            each = [times_of(field, self._of.format) for field in fields]
            none = outside & np.logical_or.reduce([no_times(times) for times in each])
            self.problems.add(name, NO_DATE, none, lines, file, fix=fix)
            outside = outside & ~none
        self.problems.add(name, what, outside, lines, file, fix=fix)
        for field in fields:
            texts = labels(texts_of(field))
            if column.separator:
                texts = pc.list_flatten(pc.split_pattern(texts, column.separator.encode()))
                own = self._reads[column](texts) == OUTSIDE
            else:
                own = self._reads[column](field) == OUTSIDE
            if isinstance(column.domain, Periods):
                none = own & no_times(times_of(field, self._of.format))
                self.problems.show(name, NO_DATE, "time", texts.filter(pa.array(none)))
                own &= ~none
            self.problems.show(name, what, kind, texts.filter(pa.array(own)), codes)

    def _number(self, column: Column, field: pa.Array, lines: Int64, file: str) -> None:
        name, (low, high), parsed = column.fields[0], bounds(column), parse_units(column, field, self._of.format)
        wrong = np.isnan(parsed.numbers) & ~parsed.missing
        self.problems.add(name, "is no number", wrong, lines, file, fix=NO_NUMBER)
        if wrong.any():
            self.problems.show(name, "is no number", "number", texts_of(field).filter(pa.array(wrong)))
        self.notes.add(name, f"is missing, and {NO_PART}", parsed.missing, lines, file)
        for beyond, which in ((parsed.numbers < low, "below"), (parsed.numbers > high, "above")):
            note = f"lies {which} the bounds of the plan, and counts as the nearer one"
            self.notes.add(name, note, beyond, lines, file)


def decisive(tally: Tally, counted: int, file: str, where: str = "") -> tuple[Problem, ...]:
    """That there are no records, that none is counted, which may say `where` they are, or what is wrong with most of them."""
    fix = "look at the columns, the coding and the plan before anything else"
    none = Problem("records", f"are {tally.total:,}, and none is counted{where}", fix, file)
    return (*([none] if tally.total and not counted else []), *tally.decisive(file, fix))


def _any(values: RecordValues, holds: Faulty) -> Faulty:
    """Whether anything that a record says holds."""
    before = np.append(0, np.cumsum(holds))
    return np.asarray((before[values.offsets[1:]] > before[values.offsets[:-1]])[values.places])


def _outside(domain: Domain) -> tuple[str, Kind, tuple[str, ...]]:
    """What is wrong with a value outside a domain, what it should be, and its codes."""
    match domain:
        case Codes():
            return "is none of the codes of the plan", "code", domain.codes
        case Integers():
            return f"is not a whole number from {domain.low} to {domain.high}", "number", ()
    return "is a time in none of the periods", "text", ()
