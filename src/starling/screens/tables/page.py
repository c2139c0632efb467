"""A table of a release as the value of a page: some of its rows, what they are chosen by, intervals as bars, and a pyramid of ages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from starling.errors import ParameterError
from starling.release.reading import Release
from starling.release.stored_table import StoredTable
from starling.release.text import cell

MOST: Final = 100
"""Rows of a page."""
MOST_CHOICES: Final = 400
"""Values that a picker lists; of a column with more the value is typed."""
NUMBER: Final = ("count", "estimate", "value", "points")
"""Columns that hold the number whose interval stands beside it."""
AGES: Final = ("age_start", "age_end")
ALL: Final = "*"
"""Stands for all values of an attribute in the rows of T2."""


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval on the axis of a page, from 0 to 100.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        at: The number.
        text: All three in words.
    """

    low: float
    high: float
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row.

    Attributes:
        cells: As text.
        bar: Its interval; None where it has none.
    """

    cells: tuple[str, ...]
    bar: Bar | None


@dataclass(frozen=True, slots=True)
class Picker:
    """What rows are chosen by.

    Attributes:
        name: The column.
        value: The chosen value; empty for all.
        choices: The values that there are; None where they are too many to be listed.
    """

    name: str
    value: str
    choices: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Band:
    """An age band of a pyramid, on an axis from 0 to 100.

    Attributes:
        ages: In words.
        sides: The interval of each side, the first to the left.
    """

    ages: str
    sides: tuple[Bar | None, Bar | None]


@dataclass(frozen=True, slots=True)
class Pyramid:
    """Ages of one group.

    Attributes:
        sides: What is to the left and to the right.
        bands: The oldest first.
        most: The number at the end of the axis.
    """

    sides: tuple[str, str]
    bands: tuple[Band, ...]
    most: int


@dataclass(frozen=True, slots=True)
class TablePage:
    """A page of a table.

    Attributes:
        name: Of the table.
        size: How many rows it has in all.
        where: What rows are chosen by.
        pickers: One for each column of texts that tells rows apart.
        header: Names of the columns.
        numbers: Which of them hold numbers.
        rows: Those of this page.
        first: How many chosen rows stand before them.
        more: Whether others follow.
        searched: Whether the whole table was searched as far as was needed.
        pyramid: Of ages, where the chosen rows are those of one group by age and sex.
    """

    name: str
    size: int
    where: Mapping[str, str]
    pickers: tuple[Picker, ...]
    header: tuple[str, ...]
    numbers: tuple[bool, ...]
    rows: tuple[Row, ...]
    first: int
    more: bool
    searched: bool
    pyramid: Pyramid | None


class TablePages:
    """Pages of the tables of a release, whose files stay open.

    Args:
        release: An opened release.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        self._tables: dict[str, StoredTable] = {}

    def stored(self, name: str) -> StoredTable:
        """A table of the release; raises ParameterError where there is none."""
        if name not in self._tables:
            self._tables[name] = StoredTable(self._release.path_of(name))
        return self._tables[name]

    def page(self, name: str, where: Mapping[str, str], first: int = 0, most: int = MOST) -> TablePage:
        """A page of a table.

        Args:
            name: Of the table.
            where: The values that columns of texts have; empty ones choose nothing.
            first: How many chosen rows are left out before.
            most: How many rows are given.

        Raises:
            ParameterError: there is no such table or column, or `first` is below 0.
        """
        if first < 0:
            raise ParameterError("first", "is below 0", "begin at 0")
        table, chosen = self.stored(name), {column: value for column, value in where.items() if value}
        window = table.window(chosen, first, most)
        rows = window.rows.to_pylist()
        return TablePage(
            name,
            table.size,
            chosen,
            self._pickers(table, chosen),
            tuple(table.schema.names),
            tuple(not pa.types.is_string(kind) for kind in table.schema.types),
            tuple(_rows(rows)),
            first,
            window.more,
            window.searched,
            pyramid(rows) if not (window.more or first) else None,
        )

    def _pickers(self, table: StoredTable, chosen: Mapping[str, str]) -> tuple[Picker, ...]:
        """A picker of each column by which rows differ, with the values that it has beside the other choices."""
        pickers = []
        for column in table.labels:
            if column in AGES or column.endswith("_name"):
                continue
            others = {each: value for each, value in chosen.items() if each != column}
            values = table.values(column, others, MOST_CHOICES)
            if values is None or len(values) > 1 or column in chosen:
                pickers.append(Picker(column, chosen.get(column, ""), None if values is None else tuple(values)))
        return tuple(pickers)


def _number(row: Mapping[str, Any]) -> float | None:
    """The number of a row whose interval stands beside it; None where it has none."""
    if row.get("lower") is None or row.get("upper") is None:
        return None
    return next((row[name] for name in NUMBER if row.get(name) is not None), None)


def _bar(row: Mapping[str, Any], low: float, high: float) -> Bar | None:
    number = _number(row)
    if number is None:
        return None
    ends = (row["lower"], row["upper"], number)
    first, last, at = (round(100 * (end - low) / (high - low or 1), 2) for end in ends)
    return Bar(first, last, at, f"{cell(number)}, from {cell(row['lower'])} to {cell(row['upper'])}")


def _rows(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    ends = [row[end] for row in rows if _number(row) is not None for end in ("lower", "upper")]
    low, high = min([0, *ends]), max([0, *ends])
    return [Row(tuple(cell(value, name) for name, value in row.items()), _bar(row, low, high)) for row in rows]


def pyramid(rows: Sequence[Mapping[str, Any]]) -> Pyramid | None:
    """The ages of one group by two sexes, of rows of T2; None where rows are of several groups or have no such ages."""
    groups = {(row.get("region_id"), row.get("iteration_code")) for row in rows}
    cells = [row for row in rows if all(row.get(each) not in (None, ALL) for each in (*AGES, "sex"))]
    sexes = sorted({row["sex"] for row in cells})
    if len(groups) != 1 or len(sexes) != 2:
        return None
    bands: dict[tuple[int, int], dict[str, Mapping[str, Any]]] = {}
    for row in cells:
        bands.setdefault((int(row["age_start"]), int(row["age_end"])), {})[row["sex"]] = row
    most = max(1, *(row["upper"] for row in cells))
    drawn = [
        Band(
            f"{start} to {end}" if start != end else f"{start}",
            tuple(_bar(of[sex], 0, most) if sex in of else None for sex in sexes),  # type: ignore[arg-type]
        )
        for (start, end), of in sorted(bands.items(), reverse=True)
    ]
    return Pyramid((sexes[0], sexes[1]), tuple(drawn), most)
