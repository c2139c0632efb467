"""Questions to a released grid, which cost nothing: each a dataclass, declared once for the library, the API and its schema.

What a question may ask at once is bounded, so that nobody keeps a server busy with one.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.places.answers import work
from starling.places.answers.coordinates import Units, degrees_in_cells
from starling.places.answers.forms import checked_level
from starling.places.answers.hexagons import hexagon_regions
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.release.work import Work

if TYPE_CHECKING:
    from starling.places.analysis import PlacesRelease

MOST_RECTANGLES: Final = 1000
"""In one question."""
MOST_HEXAGONS: Final = 1000
"""In one question."""
MOST_REGIONS: Final = 100
"""In one question."""
MOST_CORNERS: Final = 10_000
"""Of all regions of a question together."""
HEXAGON: Final = 30
"""Corners of an H3 cell, at most, twice where it crosses the antimeridian and with a way around a pole."""
MOST_HOTSPOTS: Final = 1000
"""In one question."""

Ring: TypeAlias = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(ABC):
    """What all questions for counts choose.

    Attributes:
        slice: The public name of a slice; None where there is one alone.
        minus: Another slice, whose points are taken away; None for none.
        level: The probability with which each sure interval holds the true number.
        together: Whether it is that with which all of them do at once.
        typical: Whether the typical error of each count is told, too, for which the grid is measured again.
    """

    advice: ClassVar[str]
    """What to ask where it is too much work."""
    slice: str | None = None
    minus: str | None = None
    level: Fraction = LEVEL
    together: bool = False
    typical: bool = False

    def __post_init__(self) -> None:
        checked_level(self.level, "question.level")

    @abstractmethod
    def of(self, grid: ReleasedGrid) -> Answers:
        """The counts of a grid; raises ParameterError as the method of `ReleasedGrid` does."""

    @abstractmethod
    def counting(self, sizes: work.Sizes) -> tuple[int, int]:
        """Steps of the counts alone, and of their sure intervals."""

    def work(self, release: "PlacesRelease") -> Work:
        """Counts with sure intervals; where typical errors are told, counts of each rerun too, which is made of every cell."""
        slices = 1 if self.minus is None else 2
        counts, intervals = (slices * each for each in self.counting(release.sizes))
        steps = work.opening(release.sizes) + counts + intervals
        if not self.typical:
            return Work(steps, self.advice)
        # Besides the answer: the truth of the reruns, these, and the noise and the area of each query.
        steps += (release.sizes.reruns + 3) * counts + slices * work.repeated(release.sizes)
        return Work(steps, f"{self.advice}, or leave out typical errors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Counted):
    """Points in rectangles of the released grid: a question to a release, which costs nothing.

    Attributes:
        rectangles: Each by x0, y0, x1, y1; up to 1,000.
        units: What the ends count: cells of the grid, units of its box, or degrees.
    """

    advice = "ask for fewer rectangles at once"
    rectangles: tuple[tuple[Fraction, Fraction, Fraction, Fraction], ...]
    units: Units = "cells"

    def __post_init__(self) -> None:
        Counted.__post_init__(self)
        _check_many("rectangles", len(self.rectangles), MOST_RECTANGLES)

    def of(self, grid: ReleasedGrid) -> Answers:
        """The counts of the rectangles in a grid; raises ParameterError as its method for them does."""
        queries = np.array(self.rectangles, dtype=np.float64)
        return grid.count(queries, self.units, self.level, together=self.together)

    def counting(self, sizes: work.Sizes) -> tuple[int, int]:
        """Each rectangle cuts boxes along its edges."""
        each = work.cutting(sizes)
        return len(self.rectangles) * each, len(self.rectangles) * each


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPolygons(Counted):
    """Points in regions, by the share of each cell that lies in them: a question to a release, which costs nothing.

    Attributes:
        regions: Each as the coordinates of a GeoJSON MultiPolygon: polygons, each by its rings, each by its corners [x, y]; up to 100
            regions with 10,000 corners together.
        units: Of the corners: cells of the grid, units of its box, or degrees.
    """

    advice = "ask for fewer or smaller regions, or regions with fewer corners, at once"
    regions: tuple[tuple[tuple[Ring, ...], ...], ...]
    units: Units = "degrees"

    def __post_init__(self) -> None:
        Counted.__post_init__(self)
        _check_many("regions", len(self.regions), MOST_REGIONS)
        corners = sum(len(ring) for region in self.regions for polygon in region for ring in polygon)
        _check_many("corners", corners, MOST_CORNERS)

    def of(self, grid: ReleasedGrid) -> Answers:
        """The counts of the regions in a grid; raises ParameterError as its method for them does."""
        regions = [
            {
                "type": "MultiPolygon",
                "coordinates": [[np.array(ring, dtype=np.float64) for ring in each] for each in region],
            }
            for region in self.regions
        ]
        return grid.count_polygons(regions, self.units, self.level, together=self.together)

    def counting(self, sizes: work.Sizes) -> tuple[int, int]:
        """See `work.regions`."""
        rings = [[np.array(ring, dtype=np.float64) for each in region for ring in each] for region in self.regions]
        cells = sum(work.extent(each, sizes.grid, self.units) for each in rings)
        return work.regions(sizes, len(self.regions), cells, sum(len(ring) for each in rings for ring in each))


@dataclass(frozen=True, slots=True, kw_only=True)
class CountHexagons(Counted):
    """Points in H3 cells, by the share of each cell of the grid that lies in them: a question to a release, which costs nothing.

    Attributes:
        cells: Ids, as h3 writes them; up to 1,000.
    """

    advice = "ask for fewer or smaller H3 cells at once"
    cells: tuple[str, ...]

    def __post_init__(self) -> None:
        Counted.__post_init__(self)
        _check_many("cells", len(self.cells), MOST_HEXAGONS)

    def of(self, grid: ReleasedGrid) -> Answers:
        """The counts of the H3 cells in a grid; raises ParameterError as its method for them does."""
        return grid.count_hexagons(self.cells, self.level, together=self.together)

    def counting(self, sizes: work.Sizes) -> tuple[int, int]:
        """As of regions of a few corners."""
        grid = sizes.grid
        regions = hexagon_regions(self.cells, degrees_in_cells(grid), grid.across)
        cells = sum(work.extent([ring for each in region for ring in each], grid, "cells") for region in regions)
        return work.regions(sizes, len(self.cells), cells, len(self.cells) * HEXAGON)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindHotspots:
    """The squares with most released points, with sure marks and chances: a question to a release, which costs nothing.

    Attributes:
        k: How many; up to 1,000.
        side: Cells of a side.
        slice: The public name of a slice; None where there is one alone.
        level: The probability with which all sure marks are right together.
        chance: Whether it is told how likely each square is among those with most points, for which the grid is measured again.
    """

    k: int
    side: int = 1
    slice: str | None = None
    level: Fraction = LEVEL
    chance: bool = True

    def __post_init__(self) -> None:
        checked_level(self.level, "question.level")
        _check_many("k", self.k, MOST_HOTSPOTS)

    def work(self, release: "PlacesRelease") -> Work:
        """Every square has a sure interval; for chances the grid is measured again, and squares are invented."""
        sizes, side = release.sizes, max(self.side, 1)
        squares = -(-sizes.grid.rows // side) * -(-sizes.grid.columns // side)
        steps = work.opening(sizes) + squares * work.PER_SQUARE + self.k * work.PER_CUT
        if not self.chance:
            return Work(steps, "ask for larger squares, by side")
        steps += work.repeated(sizes) + sizes.draws * max(sizes.rivals, 10 * self.k) * work.PER_DRAW
        return Work(steps, "ask for larger squares, by side, or for fewer, by k, or without chances")


def _check_many(name: str, many: int, most: int) -> None:
    if not 1 <= many <= most:
        raise ParameterError(f"question.{name}", f"are not 1 to {most:,}", "ask for less at once")
