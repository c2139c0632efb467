"""An attribute of the detail: what a record has exactly one value of, and the classes that a partition cuts its values into."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Class: TypeAlias = tuple[int, int]
"""The first and the last number of a class, both included."""

MOST: Final = 10**9
"""The largest number of an attribute, and its negative the least."""

ALL: Final = "*"
"""The code of a row that is of all values of an attribute."""


@dataclass(frozen=True, slots=True)
class DetailAttribute:
    """An attribute with a public domain: whole numbers, or a list of values that are numbered.

    Attributes:
        name: The name, which its columns have: age_start and age_end of whole numbers, the name itself of a list.
        plural: The name of several of its values, which is the column of their text where they are whole numbers: "ages".
        low: The least number, or the number of the first value of the list.
        high: The largest number, or the number of the last value.
        values: Code and text of each value of a list; empty where the values are whole numbers.
        unit: What one of the whole numbers is, such as "year".
    """

    name: str
    plural: str
    low: int
    high: int
    values: tuple[tuple[str, str], ...] = ()
    unit: str = "number"

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns in the second table."""
        return (self.name,) if self.values else (f"{self.name}_start", f"{self.name}_end")

    @property
    def text_column(self) -> str:
        """The column of its classes in words."""
        return f"{self.name}_name" if self.values else self.plural

    @property
    def column_words(self) -> tuple[str, ...]:
        """What each of `columns` says, and then the column of text."""
        if self.values:
            coded = ", ".join(code if code == text else f"{code} {text}" for code, text in self.values)
            return coded, f"The {self.name}, in words"
        ends = (f"{end} {self.unit} of the {self.plural}, or {ALL} for all {self.plural}" for end in ("First", "Last"))
        return *ends, f"The {self.plural}, in words"

    @property
    def whole(self) -> bool:
        """Whether its numbers are a range, and those of its values where it has a list, each with a code of its own that is not ALL."""
        codes = {code for code, _ in self.values} - {ALL, ""}
        fits = not self.values or len(codes) == len(self.values) == self.high + 1 - self.low
        return fits and -MOST <= self.low < self.high <= MOST

    @property
    def domain(self) -> str:
        """Its numbers in words: "age (0 to 115)", "sex (1, 2)"."""
        if not self.values:
            return f"{self.name} ({self.low} to {self.high})"
        return f"{self.name} ({', '.join(map(str, range(self.low, self.high + 1)))})"

    def refused(self, cuts: Sequence[int]) -> tuple[str, str] | None:
        """What is wrong with the least numbers of classes, and what to do; None where they are a partition of the domain."""
        if len(cuts) < 2 or list(cuts) != sorted(set(cuts)) or cuts[0] != self.low or cuts[-1] > self.high:
            fix = f"give two or more ascending cuts from {self.low} on and up to {self.high}, or none"
            return f"does not cut {self.name} into classes", fix
        if self.values and len(cuts) != self.high + 1 - self.low:
            return f"cuts the list of {self.name} into classes of several values", "give every value a class, or none"
        return None

    def classes(self, cuts: Sequence[int]) -> tuple[Class, ...]:
        """First and last number of each class.

        >>> DetailAttribute("age", "ages", 0, 115).classes((0, 18, 45, 65))
        ((0, 17), (18, 44), (45, 64), (65, 115))
        """
        return tuple((low, high - 1) for low, high in zip(cuts, (*cuts[1:], self.high + 1), strict=True))

    def cut(self, cuts: Sequence[int]) -> str:
        """What a partition makes of it: "4 ages", "sex"."""
        return self.name if self.values else f"{len(cuts)} {self.plural}"

    def codes(self, each: Class | None) -> tuple[str, ...]:
        """What stands in `columns` for a class, or for all values."""
        if each is None:
            return (ALL,) * len(self.columns)
        return (self.values[each[0] - self.low][0],) if self.values else (str(each[0]), str(each[1]))

    def text(self, each: Class | None) -> str:
        """A class in words.

        >>> age = DetailAttribute("age", "ages", 0, 115)
        >>> [age.text(each) for each in (None, (0, 4), (20, 20), (25, 29), (85, 115))]
        ['all ages', 'under 5', '20', '25 to 29', '85 and over']
        """
        if each is None:
            return f"all {self.plural}"
        if self.values:
            return self.values[each[0] - self.low][1]
        first, last = each
        if first == last:
            return str(first)
        if first == self.low:
            return f"under {last + 1}"
        return f"{first} and over" if last == self.high else f"{first} to {last}"
