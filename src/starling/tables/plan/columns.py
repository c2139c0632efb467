"""The columns that a plan reads of custom records: their names and their public domains, fixed before any record is read.

A domain numbers its values from 0 on. There are four kinds: a list of codes, whole numbers between two bounds, perhaps cut into classes,
periods of time, and numbers with decimals, for sums and quantiles alone. A column says one value of a record, or several: in several
fields, or in one field with a separator between them.

Privacy. A domain depends on the plan alone, so that which values there are tells nothing of any record. Of a column with several values
at most `most` different ones are read of a record, the first that it gives; this bounds the groups that the record is in (stability.py).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from starling.errors import PlanError, Problem
from starling.planfile.times import microseconds
from starling.tables.plan.detail import MOST
from starling.text_format import PLAIN, TextFormat

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Floats = TypeVar("Floats", float, "npt.NDArray[np.float64]")

MOST_SEVERAL: Final = 64
"""The most values of a column that are read of one record."""

MOST_PLACES: Final = 9
"""Digits after the point of a number, or zeros of the unit to which it is rounded."""
LARGEST: Final = 2**40
"""The largest number of a column, in units of its last place, and its negative the least."""
AROUND: Final = ' \t"'
"""What is taken away at both ends of a field, and so can be at no end of a code."""


@dataclass(frozen=True)
class Codes:
    """A list of codes; raises PlanError unless they are one or more, different from one another, and can stand in a record.

    Attributes:
        other: The code of the value that a record has whose field is missing or holds none of the codes; "" where it then has none.
    """

    values: tuple[tuple[str, str], ...]
    other: str = ""

    def __post_init__(self) -> None:
        problems = []
        if not self.values:
            problems.append(Problem("codes", "are none", "list the values that a record can have"))
        for code, times in Counter(self.codes).items():
            if times > 1:
                problems.append(Problem(f"code {code[:40]}", "is there more than once", "keep one value of the code"))
        if not all(code and code == code.strip(AROUND) and code.isprintable() for code in self.codes):
            fix = "write codes without a blank or a quote at either end"
            problems.append(Problem("codes", "hold one that no field of a record can say", fix))
        if self.other and self.other not in self.codes:
            problems.append(Problem("other", "is not one of the codes", "add it to the codes"))
        PlanError.check(problems)

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The code of each value."""
        return tuple(code for code, _ in self.values)

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Integers:
    """Whole numbers, or classes of them; raises PlanError unless the bounds and the cuts ascend within -2^40 to 2^40.

    Attributes:
        cuts: The least number of each class, from `low` on; none where every number is a value of its own.
    """

    low: int
    high: int
    cuts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not -LARGEST <= self.low < self.high <= LARGEST:
            fix = "give the least and the largest number; sums of larger ones need a unit such as 1000 to which they are rounded"
            raise PlanError("bounds", "do not ascend within -2^40 to 2^40", fix)
        cuts = self.cuts
        if cuts and (list(cuts) != sorted(set(cuts)) or cuts[0] != self.low or cuts[-1] > self.high):
            fix = f"give ascending cuts from {self.low} on and up to {self.high}, or none"
            raise PlanError("cuts", "do not cut the numbers into classes", fix)

    @property
    def size(self) -> int:
        """How many values there are: the classes, or the numbers where there are none."""
        return len(self.cuts) or self.high + 1 - self.low


