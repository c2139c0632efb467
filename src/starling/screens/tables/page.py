"""A table of a release as the value of a page: some of its rows, what they are chosen by, intervals as bars, and what was picked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from starling.errors import ParameterError
from starling.release.stored_table import StoredTable
from starling.release.text import cell
from starling.screens.domain_pages import DomainPages, Row, ShownColumn

MOST: Final = 100
"""Rows of a page."""
MOST_CHOICES: Final = 400
"""Values that a picker lists; of a column with more the value is typed, and so many are proposed."""
MOST_MATCHES: Final = 50
"""Values whose text holds what was typed."""
MOST_PICKS: Final = 20
"""Numbers that are picked."""
NUMBER: Final = ("count", "estimate", "value", "points")
"""Columns that hold the number whose interval stands beside it."""
FIRST: Final = "first"
PICK: Final = "pick"
"""Names in the address that are no columns."""


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
class ShownRow:
    """A row.

    Attributes:
        cells: As text.
        codes: Of each the code of which it is the label; empty where it is none.
        bar: Its interval; None where it has none.
        pick: What the address says where its number is picked; empty where it cannot be.
    """

    cells: tuple[str, ...]
    codes: tuple[str, ...]
    bar: Bar | None
    pick: str


@dataclass(frozen=True, slots=True)
class Picker:
    """What rows are chosen by.

    Attributes:
        name: The column.
        title: Its head.
        value: The chosen value; empty for all.
        text: The chosen value in words, or what was typed.
        choices: The values that there are, each with its text; none where they are too many to be listed.
        proposed: Of a value that is typed: texts that may be meant.
        matches: Values whose text holds what was typed, where it is the text of none, each with its text.
    """

    name: str
    title: str
    value: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()
    proposed: tuple[str, ...] = ()
    matches: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TablePage:
    """A page of a table.

    Attributes:
        name: Of the table.
        size: How many rows it has in all.
        where: What rows are chosen by.
        pickers: One for each column of texts that tells rows apart.
        columns: Its columns.
        bar: After which of them intervals stand; -1 where there are none.
        rows: Those of this page.
        first: How many chosen rows stand before them.
        more: Whether others follow.
        searched: Whether the whole table was searched as far as was needed.
        overlap: Two of the rows that can be in part of the same people, in words; None where no two can.
    """

    name: str
    size: int
    where: Mapping[str, str]
    pickers: tuple[Picker, ...]
    columns: tuple[ShownColumn, ...]
    bar: int
    rows: tuple[ShownRow, ...]
    first: int
    more: bool
    searched: bool
    overlap: tuple[str, str] | None = None

    @property
    def chosen(self) -> str:
        """What all rows are of, in words."""
        return ", ".join(each.text for each in self.pickers if each.value)

    @property
    def known(self) -> int | None:
        """How many rows are chosen; None where only a search would say."""
        if not self.where:
            return self.size
        return None if self.more or not self.searched else self.first + len(self.rows)


class TablePages:
    """Pages of the tables of a release.

    Args:
        domain: What its domain adds.
    """

    def __init__(self, domain: DomainPages[Any]) -> None:
        self._domain = domain

    def page(self, name: str, wanted: Mapping[str, str], first: int = 0) -> TablePage:
        """A page of a table.

        Args:
            name: Of the table.
            wanted: The values of columns of texts, or their texts.
            first: How many chosen rows are left out before.

        Raises:
            ParameterError: there is no such table or column.
        """
        table = self._domain.release.stored(name)
        pickers = self._pickers(name, table, wanted)
        where = {each.name: each.value for each in pickers if each.value}
        # What all rows have is said once.
        columns = tuple(each for each in self._domain.columns(name, table.schema) if each.source not in where)
        shown = [each.source for each in columns]
        bars = [at for at, each in enumerate(shown) if each in NUMBER and {"lower", "upper"} <= set(table.schema.names)]
        # What is typed and means nothing yet chooses no rows.
        if any(each.text and not each.value for each in pickers):
            return TablePage(name, table.size, where, pickers, columns, -1, (), 0, False, True)
        window = table.window({column: [value] for column, value in where.items()}, first, MOST, bounded=True)
        rows = window.rows.to_pylist()
        return TablePage(
            name,
            table.size,
            where,
            pickers,
            columns,
            bars[0] if bars else -1,
            tuple(_rows(rows, columns, name, self._domain.key(name))),
            first,
            window.more,
            window.searched,
            self._domain.overlap(rows),
        )

    def where(self, name: str, wanted: Mapping[str, str]) -> dict[str, str]:
        """The values that are meant, column by column; raises ParameterError where one is none."""
        table = self._domain.release.stored(name)
        pickers = self._pickers(name, table, wanted)
        if unclear := [each for each in pickers if each.text and not each.value]:
            raise ParameterError(unclear[0].name, "is no value that rows have", "choose one that the page lists")
        return {each.name: each.value for each in pickers if each.value}

    def _pickers(self, name: str, table: StoredTable, wanted: Mapping[str, str]) -> tuple[Picker, ...]:
        """A picker of each column by which rows differ, with the values that it has beside the other choices."""
        if unknown := sorted(set(wanted) - set(table.labels)):
            raise ParameterError(
                unknown[0], "is no column to choose by", f"take {', '.join(table.labels) or 'the table'}"
            )
        titles = {each.source: each.title for each in self._domain.columns(name, table.schema)}
        columns = [each for each in table.labels if each in titles or each in wanted]
        pickers: dict[str, Picker | None] = {}
        chosen: dict[str, str] = {}
        rest: list[str] = []
        # The kind of a region says which regions there are.
        for column in sorted(columns, key=lambda each: each != "region_type"):
            known = self._domain.choices(name, column, chosen)
            if known is None:
                rest.append(column)
                continue
            picker = _known(column, titles.get(column, column), wanted.get(column, ""), known)
            pickers[column] = picker
            chosen |= {column: picker.value} if picker is not None and picker.value else {}
        chosen |= {column: wanted[column] for column in rest if column in wanted}
        for column in rest:
            pickers[column] = self._listed(name, column, titles.get(column, column), chosen)
        return tuple(picker for column in columns if (picker := pickers[column]) is not None)

    def _listed(self, name: str, column: str, title: str, chosen: Mapping[str, str]) -> Picker | None:
        """A picker of values that only the table knows; None where it has one alone."""
        typed = chosen.get(column, "")
        others = {each: [value] for each, value in chosen.items() if each != column}
        values = self._domain.release.stored(name).values(column, others, MOST_CHOICES)
        if values is not None and len(values) < 2 and not typed:
            return None
        labels = self._domain.labels(name, column)
        choices = tuple((value, labels.get(value, value)) for value in values or ())
        return Picker(column, title, typed, labels.get(typed, typed), choices)


def _known(column: str, title: str, typed: str, known: Mapping[str, str]) -> Picker | None:
    """A picker of values that the plan knows; None where it has one alone."""
    if len(known) < 2 and not typed:
        return None
    value = typed if typed in known else ""
    listed = tuple(known.items()) if len(known) <= MOST_CHOICES else ()
    proposed = () if listed else tuple(f"{text} ({code})" for code, text in list(known.items())[:MOST_CHOICES])
    if not typed or value:
        return Picker(column, title, value, known.get(value, ""), listed, proposed)
    letters = typed.casefold()
    matches = [(code, text) for code, text in known.items() if letters in f"{text} ({code})".casefold()]
    exact = [code for code, text in matches if typed in (text, f"{text} ({code})")] or [code for code, _ in matches]
    if len(exact) == 1:
        return Picker(column, title, exact[0], known[exact[0]], listed, proposed)
    return Picker(column, title, "", typed, listed, proposed, tuple(matches[:MOST_MATCHES]))


def picks(values: Sequence[str], key: Mapping[str, Sequence[str]]) -> list[tuple[str, dict[str, str]]]:
    """What an address says was picked: each a table, and the values of its key.

    Args:
        values: Those that `ShownRow.pick` has.
        key: The key of each table whose numbers can be picked.

    Raises:
        ParameterError: one of them is no number of these tables, or there are too many.
    """
    if len(values) > MOST_PICKS:
        raise ParameterError(PICK, f"are more than {MOST_PICKS}", "pick fewer numbers")
    result = []
    for value in dict.fromkeys(values):
        table, _, rest = value.partition("?")
        try:
            where = dict(
                parse_qsl(rest, keep_blank_values=True, strict_parsing=True, max_num_fields=20, errors="strict")
            )
        except ValueError:
            where = {}
        if not where or tuple(where) != tuple(key.get(table, ())):
            raise ParameterError(PICK, "is no number of this release", "pick it on the page of its table")
        result.append((table, where))
    return result


def _number(row: Row) -> float | None:
    """The number of a row whose interval stands beside it; None where it has none."""
    if row.get("lower") is None or row.get("upper") is None:
        return None
    return next((row[name] for name in NUMBER if row.get(name) is not None), None)


def bar(row: Row, low: float, high: float) -> Bar | None:
    """The interval of a row on an axis; None where it has none."""
    number = _number(row)
    if number is None:
        return None
    ends = (row["lower"], row["upper"], number)
    first, last, at = (round(100 * (end - low) / (high - low or 1), 2) for end in ends)
    return Bar(first, last, at, f"{cell(number)}, from {cell(row['lower'])} to {cell(row['upper'])}")


def _rows(rows: Sequence[Row], columns: Sequence[ShownColumn], table: str, key: Sequence[str]) -> list[ShownRow]:
    ends = [row[end] for row in rows if _number(row) is not None for end in ("lower", "upper")]
    low, high = min([0, *ends]), max([0, *ends])
    return [
        ShownRow(
            tuple(each.text(row) for each in columns),
            tuple(each.code(row) for each in columns),
            bar(row, low, high),
            f"{table}?{urlencode({name: row[name] for name in key})}" if key else "",
        )
        for row in rows
    ]
