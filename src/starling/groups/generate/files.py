"""Invented groups as the files that a release reads: records, regions, and a note that says they are invented.

Memory holds the cells and some rows, however many groups there are.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.groups.generate import ORDER, World, stream
from starling.groups.optimise.tree import Int64

Form: TypeAlias = Literal["groups", "counts"]
Format: TypeAlias = Literal["csv", "parquet"]

REGIONS: Final = "regions.csv"
NOTE: Final = "GENERATED.json"
NOTICE: Final = (
    "Invented data. No group or member of one is described: every size was drawn from the public seed below. Tables made from it are no "
    "statistics of any place."
)
ROWS: Final = 1 << 20
"""Rows that are written at a time."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written.

    Attributes:
        records: Rows of region and size, or of region, size and groups.
        regions: regions.csv: region, parent, level by level.
        note: GENERATED.json: that it is invented, the seed, and the sizes.
    """

    records: Path
    regions: Path
    note: Path


def write(world: World, out: Path, *, seed: int, form: Form = "groups", format: Format = "parquet") -> Generated:  # noqa: A002 - the users' word
    """Write an invented world into the folder `out`.

    Args:
        world: The groups.
        out: Folder to make; must not exist.
        seed: What the world was made from.
        form: "groups": one row a group; "counts": one row for each size that a region has groups of.
        format: Of the records: "csv" or "parquet".

    Raises:
        ParameterError: there is no such form or format.
        OutputError: when `out` exists or cannot be written.
    """
    if form not in ("groups", "counts"):
        raise ParameterError(field="form", problem="is not groups or counts", fix='write "groups"')
    if format not in ("csv", "parquet"):
        raise ParameterError(field="format", problem="is not csv or parquet", fix='write "parquet"')
    batches = group_batches(world, seed) if form == "groups" else count_batches(world)
    note = {
        "notice": NOTICE,
        "seed": seed,
        "levels": dict(zip(world.levels, world.tree.regions, strict=True)),
        "groups": world.groups,
        "members": world.members,
        "numpy": np.__version__,
    }
    with new_folder(out) as folder:
        write_regions(world, folder / REGIONS)
        write_rows(batches, folder / f"{form}.{format}", format)
        (folder / NOTE).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
    return Generated(out / f"{form}.{format}", out / REGIONS, out / NOTE)


def write_regions(world: World, path: Path) -> None:
    """Write the regions as a plan reads them: region, parent."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows([("region", "parent"), *((root, "") for root in world.ids[0])])
        for above, below, parents in zip(world.ids, world.ids[1:], world.tree.parents, strict=False):
            rows.writerows((region, above[parent]) for region, parent in zip(below, parents, strict=True))


def group_batches(world: World, seed: int) -> Iterator[pa.RecordBatch]:
    """One row a group: region, size; by region, and within one in an order that the seed shuffles, some rows at a time."""
    rng = stream(seed, ORDER)
    leaf, size = np.nonzero(world.leaves)
    ends = np.cumsum(world.leaves[leaf, size])
    for first in range(0, max(world.groups, 1), ROWS):
        rows = np.arange(first, min(first + ROWS, world.groups))
        cell = rng.permutation(np.searchsorted(ends, rows, side="right"))
        cell = cell[np.argsort(leaf[cell], kind="stable")]
        yield _batch(world, leaf[cell], {"size": size[cell]})


def count_batches(world: World) -> Iterator[pa.RecordBatch]:
    """One row for each size that a region has groups of: region, size, groups."""
    leaf, size = np.nonzero(world.leaves)
    yield _batch(world, leaf, {"size": size, "groups": world.leaves[leaf, size]})


def write_rows(batches: Iterator[pa.RecordBatch], path: Path, format: Format) -> None:  # noqa: A002 - the users' word
    """Write batches, of which there is one at least, to a file."""
    first = next(batches)
    open_file = pacsv.CSVWriter if format == "csv" else pq.ParquetWriter
    with open_file(path, first.schema) as file:
        for batch in chain([first], batches):
            file.write_batch(batch)


def _batch(world: World, leaf: Int64, columns: dict[str, Int64]) -> pa.RecordBatch:
    regions = pa.DictionaryArray.from_arrays(pa.array(leaf.astype(np.int32)), pa.array(world.ids[-1], pa.string()))
    return pa.record_batch(
        {"region": regions.cast(pa.string()), **{name: pa.array(each) for name, each in columns.items()}}
    )
