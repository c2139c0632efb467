"""What is public of a release of flows, in its folder: the plan with its areas, and the noisy numbers, as they were drawn.

plan/plan.json                  every choice, as the keys of a plan file state it
plan/areas.geojson              the public areas
measurements/flows.parquet      noisy trips of every pair of nodes of every pair of levels, pair of levels after pair of levels, and of each
                                slice after slice
"""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import MEASUREMENTS
from starling.places.flows.measurements import Drawn
from starling.places.flows.plan import Plan
from starling.release.checks import InvalidRelease
from starling.release.encrypted import Create

FLOWS: Final = f"{MEASUREMENTS}/flows.parquet"
SCHEMA: Final = pa.schema([("origin_level", pa.int8()), ("destination_level", pa.int8()), ("value", pa.int64())])
TITLE: Final = "Noisy trips between nodes of every pair of levels of areas, row by row"
SLICE: Final = pa.field("slice", pa.int32())
"""Before these columns, where a plan has slices."""
WORDS: Final = {
    "slice": "Number of the slice, from 0 in the order of the plan",
    "origin_level": "Level of the origins, 0 for the whole",
    "destination_level": "Level of the destinations, 0 for the whole",
    "value": "Noisy number of trips; may be negative",
}


def schema(plan: Plan) -> pa.Schema:
    """The columns of the measurements of a plan."""
    return SCHEMA if plan.slices is None else SCHEMA.insert(0, SLICE)


write_plan: Final = plan_files.write_plan


def read_plan(folder: Path) -> Plan:
    """What `write_plan` wrote. Raises IntegrityError where the files are not what it writes, and PlanError where they state a plan that
    cannot be.
    """
    return plan_files.read_plan(folder, Plan)


def write_measurements(create: Create, plan: Plan, drawn: Drawn) -> None:
    """Write what was drawn; `create` makes the file."""
    columns = schema(plan)
    with create(FLOWS) as file, pq.ParquetWriter(file, columns, compression="zstd", write_statistics=False) as writer:
        for pair, numbers in zip(plan.levels.pairs, drawn, strict=True):
            ends = [np.full(numbers.size, level, dtype=np.int8) for level in pair]
            slices = np.repeat(np.arange(len(numbers), dtype=np.int32), numbers[0].size)
            parts = [*([] if plan.slices is None else [slices]), *ends, numbers.reshape(-1)]
            writer.write_table(pa.table(parts, columns))


def read_measurements(folder: Path, plan: Plan) -> Drawn:
    """What `write_measurements` wrote. Raises InvalidRelease where it is not the numbers of each pair of levels of the plan, each once."""
    table = plan_files.read_rows(folder, FLOWS, schema(plan))
    sizes, slices = plan.levels.sizes, len(plan.slice_names)
    shapes = [(slices, sizes[one], sizes[other]) for one, other in plan.levels.pairs]
    many = [slices * rows * columns for _, rows, columns in shapes]
    if plan_files.has_nulls(table) or len(table) != sum(many):
        raise InvalidRelease(MEASUREMENTS, FLOWS, "has not one number for each pair of nodes")
    *part_of, origin, destination, value = (np.ascontiguousarray(column.to_numpy()) for column in table.columns)
    stated = np.repeat(np.array(plan.levels.pairs), many, axis=0)
    if not (np.array_equal(origin, stated[:, 0]) and np.array_equal(destination, stated[:, 1])):
        raise InvalidRelease(MEASUREMENTS, FLOWS, "has other pairs of levels than the plan measures")
    numbers = [np.repeat(np.arange(slices), rows * columns) for _, rows, columns in shapes]
    if part_of and not np.array_equal(part_of[0], np.concatenate(numbers)):
        raise InvalidRelease(MEASUREMENTS, FLOWS, "has other slices than the plan")
    parts = np.split(value, np.cumsum(many)[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
