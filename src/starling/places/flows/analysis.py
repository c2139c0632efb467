"""A release of flows for who analyses it: its plan, its measurements, and the released trips."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from starling.pages.parts import Headline, Section
from starling.places.flows.answers.released import (
    LEVEL,
    FlowCount,
    FlowDifference,
    LargestFlows,
    Names,
    ReleasedFlows,
)
from starling.places.flows.artifact.pages import headline, picture
from starling.places.flows.artifact.public_plan import read_measurements, read_plan
from starling.places.flows.publication import released_flows
from starling.places.plan.choices import slice_number
from starling.privacy.budget import Exact
from starling.release.reading import DomainRelease, Release

if TYPE_CHECKING:
    from starling.pages.views import Views
    from starling.release.plots import Plots


class FlowsRelease(DomainRelease):
    """An opened release of flows.

    Attributes:
        plan: The public plan of the release.
    """

    main: ClassVar[str | None] = "flows"

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan = read_plan(self.folder)

    @cached_property
    def slices(self) -> tuple[ReleasedFlows, ...]:
        """The released trips from area to area of each slice, which answer questions."""
        return released_flows(self.plan, read_measurements(self.folder, self.plan))

    def released(self, slice: str | None = None) -> ReleasedFlows:
        """The flows of a slice by its public name, or of the only one; raises ParameterError where there is none of that name."""
        return self.slices[slice_number(self.plan.slice_names, slice)]

    def count(
        self, origin: Names = (), destination: Names = (), level: Exact = LEVEL, slice: str | None = None
    ) -> FlowCount:
        """Trips from any of some areas to any of others, with an interval; arguments and errors as of `ReleasedFlows.count` and
        `released`.
        """
        return self.released(slice).count(origin, destination, level)

    def difference(
        self,
        flow: tuple[Names, Names] = ((), ()),
        minus: tuple[Names, Names] | None = None,
        level: Exact = LEVEL,
        slice: str | None = None,
        minus_slice: str | None = None,
    ) -> FlowDifference:
        """How many more trips lead from some areas to some areas than from others to others, or than in another slice, with an interval.

        Args:
            flow: Where the trips begin, and where they end, as of `count`; without it everywhere.
            minus: The same of the trips that are taken away; without it the same areas.
            level: As of `count`.
            slice: The public name of a slice; left out where there is one alone.
            minus_slice: Another slice, whose trips are taken away.

        Raises:
            ParameterError: as of `count`, or both are the same trips.
        """
        other = None if minus_slice is None else self.released(minus_slice)
        return self.released(slice).difference(flow, flow if minus is None else minus, level, other)

    def largest(self, k: int = 10, level: Exact = LEVEL, slice: str | None = None) -> LargestFlows:
        """The k pairs of areas with most released trips, marked where they surely are, with chances; arguments and errors as of
        `ReleasedFlows.largest` and `released`.
        """
        return self.released(slice).largest(k, level)

    def headline(self) -> Headline:
        """All trips, of the first slice."""
        return headline(self.plan, self.slices[0].count((), ()))

    def plot(self, slice: str | None = None) -> "Plots":
        """A map of arcs, of a slice by its public name, or of the only one or the first; raises ParameterError where there is none of that
        name.
        """
        from starling.release.plots import Plots

        released = self.slices[0] if slice is None else self.released(slice)
        part = "" if released.slice is None else f", {released.slice}"
        section = Section(f"{self.plan.title}{part}", pictures=(picture(released),))
        return Plots(self.plan.title, "Released flows between public areas", {"flows": section})

    def map(self, slice: str | None = None) -> "Views":
        """A page on which arcs say their numbers: of all slices and their differences, or of one by its public name; raises ParameterError
        where there is none of that name.
        """
        from starling.places.flows.artifact.map_page import views

        return views(self.slices if slice is None else [self.released(slice)])

    def export(self, out: str | Path, slice: str | None = None) -> tuple[Path, ...]:
        """Write the flows of a slice, or of the only one, as flow maps read them into a new folder; raises OutputError where it exists, and
        ParameterError as `released`.
        """
        from starling.places.flows.export import write_all

        return write_all(Path(out), self.released(slice))
