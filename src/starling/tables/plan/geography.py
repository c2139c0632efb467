"""The geography of a release: blocks, finest units, and the regions of each geography level.

A finest unit is a distinct (state, county, tract, place, AIANNH area) within the plan: every region of every level is a union
of units, so counts are taken once by unit. The block file and everything here is public.

A block lies in one unit, and a unit in at most one region of a level: with `Level.stability`, which counts iterations, that
bounds the groups of a person. It is why a block listed twice is refused.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.errors import ParameterError, PlanError, Problem
from starling.planfile.pipe_separated import read_table
from starling.planfile.spelling import did_you_mean, name_problem
from starling.tables.plan.blocks import BLOCK_COLUMNS, WIDTHS, Geography, Int64, digits, read_blocks
from starling.tables.plan.census_levels import PUERTO_RICO, STATES, GeographyLevel, region_names
from starling.tables.plan.census_records import census_records
from starling.tables.plan.choices import Choices
from starling.tables.plan.levels import Level

NO_PLACE: Final = 99999
NO_AIANNH: Final = 9999
NAMES_COLUMNS: Final = ("REGION_TYPE", "REGION_ID", "REGION_NAME")
MOST_SHOWN: Final = 10
"""Missing states that a message names."""


def read_geography(path: str | Path, plan: Choices, *, names: str | Path | None = None) -> Geography:
    """Blocks within the plan's filter, from pipe-delimited text with a header or Parquet.

    Args:
        path: The block file, or a folder of Parquet parts.
        plan: The states and geography levels that are tabulated.
        names: Optional table REGION_TYPE|REGION_ID|REGION_NAME (.txt or .parquet) of names to publish beside the ids. Nation
            and states need none.

    Raises:
        PlanError: when a file is not what it should be, lists a block twice, lacks a state of the plan, or names regions none of
            which is in the geography; with lines.
    """
    known = {} if names is None else _read_names(Path(names))
    columns = read_blocks_within(Path(path), plan)
    unit_of_block, units = _units(columns)
    blocks = {name: digits(columns[name], WIDTHS[name]) for name in BLOCK_COLUMNS}
    regions: dict[str, tuple[str, ...]] = {}
    region_of_unit: dict[str, npt.NDArray[np.int32]] = {}
    for geography in dict.fromkeys(GeographyLevel(level.geography) for level in plan.levels):
        regions[geography], region_of_unit[geography] = _regions(geography, units)
    if names is not None and not any((level, one) in known for level, ids in regions.items() for one in ids):
        problem = "names no region of the plan's geography"
        fix = "give the names of these regions, their ids written as in the block file"
        raise PlanError(problems=[Problem("REGION_ID", problem, fix, Path(names).name)])
    return Geography(
        units=len(units["place"]),
        blocks=pa.table(blocks | {"unit": pa.array(unit_of_block)}),
        regions=regions,
        region_of_unit=region_of_unit,
        names={geography: region_names(GeographyLevel(geography), ids, known) for geography, ids in regions.items()},
    )


def read_blocks_within(path: Path, plan: Choices) -> dict[str, Int64]:
    """The columns of `read_blocks` for the blocks within the plan's filter.

    Raises:
        PlanError: it is not a block file, lists a block twice, or lacks a state of the plan.
    """
    columns, records = read_blocks(path), census_records(plan)
    states = records.states | ({PUERTO_RICO} if records.puerto_rico else frozenset())
    # People of a state without a block would be in no table, the nation's included.
    if lacking := sorted(states - {f"{code:02d}" for code in np.unique(columns["TABBLKST"]).tolist()}):
        named = ", ".join(f"{code} ({STATES.get(code, 'Puerto Rico')})" for code in lacking[:MOST_SHOWN])
        more = f" and {len(lacking) - MOST_SHOWN} more" if len(lacking) > MOST_SHOWN else ""
        problem = f"lacks {named}{more} of the plan's states"
        fix = "give the block file of all of them, or take them out of the plan's states"
        raise PlanError(problems=[Problem("TABBLKST", problem, fix, path.name)])
    keep = np.isin(columns["TABBLKST"], [int(code) for code in states])
    return columns if keep.all() else {name: values[keep] for name, values in columns.items()}


def _units(columns: Mapping[str, Int64]) -> tuple[npt.NDArray[np.int32], dict[str, Int64]]:
    """Unit of each block, and tract (with state and county), place and AIANNH area of each unit, by which they ascend."""
    tract = (columns["TABBLKST"] * 10**3 + columns["TABBLKCOU"]) * 10**6 + columns["TABTRACTCE"]
    new = np.diff(tract, prepend=-1) > 0  # blocks ascend, so the blocks of a tract stand together
    tracts = tract[new]
    # Tracts by number, not by id: id, place and area together have 20 digits, beyond int64.
    key = ((np.cumsum(new) - 1) * 10**5 + columns["PLACEFP"]) * 10**4 + columns["AIANNHCE"]
    keys, unit = np.unique(key, return_inverse=True)
    units = {"tract": tracts[keys // 10**9], "place": keys // 10**4 % 10**5, "aiannh": keys % 10**4}
    return unit.astype(np.int32), units


def _regions(geography: GeographyLevel, units: Mapping[str, Int64]) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Region ids of a level, ascending, and the position of each unit's region (-1 for none)."""
    tract, place, aiannh = units["tract"], units["place"], units["aiannh"]
    state = tract // 10**9
    # "Puerto Rico has no nation and no AIANNH; USA excludes it."
    inside = (state == int(PUERTO_RICO)) == geography.puerto_rico
    match geography.value.removeprefix("PR-"):
        case "USA":
            region, width = np.ones_like(state), 1
        case "STATE":
            region, width = state, 2
        case "COUNTY":
            region, width = tract // 10**6, 5
        case "TRACT":
            region, width = tract, 11
        case "PLACE":
            region, width = state * 10**5 + place, 7
            inside = inside & (place != NO_PLACE)
        case _:
            # An AIANNH area is summed across states.
            region, width = aiannh, 4
            inside = inside & (aiannh != NO_AIANNH)
    ids, position = np.unique(region[inside], return_inverse=True)
    region_of_unit = np.full(len(tract), -1, dtype=np.int32)
    region_of_unit[inside] = position
    return tuple(f"{number:0{width}d}" for number in ids.tolist()), region_of_unit


