"""A release of tables as the frame publishes and verifies it: what is charged and drawn for a plan, and what follows from it."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import number_of
from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.release.claims import amount
from starling.release.codec import Json, digest
from starling.release.datapackage import Sheet
from starling.release.domain import Publication
from starling.release.encrypted import Create
from starling.release.registry import Product
from starling.release.statement import Particulars
from starling.release.table_files import Table
from starling.tables.artifact import aggregates, columns, pages
from starling.tables.artifact.columns import EARLIER, measurements_path, place_of
from starling.tables.artifact.measured import keep_measurements, read_measurements, with_earlier
from starling.tables.artifact.pages import Summary
from starling.tables.artifact.public_plan import (
    PLAN,
    REGIONS,
    census_parts,
    particulars,
    product,
    record_fields,
    write_plan,
)
from starling.tables.earlier.releases import ToppedUp
from starling.tables.measurements import Measurements
from starling.tables.mechanism import Remeasurement, SafeTab
from starling.tables.mechanism.aggregates import Aggregation, Exact, Measuring
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import Tabulated, tabulate
from starling.tables.postprocess.aggregates import tabulate_aggregates


@dataclass(frozen=True, slots=True)
class OfPlan:
    """What the release of any plan of tables states.

    Attributes:
        plan: The public choices, with what the release adds to.
        regions: The public regions of the plan.
    """

    plan: Plan
    regions: Geography
    domain: ClassVar[str] = "tables"
    notes: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            PLAN: "The public plan: budgets, thresholds, definitions of groups",
            REGIONS: "The public regions of each geography level, with their names",
        }
    )

    @property
    def request(self) -> str:
        """Digests of plan and geography."""
        return request_body(self.plan, self.regions)

    def write_plan(self, folder: Path) -> None:
        """Write the plan and its regions."""
        write_plan(folder, self.plan, self.regions)


@dataclass(frozen=True, slots=True)
class TablesPublication(OfPlan, Publication[Exact, Measurements]):
    """A `release.domain.Publication`.

    Attributes:
        topped_up: The open release that this one adds to; None where it stands alone, and where a folder is verified.
    """

    topped_up: ToppedUp | None = None

    @property
    def particulars(self) -> Particulars:
        """The plan's choices, each level's noise, and the releases that the plan adds to."""
        return particulars(self.plan, self.regions)

    @property
    def product(self) -> Product:
        """The plan in words."""
        return product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget and the noise of each level."""
        return pages.charged(self.plan)

    @property
    def tables(self) -> Sequence[Table]:
        """T1 and T2 of a plan with levels, T3 of one with aggregates."""
        counts = columns.tables(self.plan) if self.plan.levels else ()
        return (*counts, aggregates.table(self.plan)) if self.plan.aggregates else counts

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The measurements, level by level, and those of aggregates."""
        return [*columns.measured_sheets(self.plan), *aggregates.sheets(self.plan)]

    @property
    def earlier(self) -> Mapping[str, str]:
        """The measurements that the releases published which the plan adds to."""
        return {
            measurements_path(level, place_of(back)): digest
            for back, each in enumerate(self.plan.variants.releases, 1)
            for level, digest in zip(self.plan.levels, each.measurements, strict=True)
        }

    def prepare(self, folder: Path) -> None:
        """Copy the measurements of the earlier releases."""
        if self.topped_up is not None:
            self.topped_up.copy(folder)

    def mechanism(self, folder: Path, create: Create) -> Measuring | SafeTab | Remeasurement:
        """What the plan asks for."""
        keep = partial(keep_measurements, folder, create, self.plan, self.regions)
        levels = SafeTab(self.plan, self.regions, keep)
        if self.plan.aggregates:
            of_aggregates = partial(aggregates.keep_aggregates, folder, create, self.plan, self.regions)
            return Measuring(levels, Aggregation(self.plan, self.regions, of_aggregates))
        if self.plan.variants.top_up is None:
            return levels
        return Remeasurement(self.plan, read_measurements(folder, self.plan, self.regions, EARLIER), keep)

    def read(self, folder: Path) -> Measurements:
        """The measurements that were drawn for this release."""
        return read_measurements(folder, self.plan, self.regions)

    def contents(self, folder: Path, drawn: Measurements) -> "_Contents":
        """The tables, from what was drawn and from the measurements of earlier releases."""
        tabulated = tabulate(self.plan, self.regions, with_earlier(folder, self.plan, self.regions, drawn))
        sections = partial(pages.sections, self.plan, self.regions)
        return _Contents(Summary(self.plan, self.regions, folder), sections, tabulated, self._aggregated(folder))

    def _aggregated(self, folder: Path) -> Iterator[pa.Table]:
        """T3, from the noisy numbers in the folder; nothing where the plan has no aggregates."""
        drawn = aggregates.read_aggregates(folder, self.plan, self.regions)
        return tabulate_aggregates(self.plan, self.regions, drawn, hidden=aggregates.means_hidden(folder, self.plan))

    def outcome(self, data: Path) -> list[tuple[str, str]]:
        """What the release costs with those that it adds to, and the rows of each table."""
        plan = self.plan
        joint = f"{plan.joint_guarantee.cost}, with what it adds to"
        kind = "txt" if plan.wording.census_format else "csv"
        detail = " by ".join(attribute.name for attribute in plan.detail.attributes)
        named = {"t1": "totals", "t3": "statistics", **({"t2": detail} if plan.detail.steps else {})}
        rows = _rows(self.tables, data)
        shown = [
            (called, f"{number_of(rows[name], 'row')} in {data / name}.{'csv' if name == 't3' else kind}")
            for name, called in named.items()
            if name in rows
        ]
        return [*([("together", joint)] if plan.variants.top_up else []), *shown]

    def outcome_json(self, data: Path) -> dict[str, Json]:
        """The releases that it adds to, what all cost together, and the rows of each table."""
        return {
            "adds_to": [each.request_id for each in self.plan.variants.releases],
            "joint": amount(self.plan.joint_guarantee.cost),
            "rows": dict[str, Json](_rows(self.tables, data)),
        }


def _rows(tables: Sequence[Table], data: Path) -> dict[str, int]:
    """How many rows each of the published tables has."""
    return {table.name: int(pq.read_metadata(data / f"{table.name}.parquet").num_rows) for table in tables}


class _Contents:
    """A `release.domain.Contents`: T1, T2 and T3."""

    def __init__(
        self,
        summary: Summary,
        sections: Callable[[Summary], Sequence[Section]],
        parts: Iterable[Tabulated],
        aggregated: Iterable[pa.Table],
    ) -> None:
        self._summary, self._sections, self._parts, self._aggregated = summary, sections, parts, aggregated

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        for part in self._parts:
            self._summary.add(part)
            yield {"t1": part.t1, "t2": part.t2}
        for table in self._aggregated:
            self._summary.means.add(table)
            yield {"t3": table}

    def sections(self) -> Sequence[Section]:
        return self._sections(self._summary)


VERSION = 1
"""The version of the meaning of a request; it grows when the same plan would be answered by another distribution."""


def request_body(plan: Plan, geography: Geography) -> str:
    """Canonical JSON of the release of `plan` over `geography`: digests of every public choice, nothing of the records."""
    return canonical(
        {"release": "tables", "version": VERSION, "plan": plan_digest(plan), "geography": geography_digest(geography)}
    )


def plan_digest(plan: Plan) -> str:
    """SHA-256 over all fields of the plan but its title and what it has of the Census, hexadecimal."""
    left_out = {"title", "records", *census_parts(plan)}
    stated = {field.name: getattr(plan, field.name) for field in fields(plan) if field.name not in left_out}
    return digest(stated | record_fields(plan))


def geography_digest(geography: Geography) -> str:
    """SHA-256 over the blocks and the regions of each level with their names, hexadecimal."""
    state = hashlib.sha256()
    for column in geography.blocks.column_names:
        # Fixed numbers of digits, so as numbers they are the same, and quickly read.
        state.update(pc.cast(geography.blocks[column], pa.int64()).to_numpy().tobytes())
    for level, regions in geography.regions.items():
        state.update(f"{level}:{','.join(regions)}\n".encode())
        state.update(geography.region_of_unit[level].tobytes())
        state.update("\n".join(geography.names[level]).encode())
    return state.hexdigest()
