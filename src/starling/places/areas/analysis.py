"""A release of areas for who analyses it: its numbers, those of unions of areas, and its map."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.hierarchy.trees import Estimated
from starling.pages.parts import Headline, Section
from starling.places.answers.forms import checked_level
from starling.places.areas.answers.unions import LEVEL, Number, areas_below, difference, number
from starling.places.areas.answers.values import layers_of, points_of
from starling.places.areas.answers.whole_numbers import whole_areas
from starling.places.areas.artifact.columns import AREAS
from starling.places.areas.artifact.pages import headline, pictures
from starling.places.areas.artifact.public_plan import read_measurements, read_plan
from starling.places.areas.plan.polygons import AREA
from starling.places.areas.postprocess import estimates
from starling.places.arrays import Float64, Int64
from starling.places.plan.choices import slice_number
from starling.privacy.budget import Exact
from starling.release.codec import Json
from starling.release.reading import DomainRelease, Release, Rows
from starling.release.work import Work

if TYPE_CHECKING:
    from starling.pages.views import Views
    from starling.release.plots import Plots

MOST_NAMES: Final = 1000
"""In one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountAreas:
    """Points in a union of areas: a question to a release, which costs nothing.

    Attributes:
        areas: Ids or names of areas, or names of what lies above them; up to 1,000. Without any, all areas.
        slice: The public name of a slice; None where there is one alone.
        minus: Another slice, whose points are taken away; None for none.
        level: The probability with which the interval holds the true number.
    """

    areas: tuple[str, ...] = ()
    slice: str | None = None
    minus: str | None = None
    level: Fraction = LEVEL

    def __post_init__(self) -> None:
        if len(self.areas) > MOST_NAMES:
            raise ParameterError("question.areas", f"are more than {MOST_NAMES:,}", "ask for fewer at once")
        checked_level(self.level)

    def work(self, release: "AreasRelease") -> Work:
        """Each name is looked for among all nodes, and least squares passes over them."""
        nodes = sum(map(len, release.plan.areas.nodes))
        return Work(nodes * (8 + len(self.areas)), "name fewer areas")


