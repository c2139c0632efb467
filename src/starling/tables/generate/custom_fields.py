"""The fields of a file of custom records, as a plan declares them, and what each may say, so that nothing in the file breaks a rule.

Most columns are one field. Several fields may say the values of one column, and one field may be read by several columns, such as dates
that are periods of one and of another length; it then says what all of them accept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Final, TypeAlias

from starling.errors import ParameterError
from starling.planfile.spelling import shown
from starling.tables.plan.columns import Codes, Column, Decimals, Integers, Periods, codes_of, places_of
from starling.tables.plan.custom_records import CustomRecords

DAY: Final = 86_400 * 10**6
SECOND: Final = 10**6
"""Microseconds."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Codes of a list, one or more; a field says up to `most` different ones with a separator between them, or one."""

    codes: tuple[str, ...]
    separator: str = ""
    most: int = 1


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers between two bounds, both included, in units of the last of so many places after the point."""

    low: int
    high: int
    places: int


@dataclass(frozen=True, slots=True)
class Times:
    """Times from one on until another, in microseconds since 1970; the step is DAY where all bounds are days, else SECOND, or 1, where
    it divides both.
    """

    low: int
    high: int
    step: int


FieldDomain: TypeAlias = Texts | Numbers | Times


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields that are filled together: one that always says something, or several of which a record fills the first few.

    Attributes:
        needed: The first so many are always filled.
        most: So many are filled at most.
    """

    names: tuple[str, ...]
    domains: tuple[FieldDomain, ...]
    needed: int = 1
    most: int = 1


def fields_of(records: CustomRecords) -> tuple[FieldGroup, ...]:
    """All fields that a plan's columns are read from, but for the one that says whose a record is.

    Raises:
        ParameterError: a field is read in two ways that no value fits.
    """
    columns = list(records.columns)
    if records.areas.column:
        columns.insert(0, Column(records.areas.column, codes_of(records.areas.codes)))
    read_by: dict[str, list[Column]] = {}
    for column in columns:
        for name in column.fields:
            read_by.setdefault(name, []).append(column)
    whose = None if records.unit is None else records.unit.field
    if whose in read_by:
        raise _refused(whose, "says whose a record is, and is a column of values too")
    return tuple(_field_group(names, read_by) for names in _joined(columns))


def _joined(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """The fields in their order, those together that columns have in common."""
    joined: list[dict[str, None]] = []
    for column in columns:
        names = dict.fromkeys(column.fields)
        met = [each for each in joined if each.keys() & names.keys()]
        at = joined.index(met[0]) if met else len(joined)
        joined = [each for each in joined if each not in met]
        joined.insert(at, dict.fromkeys(name for each in (*met, names) for name in each))
    return [tuple(each) for each in joined]


def _field_group(names: tuple[str, ...], read_by: dict[str, list[Column]]) -> FieldGroup:
    """Fields of one or several columns. Those that a column of one value is read from are always filled, so they come first."""
    several = [column for name in names for column in read_by[name] if len(column.fields) > 1]
    needed = [name for name in names if any(len(column.fields) == 1 for column in read_by[name])]
    ordered = (*needed, *(name for name in names if name not in needed))
    most = max(min((column.most for column in several), default=1), len(needed))
    return FieldGroup(ordered, tuple(_field_domain(name, read_by[name]) for name in ordered), len(needed), most)


def _field_domain(name: str, columns: Sequence[Column]) -> FieldDomain:
    """What a field says that all of its columns accept."""
    domains = [column.domain for column in columns]
    codes = [each for each in domains if isinstance(each, Codes)]
    times = [each for each in domains if isinstance(each, Periods)]
    domain: FieldDomain | None = None
    if len(codes) == len(columns):
        domain = _texts(codes, columns)
    elif len(times) == len(columns):
        domain = _times(times)
    elif not codes and not times:
        domain = _numbers(columns)
    if domain is None:
        raise _refused(name, "is read by two columns, and no value fits both")
    return domain


def _texts(domains: Sequence[Codes], columns: Sequence[Column]) -> Texts | None:
    common = set(domains[0].codes).intersection(*(each.codes for each in domains[1:]))
    marks = {column.separator for column in columns}
    codes = tuple(code for code in domains[0].codes if code in common)
    if not codes:
        return None
    # Read with different marks, or with none, a field can say one code alone.
    if len(marks) > 1 or marks == {""}:
        return Texts(codes)
    return Texts(codes, marks.pop(), min(len(codes), *(column.most for column in columns)))


def _numbers(columns: Sequence[Column]) -> Numbers | None:
    places = max(min(map(places_of, columns)), 0)
    low, high = -(10**18), 10**18
    for column in columns:
        assert isinstance(column.domain, Integers | Decimals)
        unit = Fraction(10) ** (places_of(column) - places)
        low, high = max(low, ceil(column.domain.low / unit)), min(high, floor(column.domain.high / unit))
    return Numbers(low, high, places) if low <= high else None


def _times(domains: Sequence[Periods]) -> Times | None:
    low, high = max(each.bounds[0] for each in domains), min(each.bounds[-1] for each in domains)
    step = next((step for step in (DAY, SECOND) if low % step == high % step == 0), 1)
    return Times(low, high, step) if low < high else None


def _refused(name: str, problem: str) -> ParameterError:
    fix = "give each column fields of its own, or domains that have values in common"
    return ParameterError("plan", f"has a field {shown(name)} that {problem}", fix)
