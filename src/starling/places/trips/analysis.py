"""A release of trips on a grid for who analyses it: its plan, its measurements, and the released trips."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy.typing as npt

from starling.errors import ParameterError
from starling.pages.parts import Headline, Section
from starling.places.answers.coordinates import Units
from starling.places.answers.sure import LEVEL
from starling.places.trips.answers.released import ReleasedTrips, TripAnswers
from starling.places.trips.artifact.pages import headline, pictures
from starling.places.trips.artifact.public_plan import read_measurements, read_plan
from starling.places.trips.publication import released_trips
from starling.privacy.budget import Exact
from starling.release.reading import DomainRelease, Release

if TYPE_CHECKING:
    from starling.pages.views import Views
    from starling.release.plots import Plots


def _check_slice(slice: str | None) -> None:
    if slice is not None:
        raise ParameterError("slice", "is named, and flows on a grid have none", "leave it out")


class TripsRelease(DomainRelease):
    """An opened release of trips on a grid.

    Attributes:
        plan: The public plan of the release.
    """

    main: ClassVar[str | None] = "flows"

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan = read_plan(self.folder)

    @cached_property
    def trips(self) -> ReleasedTrips:
        """The released trips, which answer questions."""
        return released_trips(self.plan, read_measurements(self.folder, self.plan))

    def count(
        self,
        origin: npt.ArrayLike | None = None,
        destination: npt.ArrayLike | None = None,
        units: Units = "cells",
        level: Exact = LEVEL,
    ) -> TripAnswers:
        """Trips from rectangles to rectangles, with sure intervals; arguments and errors as of `ReleasedTrips.count`."""
        return self.trips.count(origin, destination, units, level)

    def headline(self) -> Headline:
        """All trips."""
        return headline(self.plan, self.count())

    def plot(self, slice: str | None = None) -> "Plots":
        """Maps of arcs, of where trips begin, and of where they end. Raises ParameterError where a slice is named: there are none."""
        from starling.release.plots import Plots

        _check_slice(slice)
        sections = {each.name: Section(each.name.capitalize(), pictures=(each,)) for each in pictures(self.trips)}
        return Plots(self.plan.title, "Released trips on a public grid", sections)

    def map(self, slice: str | None = None) -> "Views":
        """A page on which arcs say their numbers. Raises ParameterError as `plot`."""
        from starling.places.trips.artifact.map_page import views

        _check_slice(slice)
        return views(self.trips)

    def export(self, out: str | Path, slice: str | None = None) -> tuple[Path, ...]:
        """Write the trips of pairs of boxes that surely have some, as flow maps read them, into a new folder; raises OutputError where it
        exists, and ParameterError for a grid in plain units, or as `plot`.
        """
        from starling.places.trips.export import write_all

        _check_slice(slice)
        return write_all(Path(out), self.trips)
