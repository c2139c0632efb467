"""A release of points for who analyses it: its plan, its measurements, and the released grid of each slice."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.pages.parts import Headline, Picture, Section
from starling.places.answers.coordinates import Units, aspect
from starling.places.answers.cover import SIDES
from starling.places.answers.forms import stated
from starling.places.answers.hotspots import Hotspots, as_rectangles, tiles
from starling.places.answers.leaf_table import Boxed, LeafTable, squares
from starling.places.answers.means import Means, means_of
from starling.places.answers.questions import Count, Counted, CountHexagons, CountPolygons, FindHotspots
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.answers.whole_numbers import whole_cells
from starling.places.answers.work import Sizes
from starling.places.arrays import Float64, Int32, Int64
from starling.places.artifact.columns import BOXES, CELLS
from starling.places.artifact.pages import headline
from starling.places.artifact.public_plan import COUNTS, read_measurements, read_plan
from starling.places.measurements import Measured, MeasuredTree
from starling.places.pictures.experience import experience, listed
from starling.places.pictures.map_data import Map, MapSlice
from starling.places.pictures.map_shades import Shaded, blank_boxes, blank_squares
from starling.places.plan import Plan
from starling.places.plan.choices import slice_number
from starling.places.typical import likely_hotspots, typical_answers, typical_errors
from starling.places.typical.errors import MOST_CELLS, RERUNS
from starling.places.typical.ranking import DRAWS, RIVALS
from starling.privacy.budget import Exact, exact
from starling.release.codec import Json
from starling.release.reading import DomainRelease, Release, Rows

if TYPE_CHECKING:
    from starling.release.plots import Plots

PICTURED: Final = 512
"""Squares along the longer side of a map of a sparse grid."""
LISTED: Final = 6
"""Squares along the longer side, in the table of a map."""
MOST_TYPICAL: Final = 12
"""Slices of which a map has typical errors, each of which takes seconds."""


class PlacesRelease(DomainRelease):
    """An opened release of points.

    Attributes:
        plan: The public plan of the release.
    """

    questions: ClassVar[Any] = Rows | Count | CountPolygons | CountHexagons | FindHotspots
    main: ClassVar[str | None] = "boxes"

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan = read_plan(self.folder)
        self._released: dict[int, ReleasedGrid] = {}

    @cached_property
    def measured(self) -> tuple[Measured, ...]:
        """The measurements of each slice as they were drawn."""
        return read_measurements(self.folder, self.plan)

    @cached_property
    def sizes(self) -> Sizes:
        """What is public about it and takes work."""
        reruns = RERUNS if self.plan.grid.cells <= MOST_CELLS else 0
        return Sizes(self.plan.grid, self.size(BOXES)[0], reruns, DRAWS, RIVALS)

    @cached_property
    def _points(self) -> Float64:
        points = self.table(CELLS)["points"].to_numpy()
        return np.asarray(points.reshape(len(self.plan.slice_names), *self.plan.grid.shape))

    def slice_number(self, name: str | None) -> int:
        """Which slice has a public name, or is the only one."""
        return slice_number(self.plan.slice_names, name)

    def grid(self, slice: str | None = None) -> Float64:
        """float64 (rows, columns): the released points of each cell, row 0 in the south.

        Args:
            slice: Its public name; left out where there is one alone.

        Raises:
            ParameterError: the plan has no such slice, or its grid is sparse, and is released as boxes alone.
        """
        if self.plan.grid.sparse:
            raise ParameterError(
                "grid", "is sparse, so that there is no table of cells", "take the boxes, or count rectangles"
            )
        return np.asarray(self._points[self.slice_number(slice)])

    def rounded(self, slice: str | None = None) -> Int64:
        """int64 (rows, columns): those of `grid` as whole numbers, each rounded up or down so that sums are kept (whole_numbers.py). Raises
        ParameterError as `grid` does.
        """
        return whole_cells(self.grid(slice), self.boxes(slice)[0])[0]

    def released(self, slice: str | None = None) -> ReleasedGrid:
        """What answers queries of the grid, with its measurements; raises ParameterError as `grid` does."""
        number, grid = self.slice_number(slice), self.plan.grid
        if number not in self._released:
            counts = LeafTable(Boxed(grid.shape, *self.boxes(slice))) if grid.sparse else self.grid(slice)
            self._released[number] = ReleasedGrid(grid, counts, [(self.measured[number], 1)])
        return self._released[number]

    def parts(
        self, slice: str | None = None, other: "PlacesRelease | None" = None, other_slice: str | None = None
    ) -> list[tuple[Plan, ReleasedGrid]]:
        """What is counted, for `typical.typical_answers`.

        Raises:
            ParameterError: as `released`, or both are one.
        """
        parts = [(self.plan, self.released(slice))]
        if other is None:
            return parts
        if self.hashes[COUNTS] == other.hashes[COUNTS] and self.slice_number(slice) == other.slice_number(other_slice):
            raise ParameterError("release", "is compared with itself", "name another release, or another slice")
        return [*parts, (other.plan, other.released(other_slice))]

    def count(
        self,
        rectangles: npt.ArrayLike,
        units: Units = "cells",
        level: Exact = LEVEL,
        slice: str | None = None,
        *,
        intervals: bool = True,
    ) -> Answers:
        """Points in rectangles, float64 (m, 4): x0, y0, x1, y1, with sure intervals; polygons, H3 cells and more by `released`.

        Raises:
            ParameterError: as `grid`, and as `ReleasedGrid.count`.
        """
        return self.released(slice).count(rectangles, units, level, intervals=intervals)

    def means(
        self, rectangles: npt.ArrayLike, units: Units = "cells", level: Exact = LEVEL, slice: str | None = None
    ) -> Means:
        """Points, sums and means of the plan's value in rectangles, float64 (m, 4): x0, y0, x1, y1, with sure intervals.

        Args:
            rectangles: As those of `count`.
            units: Of them.
            level: The probability with which each rectangle's intervals hold the true points, sum and mean, all three.
            slice: The public name of a slice of records, without a layer; left out where there is one alone.

        Raises:
            ParameterError: the plan has no value, and as `count`.
        """
        return self.means_of(lambda grid, each: grid.count(rectangles, units, each), exact(level, field="level"), slice)

    def means_of(
        self, ask: Callable[[ReleasedGrid, Fraction], Answers], level: Fraction, slice: str | None = None
    ) -> Means:
        """`means` of any queries: `ask` asks a grid at a level. Raises ParameterError as `means`."""
        above, below = map(self.released, self.layers(slice))
        assert self.plan.value is not None
        return means_of(self.plan.value, above, below, ask, level)

    def layers(self, slice: str | None = None) -> tuple[str, str]:
        """The names of the two layers of a slice of records; raises ParameterError as `means`."""
        plan = self.plan
        if plan.value is None:
            fix = "release a plan with [value], or count points"
            raise ParameterError("release", "has no value whose means could be told", fix)
        if slice not in plan.own_slices and (slice is not None or len(plan.own_slices) > 1):
            names = ", ".join(plan.own_slices[:8])
            raise ParameterError("slice", "is no slice of records, without a layer", f"name one of {names}")
        number = 0 if slice is None else plan.own_slices.index(slice)
        above, below = plan.slice_names[2 * number : 2 * number + 2]
        return above, below

    def headline(self) -> Headline:
        """All points of the first slice."""
        rows, columns = self.plan.grid.shape
        return headline(self.plan, self.count([[0, 0, columns, rows]], slice=self.plan.slice_names[0]))

    def _answered(self, question: Any) -> Json:
        """Of counts, each with its sure interval, which a method may not have; of hotspots, each square. One object for each."""
        if isinstance(question, FindHotspots):
            return self._hotspots(question)
        if not isinstance(question, Counted):
            return super()._answered(question)
        answers = self.answers(question)
        columns = {"points": answers.counts, "lower": answers.lower, "upper": answers.upper, "clipped": answers.clipped}
        return _rows({**columns, "typical_error": answers.typical_error})

    def answers(self, question: Counted, other: "PlacesRelease | None" = None) -> Answers:
        """The answers to a question for counts.

        Args:
            question: With its `minus` the points of that slice are taken away.
            other: Another release on the same grid, to which that slice belongs; of one without slices it is all of it.

        Raises:
            ParameterError: as `parts`, as the question's `of`, and where the grids are not the same.
        """
        parts = self.parts(question.slice, self._other(other, question.minus), question.minus)
        return typical_answers(question.of, *parts, typical=question.typical)

    def _other(self, other: "PlacesRelease | None", minus: str | None) -> "PlacesRelease | None":
        """The release of the slice that is taken away: this one, unless it is said."""
        return self if other is None and minus is not None else other

    def _hotspots(self, question: FindHotspots) -> Json:
        """Squares, most points first."""
        grid = self.released(question.slice)
        if question.chance:
            hotspots = likely_hotspots(self.plan, grid, question.k, question.side, level=question.level)
        else:
            hotspots = grid.hotspots(question.k, question.side, question.level)
        ends = ("first_row", "end_row", "first_column", "end_column")
        columns = {**dict(zip(ends, hotspots.boxes.T, strict=True)), "points": hotspots.counts, "sure": hotspots.sure}
        return _rows({**columns, "chance": hotspots.chance})

    def typical_errors(
        self, rectangles: npt.ArrayLike, units: Units = "cells", slice: str | None = None
    ) -> Float64 | None:
        """The typical error of each rectangle's count, float64 (m,): `typical.typical_errors` says what it is, and when there is none.

        Raises:
            ParameterError: as `count`.
        """
        return typical_errors(self.plan, self.released(slice), lambda grid: grid.count(rectangles, units))

    def hotspots(self, k: int, side: int = 1, level: Exact = LEVEL, slice: str | None = None) -> Hotspots:
        """The k squares of `side` cells with most released points: which surely are, and how likely each is, among those with most points.

        Raises:
            ParameterError: as `grid`, and as `hotspots.hotspots`.
        """
        return likely_hotspots(self.plan, self.released(slice), k, side, level=exact(level, field="level"))

    def boxes(self, slice: str | None = None) -> tuple[Int32, Float64]:
        """The boxes of the release: int32 (boxes, 4), and float64 (boxes,), their released points; raises ParameterError as `grid` does."""
        rows = self.table(BOXES)
        rows = rows.filter(pc.equal(rows["slice"], self.plan.slice_names[self.slice_number(slice)]))
        ends = np.stack([rows[side].to_numpy() for side in SIDES], axis=1).astype(np.int32)
        return ends, np.asarray(rows["points"].to_numpy())

    def pictured(self, slice: str | None) -> tuple[Float64, int]:
        """The grid, or of a sparse one the points of public squares of cells; and how many cells a side they have."""
        if not self.plan.grid.sparse:
            return self.grid(slice), 1
        return squares(LeafTable(Boxed(self.plan.grid.shape, *self.boxes(slice))), PICTURED)

    def plot(self, slice: str | None = None) -> "Plots":
        """A picture of the released points of each cell, in a stronger colour where there are more; `map` has a page that can be asked.

        Args:
            slice: Its public name; left out for the only one, or the first.

        Raises:
            ParameterError: the plan has no such slice.
        """
        from starling.places.pictures.heat_map import HATCHED, heat_map
        from starling.release.plots import Plots

        drawn = self.plan.slice_names[0] if slice is None else slice
        grid, side = self.pictured(drawn)
        surety = self.released(drawn).surety
        name = f", {drawn}" if self.plan.is_sliced else ""
        title = f"{self.plan.title}{name}"
        hatched = "" if surety is None else f" {HATCHED}"
        caption = f"Released {self.plan.counted} by cell, in a stronger colour where there are more.{hatched}"
        what = self.plan.counted
        picture = Picture(partial(heat_map, self.plan.grid, what, grid, surety, side=side), caption, "points")
        section = Section(title, pictures=(picture,))
        return Plots(self.plan.title, "Released points on a public grid", {"points": section})

    def map(self, slice: str | None = None, level: Exact = LEVEL, *, typical: bool = True) -> Map:
        """What the page of a map shows.

        Args:
            slice: Its public name; without it the page has all slices.
            level: The probability with which each sure interval holds the true number, and all marks of hotspots are right together.
            typical: Whether it shows typical errors and hotspots with chances, for which the grid is measured again; of more than
                `MOST_TYPICAL` slices it does not.

        Raises:
            ParameterError: the plan has no such slice, or another level than `ReleasedGrid.count` takes.
        """
        plan = self.plan
        names = plan.slice_names if slice is None else (plan.slice_names[self.slice_number(slice)],)
        chance = exact(level, field="level")
        several = typical and len(names) <= MOST_TYPICAL
        unit = (
            "One point is protected"
            if plan.unit == "point"
            else f"One person with up to {plan.points:,} points is protected"
        )
        return Map(
            title=plan.title if slice is None or not plan.is_sliced else f"{plan.title}, {slice}",
            about=f"{unit}; the whole release costs {self.cost}.",
            points=plan.counted_first,
            grid=plan.grid,
            aspect=aspect(plan.grid),
            slices=[self._map_slice(name, chance, typical=several) for name in names],
            fold=self.pictured(names[0])[1],
            level=chance,
            lists=self.lists if slice is None else (),
            note=plan.layers_note,
        )

    @property
    def lists(self) -> tuple[Sequence[str], ...]:
        """Of slices by two columns, or of slices with two layers, the names of each; else empty."""
        plan = self.plan
        if plan.layers:
            return plan.own_slices, plan.layers
        return () if plan.slices is None or not plan.slices.categories else (plan.slices.names, plan.slices.categories)

    def shaded(
        self,
        slice: str | None = None,
        minus: str | None = None,
        other: "PlacesRelease | None" = None,
        level: Exact = LEVEL,
    ) -> Shaded:
        """What a page draws of a slice, or of what it has more than another.

        Raises:
            ParameterError: as `parts`, or the grids are not the same.
        """
        plan, number, chance = self.plan, self.slice_number(slice), exact(level, field="level")
        cells, fold = self.pictured(slice)
        names = plan.slice_names if not plan.grid.sparse or len(plan.slice_names) <= MOST_TYPICAL else [slice]
        scale = [self.pictured(name)[0] for name in names]
        parts = [grid for _, grid in self.parts(slice, self._other(other, minus), minus)]
        if len(parts) > 1:
            difference = parts[0].minus(parts[1])
            taken = (other or self).pictured(minus)[0]
            blank, hotspots, scale = blank_squares(difference, chance), tiles((0, 0), 1), [*scale, taken]
            cells = cells - taken
        else:
            blank = blank_boxes(self.measured[number], chance)
            hotspots = tiles((0, 0), 1) if plan.grid.sparse else self.first_squares(slice).boxes
        return Shaded(plan.grid, cells, scale, len(parts) > 1, self.boxes(slice)[0], blank, hotspots, fold)

    def first_squares(self, slice: str | None = None, *, chance: bool = False) -> Hotspots:
        """The hotspots that a map lists, with chances where wanted, which take seconds."""
        k, side = listed(self.plan.grid.shape)
        return self.hotspots(k, side, slice=slice) if chance else self.released(slice).hotspots(k, side)

    def _map_slice(self, name: str, level: Fraction, *, typical: bool) -> MapSlice:
        """One slice of a map."""
        plan, released, measured = self.plan, self.released(name), self.measured[self.slice_number(name)]
        squares = tiles(plan.grid.shape, -(-max(plan.grid.shape) // LISTED))
        return MapSlice(
            "" if not plan.is_sliced else name,
            self.pictured(name)[0],
            *self.boxes(name),
            measured if isinstance(measured, MeasuredTree) else None,
            experience(plan, released, level) if typical else None,
            squares,
            released.count(as_rectangles(squares), level=level),
        )


def _rows(columns: Mapping[str, npt.NDArray[Any] | None]) -> Json:
    """An object for each row of the columns that there are; what is no number is null, as a chance that is not stated."""
    lists = {name: stated(each) or [] for name, each in columns.items() if each is not None}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
