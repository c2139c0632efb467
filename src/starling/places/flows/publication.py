"""A release of flows as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

from starling.places.arrays import Int64
from starling.places.artifact.plan_files import AREAS, MEASUREMENTS, PLAN
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.artifact import columns, pages, public_plan
from starling.places.flows.measurements import Drawn
from starling.places.flows.mechanism import PairsOfLevels
from starling.places.flows.plan import Plan
from starling.places.flows.postprocess import estimate
from starling.release.checks import TABLES, Checks
from starling.release.of_plan import Kind, PlanContents, PlanPublication

CHECKS: Final = Checks(
    {
        MEASUREMENTS: "every pair of nodes of every pair of levels that the plan measures has one number",
        TABLES: "trips are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one trip or person; nothing is exact",
)


def mechanism_of(plan: Plan) -> PairsOfLevels:
    """The mechanism of a plan."""
    return PairsOfLevels(plan.levels, plan.relation, plan.cost, plan.legs, plan.counted)


@dataclass(frozen=True, slots=True)
class FlowsPublication(PlanPublication[Int64, Drawn]):
    """A `release.domain.Publication`."""

    plan: Plan
    domain: Final = "places"
    kind: ClassVar[Kind] = Kind("places.flows", 1, public_plan, columns, pages)
    checks: ClassVar[Checks | None] = CHECKS
    notes = MappingProxyType({PLAN: "The public plan", AREAS: "The public areas"})

    @property
    def measuring(self) -> PairsOfLevels:
        """The mechanism of the plan."""
        return mechanism_of(self.plan)

    def contents(self, folder: Path, drawn: Drawn) -> PlanContents:  # noqa: ARG002 - nothing else is in it
        """The table, from what was drawn."""
        released = released_flows(self.plan, drawn)
        return PlanContents(partial(columns.pieces, released), partial(pages.sections, released))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The table."""
        slices = "" if self.plan.slices is None else f" in each of {len(self.plan.slice_names):,} slices"
        many = f"{self.plan.levels.areas**2:,} pairs of areas{slices}"
        return [("flows", f"{many}, and those of larger ones, in {data / 'flows.parquet'}")]


def released_flows(plan: Plan, drawn: Drawn) -> tuple[ReleasedFlows, ...]:
    """What is released of what was drawn, slice by slice."""
    return tuple(
        ReleasedFlows(plan, estimate(plan.levels, plan.cost, tuple(each[at] for each in drawn)), at)
        for at in range(len(plan.slice_names))
    )
