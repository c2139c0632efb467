"""The released points of each cell as a picture."""

from typing import Final

import numpy as np

from starling.pages.charts import cells
from starling.pages.marks import Box, Sheet
from starling.places.answers.coordinates import aspect
from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.sure import LEVEL, Surety
from starling.places.arrays import Float64
from starling.places.plan.grid import Grid

TOP: Final = 99.5
"""The percentile of the cells from which on all are as dark."""
MOST: Final = 64
"""Cells of a side of the picture; of a larger grid neighbouring cells are added."""

HATCHED: Final = "Where squares are hatched, their sure interval holds 0."
"""Of a picture, where its method has sure intervals."""


def folded(grid: Float64, fold: int) -> Float64:
    """A table of squares of `fold` cells a side; those in the north and the east may reach beyond the grid.

    >>> folded(np.ones((3, 5)), 2)
    array([[4., 4., 2.],
           [2., 2., 1.]])
    """
    rows, columns = (-(-many // fold) for many in grid.shape)
    padded = np.zeros((rows * fold, columns * fold))
    padded[: grid.shape[0], : grid.shape[1]] = grid
    return np.asarray(padded.reshape(rows, fold, columns, fold).sum(axis=(1, 3)))


def heat_map(
    of: Grid,
    what: str,
    grid: Float64,
    surety: Surety | None = None,
    chosen: tuple[float, float, float, float] | None = None,
    side: int = 1,
) -> Sheet:
    """A picture of a grid, its south at the bottom. Squares whose sure interval holds 0 are hatched.

    Args:
        of: The public grid.
        what: What is counted.
        grid: float64 (rows, columns): points of each cell, or of each square of cells.
        surety: What gives sure intervals; None for none.
        chosen: A rectangle that is outlined: x0, y0, x1, y1 in cells of the public grid.
        side: Cells a side of the squares.
    """
    west, south, east, north = map(float, of.ends)
    fold = -(-max(grid.shape) // MOST)
    shown = folded(grid, fold)
    # The last cells of a folded grid may reach beyond it.
    rows, columns = (fold * each / side for each, side in zip(shown.shape, grid.shape, strict=True))
    box = (west, south, west + (east - west) * columns, south + (north - south) * rows)
    top = max(float(np.percentile(shown, TOP)), 1.0)
    counted = f"{what} of a cell" if fold == 1 else f"{what} of {fold} by {fold} cells"
    hatched = None if surety is None else blank(of, side * fold, surety)
    sheet = cells(shown.tolist(), top, box, aspect(of), (*axes(of), counted), hatched)
    if chosen is not None:
        across, along = (sheet.wide / columns / of.columns, sheet.high / rows / of.rows)
        x0, x1 = (min(max(each, 0.0), of.columns) * across for each in chosen[::2])
        y0, y1 = (min(max(each, 0.0), of.rows) * along for each in chosen[1::2])
        sheet.shapes([Box(x0, y0, x1, y1).corners], line="warn", mark="chosen", thick=1.5, order=3.0)
    return sheet


def axes(of: Grid) -> tuple[str, str]:
    """What stands at the axes of a map."""
    units = {"degrees": ("degrees east", "degrees north"), "equal-area": ("metres", "metres")}
    return units.get(of.crs, ("x", "y"))


def blank(of: Grid, side: int, surety: Surety) -> list[tuple[int, int]]:
    """Row and column of the squares of `side` cells a side whose sure interval holds 0."""
    boxes = tiles(of.shape, side)
    lower = surety.of(as_rectangles(boxes), LEVEL).lower
    return [(south // side, west // side) for south, _, west, _ in boxes[lower <= 0].tolist()]