class AreasRelease(DomainRelease):
    """An opened release of areas.

    Attributes:
        plan: The public plan of the release.
    """

    questions: ClassVar[Any] = Rows | CountAreas
    main: ClassVar[str | None] = AREAS

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan = read_plan(self.folder)

    @cached_property
    def estimates(self) -> Sequence[Estimated]:
        """Of each level, the whole first, the estimates and their variances, float64 (nodes, slices * layers)."""
        return estimates(self.plan, read_measurements(self.folder, self.plan))

    def slice_number(self, name: str | None) -> int:
        """Which slice has a public name, or is the only one; raises ParameterError where there is none of that name."""
        return slice_number(self.plan.slice_names, name)

    def points(self, slice: str | None = None) -> Float64:
        """float64 (areas,): the released points of each area, in the order of the file; raises ParameterError as `slice_number`."""
        return np.ascontiguousarray(points_of(self.plan, self.estimates[-1]).count[:, self.slice_number(slice)])

    def layers(self, slice: str | None) -> Float64:
        """float64 (areas, layers): what is released of each area in a slice."""
        return layers_of(self.plan, self.estimates[-1], self.slice_number(slice))

    def number(self, *areas: str, slice: str | None = None, minus: str | None = None, level: Exact = LEVEL) -> Number:
        """The points in a union of areas, with the exact deviation of its noise; of a plan with a value their sum and mean too.

        Args:
            areas: Ids or names of areas, or names of what lies above them; without any, all areas.
            slice: The public name of a slice; left out where there is one alone.
            minus: Another slice, whose points are taken away.
            level: The probability with which the interval holds the true number; it holds for areas chosen before the release is seen.

        Raises:
            ParameterError: nothing is called so, a name is that of several areas, or there is no such slice or level.
        """
        chance = checked_level(level)
        weights = areas_below(self.plan.areas, areas) if areas else np.ones(len(self.plan.areas))
        what = " + ".join(areas) or "all areas"
        counted = [self.layers(slice)]
        if slice is not None:
            what = f"{what}, {slice}"
        if minus is not None:
            if self.slice_number(minus) == self.slice_number(slice):
                raise ParameterError("minus", "is the slice itself", "name another slice")
            counted, what = [*counted, self.layers(minus)], f"{what} less {minus}"
        return number(self.plan, counted, weights, what, chance)

    def compare(
        self,
        other: "AreasRelease",
        *areas: str,
        slice: str | None = None,
        other_slice: str | None = None,
        level: Exact = LEVEL,
    ) -> Number:
        """How many more points a union of areas has here than in another release of the same areas, whose noise is independent.

        Args:
            other: The other release.
            areas: As of `number`.
            slice: The public name of a slice; left out where there is one alone.
            other_slice: That of the other release.
            level: The probability with which the interval holds the true difference.

        Raises:
            ParameterError: it is the same release, or one of other areas or another measure; and as `number`.
        """
        chance = checked_level(level)
        weights = areas_below(self.plan.areas, areas) if areas else np.ones(len(self.plan.areas))
        counted = (self.layers(slice), other.layers(other_slice))
        if self.hashes == other.hashes and self.slice_number(slice) == other.slice_number(other_slice):
            raise ParameterError("minus_release", "is the release itself", "name another")
        own, its = ("" if each is None else f", {each}" for each in (slice, other_slice))
        what = f"{' + '.join(areas) or 'all areas'}{own}, less those of the other release{its}"
        return difference((self.plan, other.plan), counted, weights, what, chance)

    def headline(self) -> Headline:
        """All points of the first slice."""
        return headline(self.plan, self.estimates)

    def _answered(self, question: Any) -> Json:
        if not isinstance(question, CountAreas):
            return super()._answered(question)
        answer = self.number(*question.areas, slice=question.slice, minus=question.minus, level=question.level)
        return dict(answer.as_json())

    def rounded(self, slice: str | None = None) -> Int64:
        """int64 (areas,): those of `points` as whole numbers, each rounded up or down so that the sums of all levels are kept
        (answers/whole_numbers.py). Raises ParameterError as `points`.
        """
        return whole_areas(self.plan.areas, self.points(slice))

    def area_rows(self, slice: str | None = None, *, rounded: bool = False) -> pa.Table:
        """The rows of the areas of a slice, in the order of the file; if `rounded`, their points are whole numbers."""
        name = self.plan.slice_names[self.slice_number(slice)]
        rows = self.table(AREAS)
        chosen = rows.filter(pc.and_(pc.equal(rows["slice"], name), pc.equal(rows["level"], AREA)))
        if not rounded:
            return chosen
        return chosen.set_column(chosen.schema.names.index("points"), "points", pa.array(self.rounded(slice)))

    def plot(self, slice: str | None = None) -> "Plots":
        """A map of the areas, in a stronger colour where there are more points; hatched where there may be none. Of a plan with a value
        also one of its means.

        Args:
            slice: Its public name; left out for the only one, or the first.

        Raises:
            ParameterError: the plan has no such slice.
        """
        from starling.release.plots import Plots

        at = 0 if slice is None else self.slice_number(slice)
        drawn = pictures(self.plan, self.estimates[-1], at)
        sections = {
            each.name: Section(f"{self.plan.title}{self.plan.in_slice(at)}", pictures=(each,)) for each in drawn
        }
        return Plots(self.plan.title, "Released points by area", sections)

    def map(self, slice: str | None = None) -> "Views":
        """A page on which areas say their numbers: of all slices and their differences, or of one.

        Args:
            slice: Its public name.

        Raises:
            ParameterError: the plan has no such slice.
        """
        from starling.places.areas.artifact.map_page import views

        many = range(len(self.plan.slice_names)) if slice is None else [self.slice_number(slice)]
        return views(self.plan, self.estimates, many)
