"""A table as every form of an export writes it: columns that say what a number is of, each with codes and labels, and columns of numbers.

Of one value of this kind each writer makes its own form, and each layout and each rule of an office makes another such value. It holds
released numbers alone, piece by piece, so that memory does not depend on how many there are.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import plain

READ: Final = (
    "Every number is a noisy estimate: noise was added on purpose, so that it does not show whether any one person is in the data.",
    "lower and upper are the ends of an interval that holds the true number with a probability of at least 95 %; a few intervals miss.",
)
"""How the numbers of any release are to be read."""
OF_GROUPS: Final = (
    "Numbers are not made to add up unless the plan says so, and may be negative where the plan publishes negative counts.",
    "A group that is not there was left out by a public rule on its noisy number; no group was left out for what the records say.",
    "A row with the code _T is of all values of that column: leave such rows out, or take them alone, before numbers are added up.",
)
OF_CROSS_TABLES: Final = (
    "Tables agree: the cells of a table add up to those of every smaller one, and of every region above. Numbers may be negative.",
    "Every cell is there. Where a column of regions has the code _T, the row is of all regions: leave it out, or take it alone, in sums.",
)
TOTAL: Final = "_T"
"""The code of all values of a column, as in SDMX."""
NOT_APPLICABLE: Final = "_Z"
"""The code, as in SDMX, of a table that has no such column, and no total of it either."""
COUNT: Final = "count"
"""The estimate of a table of counts."""


@dataclass(frozen=True, slots=True)
class Front:
    """What a reader of the numbers should know.

    Attributes:
        facts: Name and text of each fact: what is protected, what it cost, who signed.
        day: The day of the charge, in UTC.
        request: The request that was charged.
        agree: Whether the tables are cross tables, which agree.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    day: date
    request: str
    agree: bool = False

    def lines(self, notes: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Name and text of each fact, then what was done to the numbers, and how to read them."""
        done = [("What was done" if at == 0 else "", text) for at, text in enumerate(dict.fromkeys(notes))]
        read = READ + (OF_CROSS_TABLES if self.agree else OF_GROUPS)
        return [*self.facts, *done, *(("How to read it" if at == 0 else "", text) for at, text in enumerate(read))]

    def text(self, notes: Iterable[str] = ()) -> str:
        """All of it in one line."""
        return "; ".join([self.title, *(f"{name}: {text}" if name else text for name, text in self.lines(notes))])


@dataclass(frozen=True, slots=True)
class Dimension:
    """A column that says what the numbers of a row are of.

    Attributes:
        codes: The label of each code, in order; of TOTAL too where the column has rows of all its values.
        concept: What columns of several tables have in common whose names differ, as regions of two levels; "" for the name.
        absent: The code where tables are put together and one has no such column.
    """

    name: str
    description: str
    codes: Mapping[str, str]
    concept: str = ""
    absent: str = TOTAL

    @classmethod
    def of(
        cls,
        name: str,
        description: str,
        values: Iterable[tuple[str, str]],
        *,
        total: str = "",
        concept: str = "",
        absent: str = TOTAL,
    ) -> "Dimension":
        """A column of these codes and labels, after the one of all its values where that has a label; no other code is as special ones.

        >>> Dimension.of("sex", "", [("F", "female"), ("_T", "other")], total="all").codes
        {'_T': 'all', 'F': 'female', '_T_': 'other'}
        """
        codes = {TOTAL: total} if total else {}
        for code, label in values:
            own = code
            while own in (TOTAL, NOT_APPLICABLE) or own in codes:
                own += "_"
            codes[own] = label
        return cls(name, description, codes, concept, absent)

    @property
    def label(self) -> str:
        """The name of the column of its labels."""
        return f"{self.name}_label"

    def column(self, positions: npt.NDArray[np.integer]) -> pa.DictionaryArray:
        """Its column in a piece: the code of each row, by its position among the codes."""
        return pa.DictionaryArray.from_arrays(pa.array(positions.astype(np.int32)), pa.array(self.codes, pa.string()))

    def labels(self, codes: pa.ChunkedArray) -> pa.ChunkedArray:
        """The label of each row of its column, whose dictionary is `codes`; no label moves a cursor or turns the direction of writing."""
        names = pa.array([plain(label) for label in self.codes.values()], pa.string())
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(chunk.indices, names) for chunk in codes.chunks],
            pa.dictionary(pa.int32(), pa.string()),
        )


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of a table, and how the position of the code of each row is read from rows of the release."""

    dimension: Dimension
    positions: Callable[[pa.Table], npt.NDArray[np.integer]]


@dataclass(frozen=True, slots=True)
class Number:
    """A column of numbers, or of what is said of them."""

    name: str
    type: pa.DataType
    description: str


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A table of an export.

    Attributes:
        name: Its name, in small letters, digits and _.
        title: What it holds, in words.
        estimate: Which of `numbers` is the estimate; `lower` and `upper`, where they are there, are the ends of its interval.
        rows: How many rows it has.
        pieces: Its rows, as often as they are wanted: of each dimension `Dimension.column`, then the numbers.
        notes: What was done to the released numbers, and what that does to sums; a sentence or two each.
    """

    name: str
    title: str
    dimensions: tuple[Dimension, ...]
    numbers: tuple[Number, ...]
    estimate: str
    rows: int
    pieces: Callable[[], Iterator[pa.Table]]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        columns: Sequence[Coded],
        numbers: Sequence[Number],
        taken: Collection[str],
        rows: int,
        pieces: Callable[[], Iterator[pa.Table]],
    ) -> "DescribedTable":
        """A table of rows of the release under names of columns of which no two are alike and none is taken; the estimate comes first."""
        wanted = [each.dimension.name for each in columns]
        names = unique_names(wanted, {*taken, *(f"{name}_label" for name in wanted)})
        dimensions = tuple(replace(each.dimension, name=name) for each, name in zip(columns, names, strict=True))

        def own_pieces() -> Iterator[pa.Table]:
            for piece in pieces():
                coded = zip(dimensions, columns, strict=True)
                own = {dimension.name: dimension.column(each.positions(piece)) for dimension, each in coded}
                yield pa.table(own | {each.name: piece[each.name] for each in numbers})

        return cls(name, title, dimensions, tuple(numbers), numbers[0].name, rows, own_pieces)

    @property
    def columns(self) -> dict[str, tuple[pa.DataType, str]]:
        """Type and description of each column as it is written, with a column of labels beside each of codes."""
        coded = {
            name: (pa.string(), text)
            for each in self.dimensions
            for name, text in ((each.name, each.description), (each.label, f"The {each.name} in words"))
        }
        return coded | {each.name: (each.type, each.description) for each in self.numbers}

    def labelled(self) -> Iterator[pa.Table]:
        """Its rows as they are written: `columns`, texts as places in a dictionary."""
        for piece in self.pieces():
            coded = {
                name: column
                for each in self.dimensions
                for name, column in ((each.name, piece[each.name]), (each.label, each.labels(piece[each.name])))
            }
            yield pa.table(coded | {each.name: piece[each.name] for each in self.numbers})


def places(rows: pa.Table, column: str, values: pa.Array) -> npt.NDArray[np.int32]:
    """Where the text of each row of a column of the release stands among these."""
    return np.asarray(pc.index_in(rows[column], value_set=values), dtype=np.int32)


def unique_names(names: Iterable[str], taken: Collection[str] = (), suffix: str = " (column)") -> list[str]:
    """Names of which no two are alike, in large or small letters, and none is taken.

    >>> unique_names(["sex", "Sex", "count"], ["count"])
    ['sex', 'Sex (column)', 'count (column)']
    """
    used = {name.casefold() for name in taken}
    unique = []
    for wanted in names:
        name = wanted
        while name.casefold() in used:
            name += suffix
        used.add(name.casefold())
        unique.append(name)
    return unique


def identifiers(texts: Iterable[str], taken: Collection[str] = (), *, first: str = "X") -> list[str]:
    """A name of letters, digits and _ for each text, as like it as can be, of which no two are alike and none is taken.

    Args:
        texts: The texts.
        taken: Names that others have.
        first: What a name begins with that would begin with no letter or digit.

    >>> identifiers(["by sex", "=1+1", "-1", "Ω", "By sex"])
    ['by_sex', '1_1', '1', 'X', 'By_sex_2']
    """
    used = {name.casefold() for name in taken}
    chosen = []
    for text in texts:
        letters = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text)
        base = "_".join(letters.split())[:50] or first
        name = next(
            each for number in count(1) if (each := base if number == 1 else f"{base}_{number}").casefold() not in used
        )
        used.add(name.casefold())
        chosen.append(name)
    return chosen
