"""A release of group sizes as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pyarrow as pa

from starling.groups.artifact import (
    MEASUREMENTS,
    PLAN,
    columns,
    pages,
    read_measurements,
    write_measurements,
    write_plan,
)
from starling.groups.measurements import Measured
from starling.groups.mechanism import NoisyCounts
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.postprocess import Estimated, conditions, estimate
from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.privacy.trust import Mechanism
from starling.release.checks import TABLES, Checks, InvalidRelease
from starling.release.commitment import Written
from starling.release.datapackage import Sheet
from starling.release.domain import Publication
from starling.release.encrypted import Create
from starling.release.registry import Product
from starling.release.statement import Particulars
from starling.release.table_files import Table

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
VERSION: Final = 2
"""Of the meaning of a request; it grows when the same plan would be answered by another distribution."""


@dataclass(frozen=True, slots=True)
class GroupsPublication(Publication[Int64, Measured]):
    """A `release.domain.Publication`.

    Attributes:
        plan: The public choices.
    """

    plan: Plan
    domain: Final = "groups"
    notes = MappingProxyType({PLAN: "The public plan"})

    @property
    def request(self) -> str:
        """A digest of every public choice."""
        return canonical({"release": "groups", "version": VERSION, "plan": self.plan.digest})

    @property
    def particulars(self) -> Particulars:
        """The plan's choices and each level's noise."""
        return pages.particulars(self.plan)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget and noise of each level."""
        return pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """One for each level, and one of all regions."""
        return columns.tables(self.plan)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements, level by level."""
        return columns.sheets(self.plan)

    def mechanism(self, folder: Path, create: Create) -> Mechanism[Int64, Measured]:  # noqa: ARG002 - all is in the draw
        """What the plan measures; it is written as soon as it is drawn."""
        return Written(NoisyCounts(self.plan), partial(write_measurements, create, self.plan))

    def read(self, folder: Path) -> Measured:
        """The measurements."""
        return read_measurements(folder, self.plan)

    def contents(self, folder: Path, drawn: Measured) -> "_Contents":  # noqa: ARG002 - nothing else is in it
        """The tables, from what was drawn."""
        return _Contents(self.plan, estimate(self.plan, drawn))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """The regions of each level."""
        levels = zip(self.plan.regions.levels, self.plan.regions.ids, strict=True)
        return [
            (level, f"{len(ids):,} {'region' if len(ids) == 1 else 'regions'} in {data / level}.parquet")
            for level, ids in levels
        ]

    def write_plan(self, folder: Path) -> None:
        """Write the plan and its regions."""
        write_plan(folder, self.plan)


class _Contents:
    """A `release.domain.Contents`: the tables level by level."""

    def __init__(self, plan: Plan, estimated: Estimated) -> None:
        self._plan, self._estimated = plan, estimated

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        batch = conditions(self._plan, self._estimated.levels)
        if self._plan.method != "h_relaxed" and any((batch.consistency, batch.validity, batch.faithfulness)):
            raise InvalidRelease(CONDITIONS, PLAN, "leads to numbers that break the conditions")
        return columns.pieces(self._plan, self._estimated)

    def sections(self) -> Sequence[Section]:
        return pages.sections(self._plan, self._estimated)
