"""The geography of a release, from the public block file (GRF-C): blocks, finest units, regions.

A finest unit is a distinct (state, county, tract, place, AIANNH area) within the plan: every region of every level is a union of
units, so counts are taken once by unit. The file and everything here is public.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Never

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.errors import PlanError, Problem
from starling.tables.plan.model import GeographyLevel, Plan

WIDTHS: Final = {"TABBLKST": 2, "TABBLKCOU": 3, "TABTRACTCE": 6, "TABBLK": 4, "PLACEFP": 5, "AIANNHCE": 4}
"""Columns of the block file, in order, with the digits of each."""

BLOCK_COLUMNS: Final = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")
PUERTO_RICO: Final = 72
NO_PLACE: Final = 99999
NO_AIANNH: Final = 9999


@dataclass(frozen=True, slots=True, eq=False)
class Geography:
    """Blocks, units and regions within a plan's filter.

    Attributes:
        units: Number of finest units.
        blocks: TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK (string) and unit (int32); ascending by
            block, only blocks within the plan.
        regions: Region ids of each geography level of the plan, ascending: the plan order.
        region_of_unit: For each of those levels, the position of the unit's region, int32 of shape (units,); -1 is none.
        names: Readable names of the regions where known, else their ids.
    """

    units: int
    blocks: pa.Table
    regions: Mapping[GeographyLevel, tuple[str, ...]]
    region_of_unit: Mapping[GeographyLevel, npt.NDArray[np.int32]]
    names: Mapping[GeographyLevel, tuple[str, ...]]


def read_geography(path: str | Path, plan: Plan) -> Geography:
    """Blocks within the plan's filter, from pipe-delimited text with a header or Parquet.

    Raises:
        PlanError: when the file is not a block file, lists a block twice, or has no block within the plan.
    """
    path = Path(path)
    numbers = _numbers(path)
    state = numbers["TABBLKST"]
    wanted = np.zeros(100, dtype=np.bool_)
    wanted[[int(code) for code in plan.states]] = True
    wanted[PUERTO_RICO] = plan.puerto_rico
    keep = wanted[state]
    kept = {name: values[keep] for name, values in numbers.items()}
    if not keep.any():
        _refuse(path, "blocks", "are all outside the states of the plan", "give the geography of those states")
    tract = (kept["TABBLKST"] * 1000 + kept["TABBLKCOU"]) * 10**6 + kept["TABTRACTCE"]
    block = tract * 10**4 + kept["TABBLK"]
    order = None
    if not (np.diff(block) > 0).all():
        order = np.argsort(block, kind="stable")
        block = block[order]
        if (np.diff(block) == 0).any():
            _refuse(path, "TABBLK", "lists a block twice", "list each block once")
        kept = {name: values[order] for name, values in kept.items()}
        tract = tract[order]
    unit_of_block, units = _units(tract, kept["PLACEFP"], kept["AIANNHCE"])
    blocks = pa.table(
        {name: _digits(kept[name], WIDTHS[name]) for name in BLOCK_COLUMNS} | {"unit": pa.array(unit_of_block)}
    )
    regions: dict[GeographyLevel, tuple[str, ...]] = {}
    region_of_unit: dict[GeographyLevel, npt.NDArray[np.int32]] = {}
    for geography in dict.fromkeys(level.geography for level in plan.levels):
        regions[geography], region_of_unit[geography] = _regions(geography, units)
    return Geography(len(units["tract"]), blocks, regions, region_of_unit, regions)


def _refuse(path: Path, field: str, problem: str, fix: str) -> Never:
    raise PlanError(problems=[Problem(field, problem, fix, path.name)])


def _numbers(path: Path) -> dict[str, npt.NDArray[np.int64]]:
    """Every column as integers, int64 of shape (blocks,)."""
    columns = list(WIDTHS)
    try:
        if path.suffix == ".parquet":
            table = pq.read_table(path, columns=columns)
        else:
            table = pacsv.read_csv(
                path,
                parse_options=pacsv.ParseOptions(delimiter="|", quote_char=False, escape_char=False),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
                ),
            )
    except (OSError, pa.ArrowException, ValueError):
        _refuse(path, "file", "is not a readable block file", f"write {'|'.join(columns)}")
    if table.column_names != columns:
        _refuse(path, "header", "is not the one expected", f"write {'|'.join(columns)}")
    return {name: _number(path, name, table[name].combine_chunks()) for name in columns}


def _number(path: Path, name: str, values: pa.StringArray) -> npt.NDArray[np.int64]:
    width = WIDTHS[name]
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64)
    offsets = np.frombuffer(values.buffers()[1], dtype=np.int32)[: len(values) + 1]
    lengths = np.diff(offsets)
    if not (lengths == width).all() or values.null_count:
        _refuse(path, name, f"is not {width} digits", "correct it")
    data = np.frombuffer(values.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]].reshape(-1, width)
    if (data < 48).any() or (data > 57).any():
        _refuse(path, name, f"is not {width} digits", "correct it")
    result = np.zeros(len(data), dtype=np.int64)
    for digit in range(width):
        result = result * 10 + (data[:, digit] - 48)
    return result


def _digits(values: npt.NDArray[np.int64], width: int) -> pa.Array:
    """Back to text, with leading zeros."""
    text = np.empty((len(values), width), dtype=np.uint8)
    rest = values
    for digit in range(width - 1, -1, -1):
        rest, last = np.divmod(rest, 10)
        text[:, digit] = last + 48
    offsets = np.arange(0, (len(values) + 1) * width, width, dtype=np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(offsets), pa.py_buffer(text))


def _units(
    tract: npt.NDArray[np.int64], place: npt.NDArray[np.int64], aiannh: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], dict[str, npt.NDArray[np.int64]]]:
    """Unit of each block, and the columns of each unit; units ascend by tract, place, AIANNH area."""
    tracts, tract_index = np.unique(tract, return_inverse=True)
    key = (tract_index * 10**5 + place) * 10**4 + aiannh
    keys, unit = np.unique(key, return_inverse=True)
    unit_tract = tracts[keys // 10**9]
    return unit.astype(np.int32), {"tract": unit_tract, "place": keys // 10**4 % 10**5, "aiannh": keys % 10**4}


def _regions(
    geography: GeographyLevel, units: Mapping[str, npt.NDArray[np.int64]]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Region ids of a level, ascending, and the position of each unit's region (-1 for none)."""
    tract, place, aiannh = units["tract"], units["place"], units["aiannh"]
    state = tract // 10**9
    inside = (state == PUERTO_RICO) == geography.puerto_rico
    kind = geography.value.removeprefix("PR-")
    if kind == "USA":
        key, width = np.ones_like(state), 1
    elif kind == "STATE":
        key, width = state, 2
    elif kind == "COUNTY":
        key, width = tract // 10**6, 5
    elif kind == "TRACT":
        key, width = tract, 11
    elif kind == "PLACE":
        key, width = state * 10**5 + place, 7
        inside = inside & (place != NO_PLACE)
    else:
        key, width = aiannh, 4
        inside = inside & (aiannh != NO_AIANNH)
    ids, position = np.unique(key[inside], return_inverse=True)
    region = np.full(len(tract), -1, dtype=np.int32)
    region[inside] = position
    return tuple(f"{i:0{width}d}" for i in ids.tolist()), region
