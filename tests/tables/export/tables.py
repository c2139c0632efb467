"""A table that nothing in the world would have, with names that try to be formulas, ends of cells and commands."""

from collections.abc import Iterator
from datetime import date
from typing import Final

import numpy as np
import pyarrow as pa

from starling.errors import plain
from starling.tables.export.described import COUNT, DescribedTable, Dimension, Front, Number

HOSTILE: Final = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "-2",
    "'=1",
    'a "quoted", b',
    "two\nlines",
    "\u202eevil",
    "\x1b[2J",
    "<b>&amp;</b>",
    "x" * 300,
    "Ω",
    "",
]
FRONT: Final = Front('Title "of" <all>', (("Cost", "rho 1"),), date(2026, 1, 2), "0" * 32)
COUNTS: Final = (
    Number(COUNT, pa.int64(), "Persons"),
    Number("lower", pa.int64(), "Lower end"),
    Number("upper", pa.int64(), "Upper end"),
    Number("standard_deviation", pa.float64(), "Of the noise"),
    Number("post_processed", pa.bool_(), "Whether it was changed"),
)


def counts(dimensions: tuple[Dimension, ...], numbers: pa.Table, name: str = "table") -> DescribedTable:
    """A table with a row for each combination of codes, the last column first, in pieces of seven rows."""
    shape = [len(each.codes) for each in dimensions]
    positions = np.unravel_index(np.arange(len(numbers)), shape)
    columns = {each.name: each.column(place) for each, place in zip(dimensions, positions, strict=True)}
    rows = pa.table(columns | {each.name: numbers[each.name] for each in COUNTS})

    def pieces() -> Iterator[pa.Table]:
        yield from (rows.slice(first, 7) for first in range(0, len(rows), 7))

    return DescribedTable(name, f"Table {name}", dimensions, COUNTS, COUNT, len(rows), pieces)


def numbers_of(count: np.ndarray) -> pa.Table:
    """These counts with intervals of 4 below and 6 above."""
    return pa.table(
        {
            COUNT: count,
            "lower": count - 4,
            "upper": count + 6,
            "standard_deviation": np.full(len(count), 2.5),
            "post_processed": np.zeros(len(count), dtype=bool),
        }
    )


def hostile_table() -> DescribedTable:
    """A table of two columns, one with a hostile name, both with hostile codes and labels."""
    # Plans refuse codes that are not printed (Codes in tables/plan/columns.py); labels of any source may come.
    codes = [(plain(code) or "empty", label) for code, label in zip(HOSTILE, reversed(HOSTILE), strict=True)]
    first = Dimension.of('=cmd, "x"', "Some column", codes)
    second = Dimension.of("sex", "Another", [("F", "=F"), ("_T", "a code that means something")], total="all")
    return counts((first, second), numbers_of(np.arange(len(codes) * 3)))
