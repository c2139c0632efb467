"""A release of points as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

from starling.errors import number_of
from starling.places.artifact import columns, pages, public_plan
from starling.places.artifact.plan_files import MEASUREMENTS, PLAN
from starling.places.artifact.public_plan import SLICES
from starling.places.measurements import Measured
from starling.places.mechanism.table import mechanism_of
from starling.places.occupied import Counted
from starling.places.plan import Plan
from starling.places.plan.choices import ADAPTIVE, EARLIER
from starling.places.postprocess import estimate
from starling.privacy.trust import Mechanism
from starling.release.checks import TABLES, Checks
from starling.release.of_plan import Kind, PlanContents, PlanPublication

CHECKS: Final = Checks(
    {
        MEASUREMENTS: "boxes are cut from the public grid, and no path of them has noise that costs more than the plan's epsilon",
        TABLES: "points of cells and boxes are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one point or person; nothing is exact",
)


@dataclass(frozen=True, slots=True)
class PlacesPublication(PlanPublication[Counted, tuple[Measured, ...]]):
    """A `release.domain.Publication`."""

    plan: Plan
    domain: Final = "places"
    kind: ClassVar[Kind] = Kind("places", 1, public_plan, columns, pages)
    notes = MappingProxyType({PLAN: "The public plan", SLICES: "What was measured in each slice"})

    @property
    def formerly(self) -> "tuple[PlacesPublication, ...]":
        """Before 0.3 `adaptive` had another rule, and no plan file said for what it is."""
        changed = self.plan.method == ADAPTIVE and self.plan.purpose == "all"
        return (PlacesPublication(replace(self.plan, purpose=EARLIER)),) if changed else ()

    @property
    def measuring(self) -> Mechanism[Counted, tuple[Measured, ...]]:
        """The mechanism of the plan."""
        return mechanism_of(self.plan)

    def contents(self, folder: Path, drawn: tuple[Measured, ...]) -> PlanContents:  # noqa: ARG002 - nothing else is in it
        """The tables slice by slice, from what was drawn."""
        estimates = tuple(estimate(self.plan.method, each, self.plan.purpose) for each in drawn)
        return PlanContents(
            partial(columns.pieces, self.plan, estimates), partial(pages.sections, self.plan, drawn, estimates)
        )

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The cells, unless they are too many for a table, and the boxes."""
        cells = (
            []
            if self.plan.grid.sparse
            else [("cells", f"{number_of(self.plan.cells, 'cell')} in {data / 'cells.parquet'}")]
        )
        return [*cells, ("boxes", f"{data / 'boxes.parquet'}")]