def _read_names(path: Path) -> dict[tuple[str, str], str]:
    """Region names by type and id; regions outside the plan are allowed, since such tables are national."""
    if path.suffix not in (".txt", ".parquet"):
        # Another ending would be passed over for the .txt beside it.
        fix = "name it .txt (pipe-delimited) or .parquet"
        raise PlanError(problems=[Problem("file", "is not a .txt or .parquet", fix, path.name)])
    problems: list[Problem] = []
    file, records = read_table(path.parent, path.stem, NAMES_COLUMNS, problems)
    levels = [geography.value for geography in GeographyLevel]
    names: dict[tuple[str, str], str] = {}
    for line, (kind, region, name) in records:
        if kind not in levels:
            fix = did_you_mean(kind, levels)
            problems.append(Problem("REGION_TYPE", "is not a geography level", fix, file, line))
        if (problem := name_problem(name)) is not None:
            problems.append(Problem("REGION_NAME", problem, "write a name", file, line))
        if (kind, region) in names:
            problems.append(Problem("REGION_ID", f"{kind} {region} is named twice", "remove one line", file, line))
        names[kind, region] = name
    PlanError.check(problems)
    return names


def read_regions(plan: Choices, geography: str | Path | None = None, *, names: str | Path | None = None) -> Geography:
    """The regions that a plan tabulates.

    Args:
        plan: The public choices.
        geography: The block file of the Census; None for custom tables.
        names: Optional table of names of the Census's regions (`read_geography`).

    Raises:
        ParameterError: the block file is missing, or is given for custom tables.
        PlanError: a file is not what it should be.
    """
    stated = stated_regions(plan)
    if stated is not None:
        if geography is not None or names is not None:
            field = "geography" if names is None else "names"
            fix = "leave it out; the plan says the areas itself, in [regions]"
            raise ParameterError(field, "is of the Census, and the plan is not", fix)
        return stated
    if geography is None:
        fix = "give the block file (GRF-C) of the Census"
        raise ParameterError("geography", "is missing, and the plan is of person records of the Census", fix)
    return read_geography(geography, plan, names=names)


def known_regions(plan: Choices, geography: str | Path | None = None) -> Geography | None:
    """The regions, as far as they are known: of a plan of the Census without its block file None. Raises as `read_regions` does."""
    return stated_regions(plan) if geography is None else read_regions(plan, geography)


def stated_regions(plan: Choices) -> Geography | None:
    """The regions that a plan states itself; None where a file does."""
    return plan.records.stated_regions(plan.regions, plan.tabulated)


MOST_GROUPS: Final = 1 << 20
"""Groups of a piece, but that one region is never divided: some hundred megabytes of working memory."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some regions of one level.

    Attributes:
        level: Position in `Plan.levels`, or in `Plan.aggregates`.
        first: Position of the first region of the piece in `Geography.regions`.
        stop: Position after the last region of the piece.
        iterations: How many iterations the level has. The groups of a piece are numbered from 0, region-major.
    """

    level: int
    first: int
    stop: int
    iterations: int

    @property
    def regions(self) -> int:
        """How many it has."""
        return self.stop - self.first

    @property
    def groups(self) -> int:
        """How many it has, empty or not."""
        return self.regions * self.iterations


def pieces(plan: Choices, geography: Geography, most: int = MOST_GROUPS) -> tuple[Piece, ...]:
    """All groups of the levels of a plan in plan order, at most `most` a piece where that is a region or more."""
    return tuple(_pieces(geography, [(level, most) for level in plan.levels]))


def aggregate_pieces(plan: Choices, geography: Geography, most: int = MOST_GROUPS) -> tuple[Piece, ...]:
    """All groups of the aggregates of a plan in plan order, by positions in `Plan.aggregates`; the more cells, the fewer a piece."""
    return tuple(_pieces(geography, [(each.level, max(most // each.cells, 1)) for each in plan.aggregates]))


def _pieces(geography: Geography, levels: Iterable[tuple[Level, int]]) -> Iterator[Piece]:
    """The pieces of some levels, each with the most groups of a piece."""
    for number, (level, most) in enumerate(levels):
        regions, iterations = len(geography.regions[level.geography]), len(level.iterations)
        step = max(most // max(iterations, 1), 1)
        for first in range(0, regions, step):
            yield Piece(number, first, min(first + step, regions), iterations)
