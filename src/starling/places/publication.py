"""A release of points as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pyarrow as pa

from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.places.artifact import columns, pages
from starling.places.artifact.public_plan import (
    MEASUREMENTS,
    PLAN,
    SLICES,
    read_measurements,
    read_plan,
    write_measurements,
    write_plan,
)
from starling.places.measurements import Measured
from starling.places.mechanism.table import mechanism_of
from starling.places.occupied import Counted
from starling.places.plan import Plan
from starling.places.plan.choices import ADAPTIVE, EARLIER
from starling.places.postprocess import Estimate, estimate
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
        MEASUREMENTS: "boxes are cut from the public grid, and no path of them has noise that costs more than the plan's epsilon",
        TABLES: "points of cells and boxes are what plan and measurements give",
    },
    privacy="mechanism and cost are those of the plan, for one point or person; nothing is exact",
)
VERSION: Final = 1
"""Of the meaning of a request; it grows when the same plan would be answered by another distribution."""


@dataclass(frozen=True, slots=True)
class PlacesPublication(Publication[Counted, tuple[Measured, ...]]):
    """A `release.domain.Publication`."""

    plan: Plan
    domain: Final = "places"
    notes = MappingProxyType({PLAN: "The public plan", SLICES: "What was measured in each slice"})

    @property
    def request(self) -> str:
        """A digest of every public choice."""
        return canonical({"release": "places", "version": VERSION, "plan": self.plan.digest})

    @property
    def formerly(self) -> "tuple[PlacesPublication, ...]":
        """Before 0.3 `adaptive` had another rule, and no plan file said for what it is."""
        changed = self.plan.method == ADAPTIVE and self.plan.purpose == "all"
        return (PlacesPublication(replace(self.plan, purpose=EARLIER)),) if changed else ()

    @property
    def guarantee(self) -> Guarantee:
        """That of the plan's mechanism."""
        return mechanism_of(self.plan).guarantee

    @property
    def particulars(self) -> Particulars:
        """The plan's choices and the method's budget."""
        return pages.particulars(self.plan)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget of the method."""
        return pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """Points by cell, and by box."""
        return columns.tables(self.plan)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements."""
        return columns.sheets()

    def mechanism(self, folder: Path, create: Create) -> Mechanism[Counted, tuple[Measured, ...]]:  # noqa: ARG002 - all is in the draw
        """What the plan measures; it is written as soon as it is drawn."""
        return Written(mechanism_of(self.plan), partial(write_measurements, create))

    def read(self, folder: Path) -> tuple[Measured, ...]:
        """The measurements of each slice."""
        return read_measurements(folder, self.plan)

    def contents(self, folder: Path, drawn: tuple[Measured, ...]) -> "_Contents":  # noqa: ARG002 - nothing else is in it
        """The tables, from what was drawn."""
        return _Contents(self.plan, drawn, tuple(estimate(self.plan.method, each) for each in drawn))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The cells, unless they are too many for a table, and the boxes."""
        cells = [] if self.plan.grid.sparse else [("cells", f"{self.plan.cells:,} cells in {data / 'cells.parquet'}")]
        return [*cells, ("boxes", f"{data / 'boxes.parquet'}")]

    def write_plan(self, folder: Path) -> None:
        """Write the plan."""
        write_plan(folder, self.plan)


def reopened(folder: Path) -> PlacesPublication:
    """That of a release, from the public choices in its folder; raises as `read_plan` does."""
    return PlacesPublication(read_plan(folder))


@dataclass(frozen=True, slots=True)
class _Contents:
    """A `release.domain.Contents`: the tables slice by slice."""

    plan: Plan
    drawn: tuple[Measured, ...]
    estimates: tuple[Estimate, ...]

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        return columns.pieces(self.plan, self.estimates)

    def sections(self) -> Sequence[Section]:
        return pages.sections(self.plan, self.drawn, self.estimates)
