"""A release of group sizes as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import pyarrow as pa

from starling.groups import artifact
from starling.groups.artifact import MEASUREMENTS, PLAN, columns, pages
from starling.groups.inference.methods import fit
from starling.groups.measurements import Measured
from starling.groups.mechanism import NoisyCounts
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.postprocess import Conditions, conditions
from starling.release.checks import TABLES, Checks, InvalidRelease
from starling.release.of_plan import Kind, PlanContents, PlanPublication

CONDITIONS: Final = "conditions"
INTERVALS: Final = "intervals"
CHECKS: Final = Checks(
    {
        MEASUREMENTS: "measured is every size of every region of the plan, an integer each",
        CONDITIONS: "numbers of groups are integers from 0 on that add up over regions and to the public totals, or the plan's"
        " method says that they need not; they are what the measurements give",
        INTERVALS: "standard errors and intervals are those of the noise around the measurements",
        TABLES: "means, quantiles and all other columns are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one member or event of an existing group; exact are public totals alone",
    columns={
        "groups": CONDITIONS,
        "at_least": CONDITIONS,
        **{
            name: INTERVALS
            for name in (*columns.SIZES.names, *columns.REGION_TABLE.names)
            if name.endswith(("lower", "upper", "standard_error"))
        },
    },
)


@dataclass(frozen=True, slots=True)
class GroupsPublication(PlanPublication[Int64, Measured]):
    """A `release.domain.Publication`.

    Attributes:
        plan: The public choices.
    """

    plan: Plan
    domain: Final = "groups"
    kind: ClassVar[Kind] = Kind("groups", 2, artifact, columns, pages)
    notes = MappingProxyType({PLAN: "The public plan"})

    @property
    def measuring(self) -> NoisyCounts:
        """The mechanism of the plan."""
        return NoisyCounts(self.plan)

    def contents(self, folder: Path, drawn: Measured) -> PlanContents:  # noqa: ARG002 - nothing else is in it
        """The tables level by level, from what was drawn."""
        projection = fit(self.plan, drawn)
        pieces = partial(_pieces, self.plan, drawn, projection.levels)
        return PlanContents(pieces, partial(pages.sections, self.plan, drawn, projection))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The regions of each level."""
        levels = zip(self.plan.regions.levels, self.plan.regions.ids, strict=True)
        return [
            (level, f"{len(ids):,} {'region' if len(ids) == 1 else 'regions'} in {data / level}.parquet")
            for level, ids in levels
        ]


def _pieces(plan: Plan, drawn: Measured, published: tuple[Int64, ...]) -> Iterator[Mapping[str, pa.Table]]:
    if plan.method != "h_relaxed" and conditions(plan, published) != Conditions(0, 0, 0):
        raise InvalidRelease(CONDITIONS, PLAN, "leads to numbers that break the conditions")
    return columns.pieces(plan, drawn, published)
