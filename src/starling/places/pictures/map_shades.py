"""What a page draws of a grid whose numbers its server gives: a shade for each cell, in a file of at most 400 kB.

The exact numbers of a million cells are megabytes, and no eye tells them apart: the page draws shades, and asks for the numbers of a
rectangle, which are those of the library. Shades are of the logarithm, from 0 to the largest number of the release, so that slices are
drawn on one scale; of a difference, from the largest negative one over none in the middle. Where a file would be too large, outlines of
boxes are left out, then there are fewer shades, then cells are added.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from starling.pages.packing import packed
from starling.places.answers.coordinates import aspect
from starling.places.answers.cover import SIDES, FreshCover
from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.released import ReleasedGrid
from starling.places.answers.sure import Surety
from starling.places.arrays import Float64, Int32
from starling.places.measurements import Measured
from starling.places.pictures.heat_map import folded
from starling.places.pictures.map_data import further_fold, grid_facts, has_intervals
from starling.places.plan.grid import Grid

MOST_BYTES: Final = 400_000
"""Of a file."""
MOST_OUTLINES: Final = 100_000
"""Boxes whose outlines are drawn."""
SHADES: Final = (256, 64, 16)
"""How many shades there are, or fewer where a file would be too large."""
LEAST: Final = 10_000
"""The largest number over this is the number from which on shades grow by the logarithm."""
TINY: Final = 1e-6
"""The end of the scale where no cell has points."""
SQUARES: Final = 24
"""Squares along the longer side of which a difference is told from nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Shaded:
    """What is drawn.

    Attributes:
        grid: The public grid.
        cells: float64 (rows, columns): released points of each square of `fold` cells a side, or what some are more than others.
        scale: Such numbers of all slices: the largest of them is the darkest shade.
        signed: Whether the cells are differences, of which 0 is in the middle.
        boxes: int32 (boxes, 4): the released boxes, for their outlines.
        blank: int32 (boxes, 4): where nothing can be said; None where no intervals are known.
        hotspots: int32 (boxes, 4): the squares with most points.
        fold: Cells a side of the squares of a sparse grid.
    """

    grid: Grid
    cells: Float64
    scale: Sequence[Float64]
    signed: bool
    boxes: Int32
    blank: Int32 | None
    hotspots: Int32
    fold: int = 1

    def encoded(self) -> bytes:
        """The file, as `map_data.packed` writes it; the same bytes for the same picture."""
        data = b""
        for step, shades, outlined in self._sizes():
            data = self._packed(step, shades, self.boxes if outlined else self.boxes[:0])
            if len(data) <= MOST_BYTES:
                break
        return data

    def _sizes(self) -> Iterator[tuple[int, int, bool]]:
        """What is drawn for ever smaller files: squares of so many cells a side, so many shades, and whether boxes are. The last ones fit:
        a quarter of `MOST_CELLS` bytes and bits.
        """
        first = further_fold(self.cells.shape)
        if len(self.boxes) <= MOST_OUTLINES:
            yield first, SHADES[0], True
        yield from ((step, shades, False) for step in (first, 2 * first) for shades in SHADES)

    def _packed(self, step: int, shades: int, boxes: Int32) -> bytes:
        cells, side = folded(self.cells, step), step * self.fold
        most = max(TINY, *(float(folded(each, step).max()) for each in self.scale))
        least = most / LEAST
        arrays: dict[str, np.ndarray[Any, Any]] = {
            "shades": shades_of(cells, most, least, shades, signed=self.signed),
            "blank": np.empty(0, dtype=np.int8) if self.blank is None else covered(self.blank, cells.shape, side),
            "boxes": boxes,
        }
        facts = {
            **grid_facts(self.grid, aspect(self.grid), cells.shape, side),
            "most": most,
            "least": least,
            "signed": self.signed,
            "sure": self.blank is not None,
            "hotspots": self.hotspots.tolist(),
        }
        return packed(facts, arrays)


def shades_of(cells: Float64, most: float, least: float, shades: int, *, signed: bool) -> npt.NDArray[np.uint8]:
    """uint8 (rows, columns): the shade of each cell, 0 to 255, one of so many; of a difference 128 is none.

    >>> shades_of(np.array([[-3.0, 0, 10, 99]]), 10.0, 0.001, 256, signed=False).tolist()
    [[0, 0, 255, 255]]
    >>> shades_of(np.array([[-10.0, 0, 10]]), 10.0, 0.001, 16, signed=True).tolist()
    [[0, 128, 255]]
    """
    size = np.log1p(np.abs(cells) / least) / np.log1p(most / least)
    steps = shades // 2 - 1 if signed else shades - 1
    size = np.rint(steps * np.minimum(size, 1)) / steps * np.sign(cells)
    share = 0.5 + size / 2 if signed else np.maximum(size, 0)
    return np.asarray(np.rint(255 * share), dtype=np.uint8)


def covered(boxes: Int32, shape: tuple[int, ...], side: int) -> npt.NDArray[np.int8]:
    """int8 (rows, columns): 1 where a square of `side` cells a side has a part of a box.

    >>> covered(np.array([[0, 1, 2, 5]]), (2, 3), 2).tolist()
    [[0, 1, 1], [0, 0, 0]]
    """
    result = np.zeros(shape, dtype=np.int8)
    for south, north, west, east in boxes.tolist():
        result[south // side : -(-north // side), west // side : -(-east // side)] = 1
    return result


def blank_boxes(measured: Measured, level: Fraction) -> Int32 | None:
    """int32 (boxes, 4): the smallest measured boxes whose sure interval holds 0; None where the page has no intervals."""
    if not has_intervals(measured):
        return None
    cover = FreshCover(measured)
    nodes = cover.nodes[np.flatnonzero(cover.tiles)]
    boxes = np.stack([nodes[name] for name in SIDES], axis=1)
    return _holding(Surety([measured]), boxes, level)


def blank_squares(difference: ReleasedGrid, level: Fraction) -> Int32 | None:
    """int32 (boxes, 4): the large squares of which it cannot be said which of two has more; None where there are no intervals."""
    if difference.surety is None:
        return None
    return _holding(difference.surety, tiles(difference.grid.shape, -(-max(difference.grid.shape) // SQUARES)), level)


def _holding(surety: Surety, boxes: Int32, level: Fraction) -> Int32:
    ends = surety.of(as_rectangles(boxes), level)
    return boxes[(ends.lower <= 0) & (ends.upper >= 0)]
