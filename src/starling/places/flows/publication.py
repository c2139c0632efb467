"""A release of flows as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import pyarrow as pa

from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.artifact import columns, pages
from starling.places.flows.artifact.public_plan import (
    AREAS,
    MEASUREMENTS,
    PLAN,
    read_measurements,
    read_plan,
    write_measurements,
    write_plan,
)
from starling.places.flows.measurements import Drawn
from starling.places.flows.mechanism import PairsOfLevels
from starling.places.flows.plan import Plan
from starling.places.flows.plan.levels import Int64
from starling.places.flows.postprocess import estimate
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Mechanism
from starling.release.checks import TABLES, Checks
from starling.release.commitment import Written
from starling.release.datapackage import Sheet
from starling.release.domain import Publication
from starling.release.encrypted import Create
from starling.release.registry import Product
from starling.release.statement import Particulars
from starling.release.table_files import Table

CHECKS: Final = Checks(
    {
        MEASUREMENTS: "every pair of nodes of every pair of levels that the plan measures has one number",
        TABLES: "trips are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one trip or person; nothing is exact",
)
VERSION: Final = 1
"""Of the meaning of a request; it grows when the same plan would be answered by another distribution."""


def mechanism_of(plan: Plan) -> PairsOfLevels:
    """The mechanism of a plan."""
    return PairsOfLevels(plan.levels, plan.relation, plan.cost, plan.trips)


@dataclass(frozen=True, slots=True)
class FlowsPublication(Publication[Int64, Drawn]):
    """A `release.domain.Publication`."""

    plan: Plan
    domain: Final = "places"
    checks: ClassVar[Checks | None] = CHECKS
    notes = MappingProxyType({PLAN: "The public plan", AREAS: "The public areas"})

    @property
    def request(self) -> str:
        """A digest of every public choice."""
        return canonical({"release": "places.flows", "version": VERSION, "plan": self.plan.digest})

    @property
    def guarantee(self) -> Guarantee:
        """That of the plan's mechanism."""
        return mechanism_of(self.plan).guarantee

    @property
    def particulars(self) -> Particulars:
        """The plan's choices and shares."""
        return pages.particulars(self.plan)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget by pairs of levels."""
        return pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """Trips by pair of nodes."""
        return columns.tables(self.plan)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements."""
        return columns.sheets(self.plan)

    def mechanism(self, folder: Path, create: Create) -> Mechanism[Int64, Drawn]:  # noqa: ARG002 - all is in the draw
        """What the plan measures; it is written as soon as it is drawn."""
        return Written(mechanism_of(self.plan), partial(write_measurements, create, self.plan))

    def read(self, folder: Path) -> Drawn:
        """The noisy numbers of each pair of levels."""
        return read_measurements(folder, self.plan)

    def contents(self, folder: Path, drawn: Drawn) -> "_Contents":  # noqa: ARG002 - nothing else is in it
        """The table, from what was drawn."""
        return _Contents(released_flows(self.plan, drawn))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The table."""
        slices = "" if self.plan.slices is None else f" in each of {len(self.plan.slice_names):,} slices"
        many = f"{self.plan.levels.areas**2:,} pairs of areas{slices}"
        return [("flows", f"{many}, and those of larger ones, in {data / 'flows.parquet'}")]

    def write_plan(self, folder: Path) -> None:
        """Write the plan and its areas."""
        write_plan(folder, self.plan)


def released_flows(plan: Plan, drawn: Drawn) -> tuple[ReleasedFlows, ...]:
    """What is released of what was drawn, slice by slice."""
    return tuple(
        ReleasedFlows(plan, estimate(plan.levels, plan.cost, tuple(each[at] for each in drawn)), at)
        for at in range(len(plan.slice_names))
    )


def reopened(folder: Path) -> FlowsPublication:
    """That of a release, from the public choices in its folder; raises as `read_plan` does."""
    return FlowsPublication(read_plan(folder))


@dataclass(frozen=True, slots=True)
class _Contents:
    """A `release.domain.Contents`."""

    released: tuple[ReleasedFlows, ...]

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        return columns.pieces(self.released)

    def sections(self) -> Sequence[Section]:
        return pages.sections(self.released)
