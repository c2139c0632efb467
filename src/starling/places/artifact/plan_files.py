"""Public files of releases of all kinds: the plan as the keys of its file, with its public areas, and measurements as Parquet."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError
from starling.places.plan.records import PlanOfRecords
from starling.release import public_json
from starling.release.checks import InvalidRelease
from starling.release.codec import Json
from starling.release.datapackage import Sheet
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.table_files import column

PLAN: Final = "plan/plan.json"
AREAS: Final = "plan/areas.geojson"
"""The public areas, of a plan that has some."""
MEASUREMENTS: Final = "measurements"
"""The name of the check, and of the folder."""
PlanT = TypeVar("PlanT", bound=PlanOfRecords)


def write_plan(folder: Path, plan: PlanOfRecords) -> None:
    """Write the plan and its areas, if it has some, below `folder`."""
    (folder / "plan").mkdir()
    public_json.write(folder, PLAN, plan.values())
    if (areas := _areas(plan)) is not None:
        (folder / AREAS).write_bytes(areas)


def read_plan(folder: Path, kind: type[PlanT]) -> PlanT:
    """The plan of a kind that `write_plan` wrote. Raises IntegrityError where the files are not what it writes, and PlanError where they
    state a plan that cannot be.
    """
    plan = public_json.read(folder, PLAN, lambda values: kind.of(values, folder=folder / "plan"), kind.values)
    areas = _areas(plan)
    if areas is not None and (folder / AREAS).read_bytes() != areas:
        raise IntegrityError(AREAS, "is not as Starling writes it", DOWNLOAD_AGAIN)
    return plan


def _areas(plan: Any) -> bytes | None:
    """The file of the areas of a plan; None where it has none."""
    text: str | None = plan.areas.text() if hasattr(plan, "areas") else None
    return None if text is None else text.encode()


def stated(plan: PlanOfRecords) -> dict[str, Json]:
    """What privacy.json says of any plan: where it is, and what its records are."""
    return {"plan": PLAN, "plan_sha256": plan.digest, plan.record: getattr(plan, plan.record)}


def read_rows(
    folder: Path, name: str, schema: pa.Schema, problem: str = "has other columns than a release writes"
) -> pa.Table:
    """The rows of a file of measurements; raises InvalidRelease, with a problem, where it has other columns, or is no Parquet."""
    try:
        with pq.ParquetFile(folder / name) as file:
            if not file.schema_arrow.equals(schema):
                raise InvalidRelease(MEASUREMENTS, name, problem)
            return file.read()
    except (OSError, pa.ArrowException):
        raise InvalidRelease(MEASUREMENTS, name, "cannot be read as Parquet") from None


def has_nulls(table: pa.Table) -> bool:
    """Whether a value of a table is missing."""
    return any(column.null_count for column in table.columns)


def sheet(path: str, title: str, schema: pa.Schema, words: Mapping[str, str]) -> Sheet:
    """A file of measurements for the data package, with what each column says."""
    return Sheet(path, title, tuple(column(each.name, each.type, words[each.name]) for each in schema))
