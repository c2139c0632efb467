"""A release of areas as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import pyarrow as pa

from starling.hierarchy.trees import Estimated
from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.places.areas.artifact import columns, pages
from starling.places.areas.artifact.public_plan import (
    AREAS,
    MEASUREMENTS,
    PLAN,
    read_measurements,
    read_plan,
    write_measurements,
    write_plan,
)
from starling.places.areas.measurements import AreaMeasurements
from starling.places.areas.mechanism import AreaCounts
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Int64
from starling.places.areas.postprocess import estimates
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
        MEASUREMENTS: "every node of every level of the public areas is measured once in each slice",
        TABLES: "points of areas, and of what lies above them, are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one point or person; nothing is exact",
)
VERSION: Final = 1
"""Of the meaning of a request; it grows when the same plan would be answered by another distribution."""


@dataclass(frozen=True, slots=True)
class AreasPublication(Publication[Int64, AreaMeasurements]):
    """A `release.domain.Publication`."""

    plan: AreasPlan
    domain: Final = "places"
    notes = MappingProxyType({PLAN: "The public plan", AREAS: "The public areas"})
    checks: ClassVar[Checks | None] = CHECKS

    @property
    def request(self) -> str:
        """A digest of every public choice."""
        return canonical({"release": "places by area", "version": VERSION, "plan": self.plan.digest})

    @property
    def guarantee(self) -> Guarantee:
        """That of the plan's mechanism."""
        return AreaCounts(self.plan).guarantee

    @property
    def particulars(self) -> Particulars:
        """The plan's choices and the budget of each level."""
        return pages.particulars(self.plan)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget of each level."""
        return pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """Points by area."""
        return columns.tables(self.plan)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements."""
        return columns.sheets()

    def mechanism(self, folder: Path, create: Create) -> Mechanism[Int64, AreaMeasurements]:  # noqa: ARG002 - all is in the draw
        """What the plan measures; it is written as soon as it is drawn."""
        return Written(AreaCounts(self.plan), partial(write_measurements, create))

    def read(self, folder: Path) -> AreaMeasurements:
        """The measurements of each level."""
        return read_measurements(folder, self.plan)

    def contents(self, folder: Path, drawn: AreaMeasurements) -> "_Contents":  # noqa: ARG002 - nothing else is in it
        """The table, from what was drawn."""
        return _Contents(self.plan, estimates(self.plan, drawn))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """How many areas there are, and where."""
        slices = f" in each of {len(self.plan.slice_names):,} slices" if self.plan.slices is not None else ""
        return [("areas", f"{len(self.plan.areas):,} areas{slices} in {data / 'areas.parquet'}")]

    def write_plan(self, folder: Path) -> None:
        """Write the plan and its areas."""
        write_plan(folder, self.plan)


def reopened(folder: Path) -> AreasPublication:
    """That of a release, from the public choices in its folder; raises as `read_plan` does."""
    return AreasPublication(read_plan(folder))


@dataclass(frozen=True, slots=True)
class _Contents:
    """A `release.domain.Contents`: the table slice by slice."""

    plan: AreasPlan
    estimated: Sequence[Estimated]

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        return columns.pieces(self.plan, self.estimated)

    def sections(self) -> Sequence[Section]:
        return pages.sections(self.plan, self.estimated)
