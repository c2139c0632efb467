"""A release of trips on a grid as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

from starling.places.artifact.plan_files import MEASUREMENTS, PLAN
from starling.places.trips.answers.released import ReleasedTrips
from starling.places.trips.artifact import columns, pages, public_plan
from starling.places.trips.artifact.public_plan import mechanism_of
from starling.places.trips.measurements import MeasuredTrips, Trips
from starling.places.trips.mechanism import TripTree
from starling.places.trips.plan import Plan
from starling.places.trips.postprocess import filled, margins
from starling.release.checks import TABLES, Checks
from starling.release.of_plan import Kind, PlanContents, PlanPublication

CHECKS: Final = Checks(
    {
        MEASUREMENTS: "the numbers are as many as the boxes that the plan's rule cuts by them, with the noise that it gives each",
        TABLES: "trips are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one trip or person; nothing is exact",
)


@dataclass(frozen=True, slots=True)
class TripsPublication(PlanPublication[Trips, MeasuredTrips]):
    """A `release.domain.Publication`."""

    plan: Plan
    domain: Final = "places"
    kind: ClassVar[Kind] = Kind("places.trips", 1, public_plan, columns, pages)
    checks: ClassVar[Checks | None] = CHECKS
    notes = MappingProxyType({PLAN: "The public plan"})

    @property
    def measuring(self) -> TripTree:
        """The mechanism of the plan."""
        return mechanism_of(self.plan)

    def contents(self, folder: Path, drawn: MeasuredTrips) -> PlanContents:  # noqa: ARG002 - nothing else is in it
        """The tables, from what was drawn."""
        released = released_trips(self.plan, drawn)
        return PlanContents(partial(columns.pieces, released), partial(pages.sections, released))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The tables."""
        return [("flows", f"pairs of boxes in {data / 'flows.parquet'}"), ("ends", f"{data / 'cells.parquet'}")]


def released_trips(plan: Plan, drawn: MeasuredTrips) -> ReleasedTrips:
    """What is released of what was drawn."""
    ends = margins(drawn)
    return ReleasedTrips(plan, drawn, ends, filled(drawn.pairs, ends))
