"""The tables of a release, declared once: points by cell, and points by box."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from starling.places.answers.coordinates import ends_in_box
from starling.places.answers.cover import SIDES
from starling.places.artifact.plan_files import sheet
from starling.places.artifact.public_plan import FILES, TITLES, WORDS
from starling.places.plan import Plan
from starling.places.postprocess import Estimate
from starling.release.datapackage import Sheet
from starling.release.table_files import Table, Text

PIECE: Final = 1 << 20
"""Rows that are made at a time."""
MOST_TEXT: Final = 1 << 18
"""Rows from which on a table has no CSV."""
CELLS: Final = "cells"
BOXES: Final = "boxes"
CELL_WORDS: Final = {
    "slice": "Public name of the slice; all where there are none",
    "row": "Row of the grid, 0 in the south",
    "column": "Column of the grid, 0 in the west",
    "points": "Estimated points in the cell; an estimate, so that it need not be whole",
}
BOX_WORDS: Final = {
    "slice": CELL_WORDS["slice"],
    **{side: WORDS[side] for side in SIDES},
    "x0": "Western edge of the box, in units of the grid",
    "y0": "Southern edge of the box, in units of the grid",
    "x1": "Eastern edge of the box, in units of the grid",
    "y1": "Northern edge of the box, in units of the grid",
    "points": "Estimated points in the box",
}
_INTEGERS: Final = {"row": pa.int32(), "column": pa.int32(), "slice": pa.string(), **dict.fromkeys(SIDES, pa.int32())}
CELL_TABLE: Final = pa.schema([(name, _INTEGERS.get(name, pa.float64())) for name in CELL_WORDS])
BOX_TABLE: Final = pa.schema([(name, _INTEGERS.get(name, pa.float64())) for name in BOX_WORDS])


def declared(name: str, title: str, schema: pa.Schema, words: Mapping[str, str], key: tuple[str, ...]) -> Table:
    """A table, as Parquet, and as CSV where it is not long."""
    csv = Text("csv", {column: column for column in schema.names}, most_rows=MOST_TEXT)
    return Table(name, title, schema, words, key, texts=(csv,))


def tables(plan: Plan) -> tuple[Table, ...]:
    """The tables of a release, each as Parquet, and as CSV where it is not long; a sparse grid has no table of cells."""
    boxes = declared(BOXES, f"{plan.counted_first} by box of cells", BOX_TABLE, BOX_WORDS, ("slice", "south", "west"))
    if plan.grid.sparse:
        return (boxes,)
    return (
        declared(
            CELLS, f"{plan.counted_first} by cell of the grid", CELL_TABLE, CELL_WORDS, ("slice", "row", "column")
        ),
        boxes,
    )


def sheets(_: Plan) -> list[Sheet]:
    """The measurements for the data package."""
    return [sheet(path, TITLES[path], schema, WORDS) for path, schema in FILES.items()]


def pieces(plan: Plan, estimates: Sequence[Estimate]) -> Iterator[Mapping[str, pa.Table]]:
    """Rows of both tables, slice by slice."""
    step = max(PIECE // plan.grid.columns, 1)
    for name, estimated in zip(plan.slice_names, estimates, strict=True):
        grid = np.empty((0, 0)) if plan.grid.sparse else estimated.grid()
        for first in range(0, len(grid), step):
            part = grid[first : first + step]
            row, column = (each.reshape(-1).astype(np.int32) for each in np.indices(part.shape))
            yield {
                CELLS: pa.table([_named(name, part.size), row + np.int32(first), column, part.reshape(-1)], CELL_TABLE)
            }
        for begin in range(0, len(estimated.leaves), PIECE):
            boxes = np.ascontiguousarray(estimated.leaves[begin : begin + PIECE])
            ends = ends_in_box(plan.grid, boxes)
            points = estimated.counts[begin : begin + PIECE]
            numbers = [np.ascontiguousarray(each) for each in (*boxes.T, *ends.T, points)]
            yield {BOXES: pa.table([_named(name, len(boxes)), *numbers], BOX_TABLE)}


def _named(name: str, rows: int) -> pa.Array:
    place = pa.array(np.zeros(rows, dtype=np.int32))
    return pa.DictionaryArray.from_arrays(place, pa.array([name])).cast(pa.string())
