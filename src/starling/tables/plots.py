"""A picture of released numbers of tables with their intervals, a row each."""

from functools import partial
from typing import Final

import pyarrow as pa

from starling.pages.charts import Interval, intervals
from starling.pages.parts import Picture, Section
from starling.release.plots import Plots
from starling.tables.artifact.row_values import GROUP

NUMBERS: Final = ("count", "lower", "upper")


def plots_of(title: str, table: str, rows: pa.Table, most: int) -> Plots:
    """The first so many rows of a table, in words that tell them apart: of a column with labels the labels."""
    columns = rows.schema.names
    texts_of = [
        rows[name].slice(0, most).to_pylist()
        for name, kind in zip(columns, rows.schema.types, strict=True)
        if name not in GROUP and not pa.types.is_floating(kind) and not pa.types.is_boolean(kind)
        if name not in NUMBERS and f"{name}_label" not in columns
    ]
    telling = [column for column in texts_of if len(set(column)) > 1]
    labels = [", ".join(map(str, each)) for each in zip(*telling, strict=True)] or [title]
    more = f", the first {most:,} of {len(rows):,} rows" if len(rows) > len(labels) else ""
    numbers = (rows[name].slice(0, most).to_pylist() for name in NUMBERS)
    lines = [
        Interval(label, f"{_shown(count)}: {_shown(low)} to {_shown(high)}", count, low, high)
        for label, count, low, high in zip(labels, *numbers, strict=True)
    ]
    picture = Picture(partial(intervals, lines, "people"), "Published numbers, each with its interval of 95 %.", table)
    section = Section(f"{title}{more}", pictures=(picture,))
    return Plots(title, "Released numbers with their intervals", {table: section})


def _shown(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:z,.1f}"
