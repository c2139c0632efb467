"""A released grid as analysts ask it: counts of rectangles, polygons and H3 cells with sure intervals, sums and differences, hotspots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy.typing as npt

from starling.errors import ParameterError
from starling.places.answers.coordinates import (
    Units,
    degrees_in_cells,
    rectangles_in_cells,
    region_in_cells,
)
from starling.places.answers.forms import ArrayAnswers, shown, whole
from starling.places.answers.hexagons import hexagon_regions
from starling.places.answers.hotspots import Hotspots, hotspots
from starling.places.answers.leaf_table import LeafTable
from starling.places.answers.rectangles import Counts, CumulativeGrid, rectangular
from starling.places.answers.regions import Region, count_regions, regions_of
from starling.places.answers.sure import LEVEL, SureIntervals, Surety
from starling.places.arrays import Bool, Float64, Int64
from starling.places.measurements import Measured, MeasuredTree
from starling.places.plan.grid import Grid as PublicGrid
from starling.privacy.budget import Exact, exact
from starling.release.session import InSession
from starling.release.text import outside_note


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers(ArrayAnswers):
    """Answers to queries, in their order.

    Attributes:
        counts: float64 (queries,): released points, spread evenly within a cell.
        lower: int64 (queries,): lower ends of sure intervals (sure.py); None where the method has none.
        upper: int64 (queries,): their upper ends, included.
        cut: int64 (queries,): measured points of boxes that the query cuts, which widen the interval whatever the noise.
        clipped: bool (queries,): whether a part of the query lies beyond the grid; that part has no points.
        typical_error: float64 (queries,): how far nine of ten answers are off; None where it was not asked for, or is not known.
    """

    counts: Float64
    lower: Int64 | None
    upper: Int64 | None
    cut: Int64 | None
    clipped: Bool
    typical_error: Float64 | None = None

    @property
    def outside_note(self) -> str:
        """What is said where counts, as whole numbers, lie outside their intervals; else empty."""
        if self.lower is None or self.upper is None:
            return ""
        counts = self.counts.round().tolist()
        return outside_note(zip(counts, self.lower.tolist(), self.upper.tolist(), strict=True))

    def _columns(self, first: slice) -> dict[str, list[str]]:
        estimates = {"points": self.counts, "typical error": self.typical_error}
        ends = {"interval from": self.lower, "to": self.upper, "in cut boxes": self.cut}
        words = {name: shown(each[first]) for name, each in estimates.items() if each is not None}
        return words | {name: whole(each[first]) for name, each in ends.items() if each is not None}


class ReleasedGrid(InSession):
    """One grid of a release, or a sum or difference of some.

    Args:
        grid: The public grid.
        counts: float64 (rows, columns): released points; or of a sparse grid the table of its boxes.
        measured: The measurements that it was made of, and whether each was added (1) or taken away (-1).

    Attributes:
        boxes: The released boxes of a sparse grid, ready to be asked; None of another.
        parts: The measurements, and whether each was added (1) or taken away (-1).
    """

    def __init__(self, grid: PublicGrid, counts: Float64 | LeafTable, measured: Sequence[tuple[Measured, int]]) -> None:
        if counts.shape != grid.shape:
            raise ParameterError("counts", "have another shape than the grid", "give those of the release")
        self.grid, self.boxes = grid, counts if isinstance(counts, LeafTable) else None
        self._cells = None if isinstance(counts, LeafTable) else CumulativeGrid(counts)
        self.parts = tuple(measured)

    @property
    def table(self) -> CumulativeGrid:
        """The released points of every cell, ready to be asked.

        Raises:
            ParameterError: the grid is sparse, and has no table of cells.
        """
        if self._cells is None:
            raise ParameterError("grid", "is sparse, so that there is no table of cells", "ask for rectangles")
        return self._cells

    @cached_property
    def surety(self) -> Surety | None:
        """Sure intervals; None where a transform was measured, not boxes, or nothing is known of the measurements."""
        trees = [each for each, _ in self.parts if isinstance(each, MeasuredTree)]
        if not trees or len(trees) < len(self.parts):
            return None
        return Surety(trees, [sign for _, sign in self.parts])

    def _facts(self) -> list[tuple[str, str]]:
        rows, columns = self.grid.shape
        intervals = "none: the method measures no boxes" if self.surety is None else "of every query"
        return [("released grid", f"{rows:,} x {columns:,} cells"), ("sure intervals", intervals)]

    def plus(self, other: "ReleasedGrid") -> "ReleasedGrid":
        """The sum of two grids whose noise was drawn independently: slices of a release, or releases of other points."""
        return self._with(other, 1)

    def minus(self, other: "ReleasedGrid") -> "ReleasedGrid":
        """The difference of two grids whose noise was drawn independently."""
        return self._with(other, -1)

    def _with(self, other: "ReleasedGrid", sign: int) -> "ReleasedGrid":
        if self.grid != other.grid:
            raise ParameterError("grids", "are not the same", "compare releases on one public grid")
        others = [(measured, sign * each) for measured, each in other.parts]
        if any(one is two for one, _ in self.parts for two, _ in others):
            raise ParameterError("grids", "share measurements, whose noise is not independent", "name another slice")
        parts = [*self.parts, *others]
        if self.boxes is not None and other.boxes is not None:
            return ReleasedGrid(self.grid, self.boxes.plus(other.boxes, sign), parts)
        return ReleasedGrid(self.grid, self.table.grid + sign * other.table.grid, parts)

    def count(
        self,
        rectangles: npt.ArrayLike,
        units: Units = "cells",
        level: Exact = LEVEL,
        *,
        together: bool = False,
        intervals: bool = True,
    ) -> Answers:
        """Points in rectangles.

        Args:
            rectangles: (m, 4): x0, y0, x1, y1 of each, fractions allowed.
            units: Of them. Degrees of a grid of equal-area cells are parallels and meridians, which are straight on it.
            level: The probability with which each sure interval holds the true number.
            together: Whether it is that with which all of them do at once.
            intervals: Whether there are sure intervals; without them many rectangles take less time.

        Raises:
            ParameterError: an array of another shape, a number that is not finite, a rectangle whose ends are in the wrong order,
                degrees of a grid in plain units, or another level than `Surety.of` takes.
        """
        queries = rectangles_in_cells(self.grid, units, rectangular(rectangles))
        counts = (self.boxes or self.table).count(queries)
        surety = self.surety if intervals else None
        return _answers(counts, surety.of(queries, exact(level, field="level"), together=together) if surety else None)

    def count_polygons(
        self,
        polygons: Sequence[Mapping[str, Any]],
        units: Units = "degrees",
        level: Exact = LEVEL,
        *,
        together: bool = False,
    ) -> Answers:
        """Points in GeoJSON geometries, Polygon or MultiPolygon, by the share of each cell that lies in them; edges are straight on the
        grid.

        Units, level and `together` are as of `count`.

        Raises:
            ParameterError: what is no polygon, or has rings that cross, and as `count` says of units and level.
        """
        regions = [region_in_cells(self.grid, units, region) for region in regions_of(polygons)]
        return self._count_regions(regions, level, together)

    def count_hexagons(self, cells: Sequence[str], level: Exact = LEVEL, *, together: bool = False) -> Answers:
        """Points in H3 cells, by their ids, by the share of each cell of the grid that lies in them; level and `together` are as of
        `count`. Raises ParameterError for an id that is none, h3 is not installed, and as `count` says of degrees and level.
        """
        return self._count_regions(
            hexagon_regions(cells, degrees_in_cells(self.grid), self.grid.across), level, together
        )

    def _count_regions(self, regions: Sequence[Region], level: Exact, together: bool) -> Answers:
        counts = count_regions(self.table, regions)
        sure = self.surety.of_regions(regions, exact(level, field="level"), together=together) if self.surety else None
        return _answers(counts, sure)

    def hotspots(self, k: int, side: int = 1, level: Exact = LEVEL) -> Hotspots:
        """The k squares of `side` cells with most released points, and which of them surely are; see `hotspots.hotspots`."""
        return hotspots(self.table, k, side, surety=self.surety, level=exact(level, field="level"))


def _answers(counts: Counts, sure: SureIntervals | None) -> Answers:
    if sure is None:
        return Answers(counts.counts, None, None, None, counts.clipped)
    return Answers(counts.counts, sure.lower, sure.upper, sure.cut, counts.clipped)
