"""The squares of a released grid with most points, and what can be said of their being so.

`sure`: with a probability of at least `level` all squares that it marks are among those with most points, whatever the data; it follows
from sure intervals that hold jointly (each misses with a chance of (1 - level)/squares), and it marks a square whose lower end less than k
others can reach.

A square is among the k with most points if fewer than k others have more.
"""

from dataclasses import dataclass, fields
from fractions import Fraction
from math import isnan

import numpy as np

from starling.errors import SHOWN, ParameterError
from starling.places.answers.forms import shown, stated
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.sure import LEVEL, Surety, of_each
from starling.places.arrays import Bool, Float64, Int32, Int64
from starling.release.codec import Json
from starling.release.session import Described, Grid


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hotspots(Described):
    """The first squares by their released counts, most points first; of equal ones the southern and then the western one first.

    Attributes:
        boxes: int32 (k, 4): first row, row after the last, first column, column after the last.
        counts: float64 (k,): released points of each.
        sure: bool (k,): whether it surely is among the k squares with most points; None where no measurements were given.
        chance: float64 (k,): how likely it is to be among them (typical/ranking.py); no number where it is not
            stated, None where it was not asked.
    """

    boxes: Int32
    counts: Float64
    sure: Bool | None
    chance: Float64 | None = None

    def _facts(self) -> list[tuple[str, str]]:
        return [("hotspots", f"{len(self.counts):,} squares with most points")]

    def _parts(self) -> tuple[Grid, ...]:
        return ((self.header(), self.rows()[:SHOWN]),)

    def as_json(self) -> dict[str, Json]:
        """Each attribute as a list, with an entry for each square; a chance that is not stated is no number."""
        return {each.name: stated(getattr(self, each.name)) for each in fields(self)}

    def header(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        chance = () if self.chance is None else ("chance",)
        return ("rank", "points", "first row", "end row", "first column", "end column", "surely among them", *chance)

    def rows(self) -> list[tuple[str, ...]]:
        """Each square in words, most points first."""
        marks = [""] * len(self.counts) if self.sure is None else ["yes" if each else "" for each in self.sure.tolist()]
        columns = [
            [str(rank) for rank in range(1, len(marks) + 1)],
            shown(self.counts),
            *([str(end) for end in ends] for ends in self.boxes.T.tolist()),
            marks,
            *(() if self.chance is None else ([chance_text(each) for each in self.chance.tolist()],)),
        ]
        return list(zip(*columns, strict=True))


def chance_text(chance: float) -> str:
    """A chance in words: none below 0.6 is stated, and none is 1."""
    if isnan(chance):
        return "below 0.6"
    return "over 0.99" if chance > 0.99 else f"{chance:z.2f}"


def tiles(shape: tuple[int, int], side: int) -> Int32:
    """int32 (tiles, 4): squares of `side` cells that tile a grid from its south-western corner; those at the far edges may be cut."""
    rows, columns = shape
    south, west = (np.arange(0, many, side, dtype=np.int32) for many in shape)
    y, x = (each.reshape(-1) for each in np.meshgrid(south, west, indexing="ij"))
    return np.stack([y, np.minimum(y + side, rows), x, np.minimum(x + side, columns)], axis=1).astype(np.int32)


def checked_tiles(shape: tuple[int, int], k: int, side: int) -> Int32:
    """The squares that tile a grid, found to be at least k. Raises ParameterError for a side below 1, or k that is not from 1 to the number
    of squares.
    """
    if side < 1:
        raise ParameterError("side", "is below 1", "give the number of cells of a side")
    boxes = tiles(shape, side)
    if not 1 <= k <= len(boxes):
        raise ParameterError("k", f"is not in 1 to {len(boxes)}", "ask for as many squares as there are")
    return boxes


def as_rectangles(boxes: Int32) -> Float64:
    """float64 (m, 4): x0, y0, x1, y1 of boxes of cells."""
    return boxes[:, [2, 0, 3, 1]].astype(np.float64)


def first_by(counts: Float64, k: int) -> Int64:
    """Which k counts are largest, or all where there are fewer: int64 (k,), largest first; of equal ones the earlier one first."""
    candidates = np.flatnonzero(counts >= np.partition(counts, -k)[-k]) if k < len(counts) else np.arange(len(counts))
    return candidates[np.argsort(-counts[candidates], kind="stable")[:k]]


def hotspots(
    grid: CumulativeGrid,
    k: int,
    side: int = 1,
    *,
    surety: Surety | None = None,
    level: Fraction = LEVEL,
) -> Hotspots:
    """The k squares with most released points, among those of `side` cells that tile the grid; all marks of `sure` are right at a level.

    Raises:
        ParameterError: k is not from 1 to the number of squares, a side is below 1, or a level so near to 1 that it can't be kept for so
            many squares (1 - level is at least 2 10^-9 for each).
    """
    boxes = checked_tiles(grid.shape, k, side)
    rectangles = as_rectangles(boxes)
    counts = grid.count(rectangles).counts
    first = first_by(counts, k)
    sure = None
    if surety is not None:
        ends = surety.of(rectangles, of_each(level, len(boxes)))
        # At most k - 1 other squares can have as many points as its lower end: with the square itself at most k, so that the upper end
        # of the next, the k + 1st from the largest on, is below it.
        sure = np.ones(k, dtype=np.bool_)
        if k < len(boxes):
            sure = ends.lower[first] > np.partition(ends.upper, -k - 1)[-k - 1]
    return Hotspots(boxes[first], counts[first], sure)
