"""A release of trips on a grid as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import pyarrow as pa

from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.places.trips.answers.released import ReleasedTrips
from starling.places.trips.artifact import columns, pages
from starling.places.trips.artifact.public_plan import (
    MEASUREMENTS,
    PLAN,
    mechanism_of,
    read_measurements,
    read_plan,
    write_measurements,
    write_plan,
)
from starling.places.trips.measurements import MeasuredTrips, Trips
from starling.places.trips.plan import Plan
from starling.places.trips.postprocess import filled, margins
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
        MEASUREMENTS: "the numbers are as many as the boxes that the plan's rule cuts by them, with the noise that it gives each",
        TABLES: "trips are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one trip or person; nothing is exact",
)
VERSION: Final = 1
"""Of the meaning of a request; it grows when the same plan would be answered by another distribution."""


@dataclass(frozen=True, slots=True)
class TripsPublication(Publication[Trips, MeasuredTrips]):
    """A `release.domain.Publication`."""

    plan: Plan
    domain: Final = "places"
    checks: ClassVar[Checks | None] = CHECKS
    notes = MappingProxyType({PLAN: "The public plan"})

    @property
    def request(self) -> str:
        """A digest of every public choice."""
        return canonical({"release": "places.trips", "version": VERSION, "plan": self.plan.digest})

    @property
    def guarantee(self) -> Guarantee:
        """That of the plan's mechanism."""
        return mechanism_of(self.plan).guarantee

    @property
    def particulars(self) -> Particulars:
        """The plan's choices and budget."""
        return pages.particulars(self.plan)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget by what is measured."""
        return pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """Trips by pair of boxes, ends by cell."""
        return columns.tables(self.plan)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements."""
        return columns.sheets()

    def mechanism(self, folder: Path, create: Create) -> Mechanism[Trips, MeasuredTrips]:  # noqa: ARG002 - all is in the draw
        """What the plan measures; it is written as soon as it is drawn."""
        return Written(mechanism_of(self.plan), partial(write_measurements, create))

    def read(self, folder: Path) -> MeasuredTrips:
        """What was drawn, from its noisy numbers."""
        return read_measurements(folder, self.plan)

    def contents(self, folder: Path, drawn: MeasuredTrips) -> "_Contents":  # noqa: ARG002 - nothing else is in it
        """The tables, from what was drawn."""
        return _Contents(released_trips(self.plan, drawn))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The tables."""
        return [("flows", f"pairs of boxes in {data / 'flows.parquet'}"), ("ends", f"{data / 'cells.parquet'}")]

    def write_plan(self, folder: Path) -> None:
        """Write the plan."""
        write_plan(folder, self.plan)


def released_trips(plan: Plan, drawn: MeasuredTrips) -> ReleasedTrips:
    """What is released of what was drawn."""
    ends = margins(drawn)
    return ReleasedTrips(plan, drawn, ends, filled(drawn.pairs, ends))


def reopened(folder: Path) -> TripsPublication:
    """That of a release, from the public choices in its folder; raises as `read_plan` does."""
    return TripsPublication(read_plan(folder))


@dataclass(frozen=True, slots=True)
class _Contents:
    """A `release.domain.Contents`."""

    released: ReleasedTrips

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        return columns.pieces(self.released)

    def sections(self) -> Sequence[Section]:
        return pages.sections(self.released)
