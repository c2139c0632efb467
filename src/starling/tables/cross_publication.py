"""A release of cross tables as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import pyarrow as pa

from starling.pages.parts import Section
from starling.release.checks import Checks
from starling.release.codec import Json
from starling.release.datapackage import Sheet
from starling.release.domain import Publication
from starling.release.encrypted import Create
from starling.release.registry import Product
from starling.release.statement import Particulars
from starling.release.table_files import Table
from starling.tables.artifact import cross, cross_pages
from starling.tables.artifact.public_plan import PLAN, REGIONS
from starling.tables.measurements import CrossMeasurements
from starling.tables.mechanism.residuals import ExactParts, Residuals
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess.cross import table_names, tabulate_cross
from starling.tables.publication import OfPlan, TablesPublication

MOST_SHOWN: Final = 12
"""Regions in the report."""


@dataclass(frozen=True, slots=True)
class CrossPublication(OfPlan, Publication[ExactParts, CrossMeasurements]):
    """A `release.domain.Publication` of a plan with cross tables."""

    checks: ClassVar[Checks | None] = cross.CHECKS

    @property
    def particulars(self) -> Particulars:
        """The noise of every part, and the margins of every table."""
        stated = {"plan": PLAN, "regions": REGIONS, "title": self.plan.title, **cross.parameters(self.plan)}
        bounds = {"records_of_a_person": self.plan.records_of_one, **self.plan.records.bounds}
        return Particulars("tables", stated, bounds)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return cross_pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget of each level."""
        return cross_pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """A table for each set of columns."""
        return cross.tables(self.plan)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements, level by level."""
        return cross.sheets(self.plan)

    def mechanism(self, folder: Path, create: Create) -> Residuals:
        """The residuals of all tables."""
        return Residuals(self.plan, partial(cross.keep_cross, folder, create, self.plan, self.regions))

    def read(self, folder: Path) -> CrossMeasurements:
        """The measurements that were drawn for this release."""
        return cross.read_cross(folder, self.plan, self.regions)

    def contents(self, folder: Path, drawn: CrossMeasurements) -> "_Contents":  # noqa: ARG002 - all is in what was drawn
        """The tables, from what was drawn."""
        return _Contents(self.plan, self.regions, drawn)

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """How many tables there are, and their rows in all."""
        rows = sum(table.rows or 0 for table in self.tables)
        return [("tables", f"{len(self.tables):,} with {rows:,} rows in {data}")]

    def outcome_json(self, data: Path) -> dict[str, Json]:  # noqa: ARG002 - the plan says all
        """The rows of each table."""
        return {"adds_to": [], "rows": {table.name: table.rows for table in self.tables}}


def publication_of(plan: Plan, regions: Geography) -> CrossPublication | TablesPublication:
    """The release of a plan that stands alone."""
    return TablesPublication(plan, regions) if plan.cross is None else CrossPublication(plan, regions)


class _Contents:
    """A `release.domain.Contents`: a table for each set of columns."""

    def __init__(self, plan: Plan, regions: Geography, drawn: CrossMeasurements) -> None:
        self._plan, self._regions, self._drawn = plan, regions, drawn
        self._first: dict[str, str] = {}

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        choices = cross.of_plan(self._plan)
        names = dict(zip(choices.tables, table_names(choices), strict=True))
        for level, table, rows in tabulate_cross(self._plan, self._regions, self._drawn):
            if not table and not level:
                for row in rows.slice(0, MOST_SHOWN).to_pylist():
                    text = f"{row['count']:z,.1f}: {row['lower']:z,.1f} to {row['upper']:z,.1f}"
                    self._first[row.get("region_name", "All")] = text
            yield MappingProxyType({names[table]: rows})

    def sections(self) -> Sequence[Section]:
        return cross_pages.sections(self._plan, self._first)
