"""Custom records read by plain Python, one field after the other: what the readers of every form must give."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from starling.planfile.times import microseconds
from starling.tables.plan.columns import Codes, Column, Domain, Integers, Periods, RecordColumns, codes_of
from starling.tables.source.declared_reading import read_declared
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.value_sets import NONE

AREAS = Column("area", codes_of(("a", "b", "ü 1")), ("district",))
CODED = Column("coded", Codes((("1", "one"), ("2", "two"), ("9", "other")), "9"))
LANGUAGES = Column("languages", codes_of(("1", "2", "3")), ("first", "second", "third"), most=2)
TAGS = Column("tags", codes_of(("p", "q", "r")), separator=";", most=2)
SEX = Column("sex", codes_of(("F", "M")))
AGE = Column("age", Integers(-2, 110, (-2, 0, 18, 65)))
YEARS = Column("years", Integers(0, 110), ("age",))
DAY = Column("day", Periods(("2020-01-01", "2020-07-01", "2021-01-01")))
COLUMNS = RecordColumns(AREAS, (CODED, LANGUAGES, TAGS, AGE), (SEX, YEARS, DAY))

Row = Mapping[str, str | None]


class Counted(NamedTuple):
    """A record that is counted: its area, its values of each attribute of groups, its values of the detail."""

    area: int
    groups: tuple[frozenset[int], ...]
    detail: tuple[int, ...]


def label(stated: str | None) -> str:
    """What a field says, without the blanks and the quote at either end."""
    if stated is None:
        return ""
    left = stated.lstrip(" \t")
    left = left.removeprefix('"')
    right = left.rstrip(" \t")
    return right.removesuffix('"')


def value(domain: Domain, stated: str | None) -> int | None:
    """The number of a value; None where the field is missing, -1 where it is outside the domain."""
    text = label(stated)
    if not text:
        return None
    if isinstance(domain, Codes):
        return domain.codes.index(text) if text in domain.codes else -1
    if isinstance(domain, Integers):
        return whole(domain, text)
    assert isinstance(domain, Periods)
    return period(domain, text)


def whole(domain: Integers, text: str) -> int | None:
    """The number of the value that a text writes."""
    if not re.fullmatch(r"[+-]?0*[0-9]{1,10}(\.0*)?", text, re.ASCII):
        return None if text in ("nan", "NaN", "NAN") else -1
    number = int(text.partition(".")[0])
    if not domain.low <= number <= domain.high:
        return -1
    return sum(cut <= number for cut in domain.cuts) - 1 if domain.cuts else number - domain.low


def period(domain: Periods, text: str) -> int:
    """The number of the period that a time lies in."""
    try:
        time = microseconds(text) if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else domain.bounds[-1]
    except ValueError:
        return -1
    place = sum(bound <= time for bound in domain.bounds) - 1
    return place if place < domain.size else -1


def search(column: Column, row: Row) -> frozenset[int]:
    """The values of a record, `column.outside` among them where the record says one outside the domain."""
    texts = [row[name] for name in column.fields]
    if column.separator:
        texts = list(label(texts[0]).split(column.separator))
    numbers = [value(column.domain, text) for text in texts]
    other = column.outside
    if isinstance(column.domain, Codes) and column.domain.other:
        other = column.domain.codes.index(column.domain.other)
    if not column.several:
        numbers = [-1 if number is None else number for number in numbers]
    different = dict.fromkeys(other if number == -1 else number for number in numbers if number is not None)
    return frozenset(list(different)[: column.most])


def counted(columns: RecordColumns, rows: Sequence[Row]) -> list[Counted]:
    """The records that are counted."""
    result = []
    for row in rows:
        single = [min(search(column, row)) for column in columns.single]
        if all(number < column.outside for number, column in zip(single, columns.single, strict=True)):
            area = single.pop(0) if columns.area else 0
            result.append(Counted(area, tuple(search(column, row) for column in columns.groups), tuple(single)))
    return result


def read(records: DeclaredRecords) -> list[Counted]:
    """What the reader gives, record by record."""
    result = []
    for batch in read_declared(records, lambda batch: batch):
        for at in range(len(batch.area)):
            groups = []
            for numbers in batch.groups:
                several = [number for number in np.atleast_1d(numbers[at]).tolist() if number != NONE]
                assert several == sorted({*several})
                groups.append(frozenset(several))
            result.append(Counted(int(batch.area[at]), tuple(groups), tuple(int(each[at]) for each in batch.detail)))
    return result
