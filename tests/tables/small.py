"""A tiny plan and geography, made in memory, and exact counts that a test writes down itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.privacy.budget import Measure
from starling.tables.measurements import Int64, Measured, Measurements
from starling.tables.plan import (
    Definitions,
    Geography,
    GeographyLevel,
    Iteration,
    Level,
    Piece,
    Plan,
    Variants,
)
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords, census_records
from starling.tables.plan.iterations import Attribute
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.stability import stability
from starling.tables.postprocess import T1_SCHEMA, Tabulated, t2_schema


def iteration(code: str, *codes: str, alone: bool = False, total_only: bool = False) -> Iteration:
    """A detailed race iteration."""
    return Iteration(code, f"group {code}", "race", 2, alone, total_only, coarse_only=False, codes=codes)


def small_plan(
    measure: Measure = "epsilon",
    *,
    budget: Fraction = Fraction(2),
    thresholds: tuple[int, int, int] = (5, 10, 20),
    suppression: Fraction = Fraction(0),
    allow_negative: bool = True,
    geographies: tuple[GeographyLevel, ...] = (GeographyLevel.STATE, GeographyLevel.COUNTY),
    both_stages: bool = False,
    add_up: bool = False,
    given_published: bool = False,
    evenly: bool = False,
) -> Plan:
    """State and county, three iterations at the state (one of them total-only), two below; at most two race codes."""
    iterations = (
        iteration("0001", "1000"),
        iteration("0002", "1001"),
        iteration("0003", "1002", total_only=True),
    )
    levels = []
    for geography in geographies:
        tabulated = tuple(each for each in iterations if each.tabulated(geography, 2))
        levels.append(Level(geography, 2, budget, thresholds, tabulated, stability(tabulated, census_attributes(2))))
    definitions = Definitions(iterations, (("1000", "a"), ("1001", "b"), ("1002", "c")))
    return Plan(
        title="small",
        measure=measure,
        levels=tuple(levels),
        gamma=Fraction(1, 10),
        suppression=suppression,
        allow_negative=allow_negative,
        definitions=definitions,
        variants=Variants(both_stages, add_up, given_published, evenly=evenly),
        records=CensusRecords(2, frozenset({"01"}), puerto_rico=False),
        **CENSUS_PARTS,
    )


def with_records(plan: Plan, **choices: Any) -> Plan:
    """The plan of the Census with other choices of its records."""
    return replace(plan, records=replace(census_records(plan), **choices))


def census_attributes(race_codes: int) -> tuple[Attribute, ...]:
    """The attributes of records of which so many race codes are read."""
    return CensusRecords(race_codes, frozenset(), puerto_rico=False).attributes


def small_geography(plan: Plan, counties: int = 2) -> Geography:
    """One state with `counties` counties, a unit each."""
    county_ids = tuple(f"01{2 * index + 1:03d}" for index in range(counties))
    regions: dict[str, tuple[str, ...]] = {GeographyLevel.STATE: ("01",), GeographyLevel.COUNTY: county_ids}
    regions = {level.geography: regions[level.geography] for level in plan.levels}
    of_unit: dict[str, npt.NDArray[np.int32]] = {
        GeographyLevel.STATE: np.zeros(counties, dtype=np.int32),
        GeographyLevel.COUNTY: np.arange(counties, dtype=np.int32),
    }
    blocks = pa.table({name: pa.array([], pa.string()) for name in ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")})
    return Geography(counties, blocks, regions, {name: of_unit[name] for name in regions}, regions)


@dataclass(frozen=True)
class Written:
    """Exact counts as a test writes them: for each level an array (groups, 46)."""

    detail: tuple[Int64, ...]

    def totals(self, piece: Piece, /) -> Int64:
        """See counts.py."""
        return np.asarray(self._of(piece).sum(axis=1), dtype=np.int64)

    def cells(self, piece: Piece, groups: Int64, /) -> Int64:
        """See counts.py."""
        return self._of(piece)[groups]

    def _of(self, piece: Piece) -> Int64:
        return self.detail[piece.level][piece.first * piece.iterations : piece.stop * piece.iterations]

    def plus_one(self, places: list[tuple[int, int, int]]) -> "Written":
        """One person more, in the given (level, group, cell)s."""
        detail = [array.copy() for array in self.detail]
        for level, group, cell in places:
            detail[level][group, cell] += 1
        return replace(self, detail=tuple(detail))


def written(plan: Plan, geography: Geography, totals: npt.ArrayLike = 0) -> Written:
    """Every group has `totals` persons (a number, or one a group of each level), all in the first cell."""
    detail = []
    for level in plan.levels:
        groups = len(geography.regions[level.geography]) * len(level.iterations)
        array = np.zeros((groups, SEX_BY_AGE.finest), dtype=np.int64)
        array[:, 0] = totals
        detail.append(array)
    return Written(tuple(detail))


def whole_levels(plan: Plan, geography: Geography, levels: Sequence[Measured]) -> Measurements:
    """Measurements of which each level is one piece."""
    return tuple((whole(plan, geography, number), measured) for number, measured in enumerate(levels))


def level_of(measurements: Measurements, number: int) -> Measured:
    """All pieces of a level, put together."""
    parts = [measured for piece, measured in measurements if piece.level == number]
    return Measured(
        np.concatenate([part.stage1 for part in parts]),
        np.concatenate([part.branch for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def whole(plan: Plan, geography: Geography, level: int) -> Piece:
    """All regions of one level as a piece, for who can hold it."""
    one = plan.levels[level]
    return Piece(level, 0, len(geography.regions[one.geography]), len(one.iterations))


@dataclass(frozen=True)
class Tables:
    """Whole published tables, T1 and T2."""

    t1: pa.Table
    t2: pa.Table


def joined(parts: Iterable[Tabulated]) -> Tables:
    """All pieces as one pair of tables, in memory, text as text."""
    whole = Tables(T1_SCHEMA.empty_table(), t2_schema(SEX_BY_AGE).empty_table())
    t1, t2 = [whole.t1], [whole.t2]
    for part in parts:
        t1.append(part.t1.cast(T1_SCHEMA))
        t2.append(part.t2.cast(t2_schema(SEX_BY_AGE)))
    return Tables(pa.concat_tables(t1), pa.concat_tables(t2))
