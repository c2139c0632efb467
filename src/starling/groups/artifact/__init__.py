"""What is public of a release, in its folder: the plan, its regions, and the noisy measurements, without the files that they came from.

plan/plan.json                 every choice; of a register the digest
plan/regions.parquet           the regions, level by level, with public totals where the plan has them
measurements/LEVEL.parquet     region, size and noisy count, every region and size of the plan in order
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError, PlanError
from starling.groups.measurements import Measured
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan, Regions, Register
from starling.groups.plan.regions import Row, leaf_totals, regions_of
from starling.planfile.spelling import name_problem
from starling.release import public_json
from starling.release.checks import InvalidRelease
from starling.release.codec import Json, decode, encode, text
from starling.release.encrypted import Create
from starling.release.manifest import DOWNLOAD_AGAIN

PLAN: Final = "plan/plan.json"
REGIONS: Final = "plan/regions.parquet"
MEASUREMENTS: Final = "measurements"
"""The name of the check, and of the folder."""
REGION_COLUMNS: Final = pa.schema([("region", pa.string()), ("parent", pa.string()), ("groups", pa.int64())])
REGION_FILE: Final = {
    "region": "Id of the region",
    "parent": "Id of the region that it lies in; empty for the root",
    "groups": "Public number of groups of a leaf; missing of other regions, and where only the number of all groups is public",
}
NOISY: Final = pa.schema(
    [("region", pa.dictionary(pa.int32(), pa.string())), ("size", pa.int64()), ("noisy", pa.int64())]
)
NOISY_WORDS: Final = {
    "region": "Id of the region, public",
    "size": "Size of the groups",
    "noisy": "Number of groups, with noise; may be negative",
}


def measurements_path(level: str) -> str:
    """The file of the measurements of a level."""
    return f"{MEASUREMENTS}/{level}.parquet"


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan and its regions below `folder`."""
    (folder / "plan").mkdir()
    public_json.write(folder, PLAN, encode(Plan, plan, _instead(plan)))
    pq.write_table(_region_table(plan.regions), folder / REGIONS, compression="zstd")


def _instead(plan: Plan) -> dict[str, Json]:
    """What stands for regions and register in the plan."""
    regions: dict[str, Json] = {"levels": list[Json](plan.regions.levels), "sha256": plan.regions.digest}
    return {"regions": regions, "register": None if plan.register is None else plan.register.sha256}


def _region_table(regions: Regions) -> pa.Table:
    ids, above = ([each for level in levels for each in level] for levels in (regions.ids, regions.above))
    totals = regions.totals or (None,) * len(regions.leaves)
    return pa.table([ids, above, [*[None] * (len(ids) - len(totals)), *totals]], REGION_COLUMNS)


def read_plan(folder: Path) -> Plan:
    """What `write_plan` wrote.

    Raises:
        IntegrityError: a file is not what it writes.
        PlanError, ParameterError: they state a plan that cannot be.
    """
    return public_json.read(folder, PLAN, partial(_plan_of, folder), lambda plan: encode(Plan, plan, _instead(plan)))


def _plan_of(folder: Path, data: Any) -> Plan:
    register = None if data["register"] is None else Register(text(data["register"]))
    levels = [text(level) for level in data["regions"]["levels"]]
    regions = _read_regions(folder, levels, data["totals"] == "region")
    if regions.digest != data["regions"]["sha256"]:
        raise IntegrityError(REGIONS, "is not what the plan was made with", DOWNLOAD_AGAIN)
    plan: Plan = decode(Plan, data, {"regions": regions, "register": register})
    return plan


def _read_regions(folder: Path, levels: list[str], totals: bool) -> Regions:
    try:
        with pq.ParquetFile(folder / REGIONS) as file:
            # No region has an empty id, so that each takes a byte: a small file does not become a large list.
            small = file.metadata.num_rows <= (folder / REGIONS).stat().st_size
            table = file.read() if small and file.schema_arrow.equals(REGION_COLUMNS) else REGION_COLUMNS.empty_table()
        rows = [Row(line, *each.values()) for line, each in enumerate(table.to_pylist(), 1)]
        named = not table["parent"].null_count and all(name_problem(row.region or "") is None for row in rows)
        regions = regions_of(rows if named else [], levels, REGIONS)
        if totals:
            regions = replace(regions, totals=leaf_totals(regions, {row.region: row.groups for row in rows}))
        if _region_table(regions).equals(table):
            return regions
    except (OSError, pa.ArrowException, PlanError):
        pass
    raise IntegrityError(REGIONS, "is not as Starling writes it", DOWNLOAD_AGAIN)


def write_measurements(create: Create, plan: Plan, measured: Measured) -> None:
    """Write the noisy counts; `create` makes the files."""
    for level, noisy in enumerate(measured):
        with (
            create(measurements_path(plan.regions.levels[level])) as file,
            pq.ParquetWriter(file, NOISY, compression="zstd", write_statistics=False) as writer,
        ):
            writer.write_table(pa.table([*labels(plan, plan.regions.ids[level]), pa.array(noisy.reshape(-1))], NOISY))


def labels(plan: Plan, ids: Sequence[str]) -> tuple[pa.DictionaryArray, pa.Array]:
    """Region and size of each row of a table of these regions, every size of each."""
    place = np.repeat(np.arange(len(ids), dtype=np.int32), plan.sizes)
    sizes = pa.array(np.tile(np.arange(plan.sizes), len(ids)))
    return pa.DictionaryArray.from_arrays(pa.array(place), pa.array(ids, pa.string())), sizes


def read_measurements(folder: Path, plan: Plan) -> Measured:
    """What `write_measurements` wrote.

    Raises:
        InvalidRelease: a file does not hold every region and size of the plan, in order, with an integer each.
    """
    return tuple(_read_level(folder, plan, level) for level in range(plan.levels))


def _read_level(folder: Path, plan: Plan, level: int) -> Int64:
    name = measurements_path(plan.regions.levels[level])
    shape = (len(plan.regions.ids[level]), plan.sizes)
    try:
        with pq.ParquetFile(folder / name) as file:
            if not file.schema_arrow.equals(NOISY) or file.metadata.num_rows != shape[0] * shape[1]:
                raise InvalidRelease(MEASUREMENTS, name, "has other columns or rows than the plan's regions and sizes")
            table = file.read()
    except (OSError, pa.ArrowException):
        raise InvalidRelease(MEASUREMENTS, name, "cannot be read as Parquet") from None
    regions, sizes = labels(plan, plan.regions.ids[level])
    same = table["region"].cast(pa.string()).equals(pa.chunked_array([regions.cast(pa.string())]))
    if not same or not table["size"].equals(pa.chunked_array([sizes])) or table["noisy"].null_count:
        raise InvalidRelease(MEASUREMENTS, name, "does not have the plan's regions and sizes in order")
    noisy: Int64 = table["noisy"].to_numpy().reshape(shape)
    return noisy
