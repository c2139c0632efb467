"""A release of areas as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

from starling.places.areas.artifact import columns, pages, public_plan
from starling.places.areas.measurements import AreaMeasurements
from starling.places.areas.mechanism import AreaCounts
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.postprocess import estimates
from starling.places.arrays import Int64
from starling.places.artifact.plan_files import AREAS, MEASUREMENTS, PLAN
from starling.release.checks import TABLES, Checks
from starling.release.of_plan import Kind, PlanContents, PlanPublication

CHECKS: Final = Checks(
    {
        MEASUREMENTS: "every node of every level of the public areas is measured once in each slice",
        TABLES: "points of areas, and of what lies above them, are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one point or person; nothing is exact",
)


@dataclass(frozen=True, slots=True)
class AreasPublication(PlanPublication[Int64, AreaMeasurements]):
    """A `release.domain.Publication`."""

    plan: AreasPlan
    domain: Final = "places"
    kind: ClassVar[Kind] = Kind("places by area", 1, public_plan, columns, pages)
    notes = MappingProxyType({PLAN: "The public plan", AREAS: "The public areas"})
    checks: ClassVar[Checks | None] = CHECKS

    @property
    def measuring(self) -> AreaCounts:
        """The mechanism of the plan."""
        return AreaCounts(self.plan)

    def contents(self, folder: Path, drawn: AreaMeasurements) -> PlanContents:  # noqa: ARG002 - nothing else is in it
        """The table slice by slice, from what was drawn."""
        estimated = estimates(self.plan, drawn)
        return PlanContents(
            partial(columns.pieces, self.plan, estimated), partial(pages.sections, self.plan, estimated)
        )

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """How many areas there are, and where."""
        slices = f" in each of {len(self.plan.slice_names):,} slices" if self.plan.slices is not None else ""
        return [("areas", f"{len(self.plan.areas):,} areas{slices} in {data / 'areas.parquet'}")]
