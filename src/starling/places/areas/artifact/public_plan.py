"""What is public of a release of areas, in its folder: the plan, the areas, and the noisy counts as they were drawn.

plan/plan.json               every choice, as the keys of a plan file
plan/areas.geojson           the public areas in their canonical text, whose SHA-256 the plan has
measurements/counts.parquet  noisy counts: slice after slice, level after level, node after node
"""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.places.areas.measurements import AreaMeasurements
from starling.places.areas.mechanism import PricedPlan
from starling.places.areas.plan.model import AreasPlan
from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import MEASUREMENTS
from starling.release.checks import InvalidRelease
from starling.release.encrypted import Create

COUNTS: Final = f"{MEASUREMENTS}/counts.parquet"
SCHEMA: Final = pa.schema([("slice", pa.int32()), ("level", pa.int16()), ("node", pa.int32()), ("value", pa.int64())])
WORDS: Final = {
    "slice": "Number of the slice, from 0 in the order of the plan",
    "level": "Number of the level, from 0 for the whole",
    "node": "Number of the node in its level, from 0 in the order in which they first stand in the file of areas",
    "value": "Noisy number of points; may be negative",
}


write_plan: Final = plan_files.write_plan


def read_plan(folder: Path) -> PricedPlan:
    """What `write_plan` wrote. Raises IntegrityError where a file is not what it writes, and PlanError where it states what cannot be."""
    return plan_files.read_plan(folder, PricedPlan)


def write_measurements(create: Create, _: AreasPlan, measured: AreaMeasurements) -> None:
    """Write the measurements into a file that `create` makes."""
    with create(COUNTS) as file:
        pq.write_table(_table(measured), file, compression="zstd", write_statistics=False)


def _table(measured: AreaMeasurements) -> pa.Table:
    """All measurements, in their order."""
    slices = measured[0].shape[1]
    sizes = [len(level) for level in measured]
    level = np.repeat(np.arange(len(sizes)), sizes)
    node = np.concatenate([np.arange(size) for size in sizes])
    value = np.concatenate(measured)
    columns = [
        np.repeat(np.arange(slices), len(level)).astype(np.int32),
        np.tile(level, slices).astype(np.int16),
        np.tile(node, slices).astype(np.int32),
        np.ascontiguousarray(value.T).reshape(-1),
    ]
    return pa.table(columns, SCHEMA)


def read_measurements(folder: Path, plan: AreasPlan) -> AreaMeasurements:
    """What `write_measurements` wrote; raises InvalidRelease where the file is not what it writes for the plan."""
    problem = "has other columns or rows than a release writes"
    table = plan_files.read_rows(folder, COUNTS, SCHEMA, problem)
    sizes, slices = [len(nodes) for nodes in plan.areas.nodes], len(plan.slice_names) * plan.layers
    if len(table) != sum(sizes) * slices or table["value"].null_count:
        raise InvalidRelease(MEASUREMENTS, COUNTS, problem)
    values = np.ascontiguousarray(table["value"].to_numpy().reshape(slices, sum(sizes)).T)
    measured = tuple(np.split(values, np.cumsum(sizes)[:-1]))
    if not _table(measured).equals(table.combine_chunks()):
        raise InvalidRelease(MEASUREMENTS, COUNTS, "does not measure every node of every level once")
    return measured