@dataclass(frozen=True)
class Periods:
    """Periods of time that follow one another; raises PlanError unless they are one or more.

    Attributes:
        edges: When each begins, and when the last one ends, which it does not hold: dates or times as in ISO 8601, ascending; one without
            a zone is of UTC.
    """

    edges: tuple[str, ...]

    def __post_init__(self) -> None:
        try:
            ascending = all(before < after for before, after in pairwise(self.bounds))
        except (ValueError, OverflowError):
            ascending = False
        if not ascending or len(self.edges) < 2:
            raise PlanError("periods", "are not two or more dates that ascend", "write them as 2020-01-31")

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The edges in microseconds since 1970."""
        return tuple(map(microseconds, self.edges))

    @property
    def size(self) -> int:
        """How many periods there are."""
        return len(self.edges) - 1


@dataclass(frozen=True, slots=True)
class Decimals:
    """Numbers of which sums and quantiles are made, counted in units of the last place; raises PlanError unless the bounds ascend.

    Attributes:
        low: The least number; a smaller one counts as this.
        high: The largest number; a larger one counts as this.
        places: The digits after the point that are kept of a number: 1.25 is 125 in units of the second; -3 for numbers in thousands.
    """

    low: int
    high: int
    places: int

    def __post_init__(self) -> None:
        if not -LARGEST <= self.low < self.high <= LARGEST:
            fix = "give narrower bounds, fewer decimals, or a unit such as 1000 to which numbers are rounded"
            raise PlanError("bounds", "do not ascend within -2^40 to 2^40 units of the last place", fix)
        if not -MOST_PLACES <= self.places <= MOST_PLACES:
            raise PlanError("decimals", f"are not 0 to {MOST_PLACES}", "state how many digits after the point are kept")

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.high + 1 - self.low


Domain: TypeAlias = Codes | Integers | Periods | Decimals


@dataclass(frozen=True, slots=True)
class Column:
    """What records say of one attribute; raises PlanError with all problems.

    Attributes:
        fields: The columns of the records that say it; by default the one that is called like the attribute.
        separator: What stands between several values in a field; "" where a field says one value.
        most: The most different values that are read of a record; 1 where the column says one.
    """

    name: str
    domain: Domain
    fields: tuple[str, ...] = ()
    separator: str = ""
    most: int = 1

    def __post_init__(self) -> None:
        if not self.fields:
            object.__setattr__(self, "fields", (self.name,))
        PlanError.check(self._problems())

    def _problems(self) -> Iterator[Problem]:
        where = f"column {self.name}"
        if not all(self.fields) or len(set(self.fields)) < len(self.fields):
            yield Problem(where, "names a field twice, or one without a name", "name each column of the records once")
        if self.separator and len(self.fields) > 1:
            yield Problem(where, "has a separator and several fields", "take either")
        fields = MOST_SEVERAL if self.separator else min(len(self.fields), MOST_SEVERAL)
        if not 1 <= self.most <= fields:
            yield Problem(where, f"reads {self.most} values of a record", f"state a number from 1 to {fields}")
        codes = self.domain.codes if isinstance(self.domain, Codes) else ()
        if self.separator and not codes:
            yield Problem(where, "has a separator between values that are no codes", "list the codes")
        if self.separator and (len(self.separator) > 1 or self.separator in AROUND or not self.separator.isprintable()):
            yield Problem(where, "has a separator that is no single mark", 'write one mark, such as ";"')
        if self.separator and any(self.separator in each for each in codes):
            yield Problem(where, "has the separator in one of its codes", "take another mark")

    @property
    def several(self) -> bool:
        """Whether a record has a set of values, rather than one value or none."""
        return len(self.fields) > 1 or bool(self.separator)

    @property
    def outside(self) -> int:
        """The number of the value that stands for whatever is not in the domain, where that is not one of its own values."""
        return self.domain.size


@dataclass(frozen=True, slots=True)
class Unit:
    """Whose records count together, a person or a household, of which at most `most` records are kept; raises PlanError.

    Attributes:
        field: The column of the records that names the person or the household.
        most: The most records that are kept of one.
    """

    field: str
    most: int

    def __post_init__(self) -> None:
        if not self.field:
            raise PlanError("unit", "names no column", "name the column that says whose a record is")
        if not 1 <= self.most <= MOST:
            raise PlanError("unit", "keeps no public number of records", "state a number from 1 to 10^9")


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """All that is read of a record; raises PlanError with all problems.

    Attributes:
        area: Says the smallest area that a record lies in, by the codes of the areas; None where a plan has no regions.
        detail: The attributes of the detail, each with one value.
        unit: Whose records count together; None where each record is protected by itself.
    """

    area: Column | None
    groups: tuple[Column, ...]
    detail: tuple[Column, ...]
    unit: Unit | None = None
    numbers: tuple[Column, ...] = ()
    format: TextFormat = PLAIN

    def __post_init__(self) -> None:
        PlanError.check(self._problems())

    def _problems(self) -> Iterator[Problem]:
        if self.area is not None and not isinstance(self.area.domain, Codes):
            yield Problem(f"column {self.area.name}", "says areas that are no codes", "list the codes of the areas")
        for each in self.single:
            if each.several:
                problem = "says several values of a record, which lies in one area and in one cell of the detail"
                yield Problem(f"column {each.name}", problem, "take a column of one value")
        for each in self.numbers:
            if each.several or not isinstance(each.domain, Integers | Decimals):
                yield Problem(f"column {each.name}", "says no one number of a record", "take a column of numbers")
        for some in (self.groups, self.detail, self.numbers):
            for name, times in Counter(each.name for each in some).items():
                if times > 1:
                    yield Problem(f"column {name}", "is there more than once", "name it once")

    @property
    def single(self) -> tuple[Column, ...]:
        """The columns without a value of which a record is dropped: the area, then the detail."""
        return (*(() if self.area is None else (self.area,)), *self.detail)

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns of the records that are read, each once."""
        named = (() if self.unit is None else (self.unit.field,),)
        read = (each.fields for each in (*self.single, *self.groups, *self.numbers))
        return tuple(dict.fromkeys(field for fields in (*read, *named) for field in fields))


def codes_of(texts: Sequence[str]) -> Codes:
    """The domain of these codes, each its own text.

    >>> codes_of(("F", "M")).values
    (('F', 'F'), ('M', 'M'))
    """
    return Codes(tuple((text, text) for text in texts))


def in_units(numbers: Floats, places: int) -> Floats:
    """Numbers as units of the last place.

    >>> in_units(5500.0, -3), in_units(1.25, 2)
    (5.5, 125.0)
    """
    return numbers * 10.0**places if places >= 0 else numbers / 10.0**-places


def from_units(units: Floats, places: int) -> Floats:
    """Numbers from units of the last place."""
    return units / 10.0**places if places >= 0 else units * 10.0**-places


def places_of(column: Column) -> int:
    """The digits after the point of a column of numbers; below 0 the zeros of the unit to which they are rounded."""
    return column.domain.places if isinstance(column.domain, Decimals) else 0
