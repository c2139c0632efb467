"""Released trips on a grid as a map of arcs (places/flows/pictures.py): between the middles of boxes that surely have trips.

A middle alone would be taken for a place, so the outlines of the boxes are drawn too.
"""

from typing import Final

import numpy as np

from starling.pages.charts import frame
from starling.pages.marks import Box, Sheet
from starling.places.answers.coordinates import aspect, ends_in_box
from starling.places.arrays import Float64, Int32, Int64
from starling.places.flows.pictures import WIDE, Arcs, draw_arcs, lines_of
from starling.places.pictures.heat_map import axes
from starling.places.plan.grid import Grid

ROOM: Final = 60.0
"""What numbers at the left take of the picture."""
_HIGHEST: Final = 400.0


def trip_map(grid: Grid, boxes: Int32, arcs: Arcs) -> Sheet:
    """A picture of pairs of boxes of a grid, int32 (boxes, 4), which arcs name by their numbers."""
    rise = min((WIDE - ROOM) / grid.columns / aspect(grid), _HIGHEST / grid.rows)
    step = rise * aspect(grid)
    sheet = Sheet(step * grid.columns, 0.0, rise * grid.rows)
    west, south, east, north = map(float, grid.ends)
    frame(sheet, (west, south, east, north), axes(grid))
    outlines = [Box(x0 * step, y0 * rise, x1 * step, y1 * rise).corners for y0, y1, x0, x1 in boxes.tolist()]
    sheet.shapes(outlines, line="soft", mark="boxes", thick=0.5)
    middles = boxes.reshape(-1, 2, 2).mean(axis=2)
    draw_arcs(sheet, [(x * step, y * rise) for y, x in middles.tolist()], arcs, "a box")
    return sheet


def arcs_of(grid: Grid, pairs: Int32, trips: Float64, ends: tuple[Int64, Int64]) -> tuple[Int32, Arcs]:
    """The boxes that pairs of boxes, int32 (pairs, 8), are of, int32 (boxes, 4), and an arc for each pair.

    Args:
        grid: The public grid.
        pairs: The most trips first.
        trips: Released trips of each.
        ends: Of their intervals, which hold together.
    """
    boxes, numbers = np.unique(pairs.reshape(-1, 4), axis=0, return_inverse=True)
    names, between = _names(grid, boxes), numbers.reshape(-1, 2).astype(np.int64)
    intervals = zip(*(end.tolist() for end in ends), strict=True)
    lines = lines_of(names, between, trips, intervals, "95 % interval, together with all others")
    return boxes, Arcs(between, trips, lines, float(trips.max(initial=1.0)))


def _names(grid: Grid, boxes: Int32) -> list[str]:
    """Each box as the command takes it in units of the grid's box: its west, south, east and north end."""
    x0, y0, x1, y1 = map(float, grid.ends)
    finest = min((x1 - x0) / grid.columns, (y1 - y0) / grid.rows)
    digits = max(0, int(np.ceil(-np.log10(finest))) + 1)
    return [",".join(f"{end:z.{digits}f}" for end in ends) for ends in ends_in_box(grid, boxes).tolist()]
