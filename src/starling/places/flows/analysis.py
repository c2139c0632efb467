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
from starling.privacy.budget import Exact
from starling.release.reading import DomainRelease, Release

if TYPE_CHECKING:
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
    def flows(self) -> ReleasedFlows:
        """The released trips from area to area, which answer questions."""
        return released_flows(self.plan, read_measurements(self.folder, self.plan))

    def count(self, origin: Names = (), destination: Names = (), level: Exact = LEVEL) -> FlowCount:
        """Trips from any of some areas to any of others, with an interval; arguments and errors as of `ReleasedFlows.count`."""
        return self.flows.count(origin, destination, level)

    def difference(self, flow: tuple[Names, Names], minus: tuple[Names, Names], level: Exact = LEVEL) -> FlowDifference:
        """How many more trips lead from some areas to some areas than from others to others, with an interval; arguments and errors as of
        `ReleasedFlows.difference`.
        """
        return self.flows.difference(flow, minus, level)

    def largest(self, k: int = 10, level: Exact = LEVEL) -> LargestFlows:
        """The k pairs of areas with most released trips, marked where they surely are, with chances; arguments and errors as of
        `ReleasedFlows.largest`.
        """
        return self.flows.largest(k, level)

    def headline(self) -> Headline:
        """All trips."""
        return headline(self.plan, self.count())

    def plot(self) -> "Plots":
        """A map of arcs."""
        from starling.release.plots import Plots

        section = Section(self.plan.title, pictures=(picture(self.flows),))
        return Plots(self.plan.title, "Released flows between public areas", {"flows": section})

    def export(self, out: str | Path) -> tuple[Path, ...]:
        """Write the flows as flow maps read them into a new folder; raises OutputError where it exists."""
        from starling.places.flows.export import write_all

        return write_all(Path(out).absolute(), self.flows)
