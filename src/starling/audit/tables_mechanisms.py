"""The mechanisms of tables under the falsifier, from end to end: what a county releases whose two groups one person joins.

Many counties hold the same people, so that each is one independent run of the mechanism. A person is in both groups of a county, which is
what a cost that forgot a group would not survive.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.audit.case import Case, Draws, Int64
from starling.privacy.budget import Epsilon, Measure, Rho
from starling.privacy.sampling.entropy import BitSource
from starling.tables.mechanism import Remeasurement, SafeTab
from starling.tables.mechanism.aggregates import Aggregation
from starling.tables.mechanism.residuals import Residuals
from starling.tables.plan import Definitions, Geography, GeographyLevel, Iteration, Level, Piece, Plan, read_regions
from starling.tables.plan.aggregates import Way
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.plan.cross import Cross
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.residuals import Table
from starling.tables.plan.sex_by_age import SEX_BY_AGE

Thresholds: TypeAlias = tuple[int, int, int]

BUDGET: Final = Fraction(2)
"""The budget of the county level, in which one person is in two population groups."""
GROUPS: Final = 2
LEAST: Final = 3
MOST: Final = 9
"""Noisy counts are clipped to LEAST to MOST, which is post-processing, so that a histogram of few outputs sees what matters."""


@dataclass(frozen=True, slots=True)
class SameCounties:
    """Exact counts of counties that all hold so many persons of one sex and age in each of their population groups."""

    persons: int

    def totals(self, piece: Piece, /) -> Int64:
        """Persons in each group of the piece."""
        groups = (piece.stop - piece.first) * piece.iterations
        return np.full(groups, self.persons, dtype=np.int64)

    def cells(self, _: Piece, groups: Int64, /) -> Int64:
        """Persons by sex and age, all of them in the first cell."""
        detail = np.zeros((len(groups), SEX_BY_AGE.finest), dtype=np.int64)
        detail[:, 0] = self.persons
        return detail


def county_plan(measure: Measure, thresholds: Thresholds) -> Plan:
    """One level: counties, with two groups that a person can be in at once."""
    iterations = tuple(
        Iteration(f"000{number}", f"people {number}", "race", 2, False, False, False, (f"100{number}",))
        for number in range(GROUPS)
    )
    codes = tuple((f"100{number}", f"people {number}") for number in range(GROUPS))
    return Plan(
        title="Counties that are all the same",
        measure=measure,
        levels=(Level(GeographyLevel.COUNTY, 2, BUDGET, thresholds, iterations, GROUPS),),
        gamma=Fraction(1, 10),
        suppression=Fraction(0),
        allow_negative=True,
        records=CensusRecords(2, frozenset({"01"}), puerto_rico=False),
        **CENSUS_PARTS,
        definitions=Definitions(iterations, codes),
    )


def counties(number: int) -> Geography:
    """A geography of so many counties."""
    names: dict[str, tuple[str, ...]] = {GeographyLevel.COUNTY: tuple(f"01{county:06d}" for county in range(number))}
    units: dict[str, npt.NDArray[np.int32]] = {GeographyLevel.COUNTY: np.arange(number, dtype=np.int32)}
    return Geography(number, pa.table({}), names, units, names)


def released(measure: Measure, thresholds: Thresholds, *, repeated: bool = False) -> Draws:
    """What each of many counties releases: the two noisy values of each group that a person moves, int64 (counties, 4).

    The thresholds of the noisy total choose the detail. If `repeated`, what is measured on top of an earlier release of five persons in
    each group, whose detail is public.
    """

    def draws(exact: Int64, number: int, _: BitSource) -> Int64:
        plan, geography = county_plan(measure, thresholds), counties(number)
        drawn = SafeTab(plan, geography).draw(SameCounties(5 if repeated else int(exact[0])))
        if repeated:
            drawn = Remeasurement(plan, drawn).draw(SameCounties(int(exact[0])))
        # What stage 1 drew is not drawn again.
        new = 0 if repeated else 1
        drawn_values = [(new * each.stage1, each.values[each.offsets(plan.detail)[:-1]]) for _, each in drawn]
        parts = [np.column_stack(values) for values in drawn_values]
        return np.clip(np.concatenate(parts), LEAST, MOST).reshape(number, -1)

    return draws


@dataclass(frozen=True, slots=True)
class SameWards:
    """Exact numbers of wards that all hold so many records, whose number is the largest."""

    records: int

    def aggregate(self, piece: Piece, /) -> Int64:
        """All in the last cell: each record is W above the least number, and in the last class."""
        cells = np.zeros((piece.groups, CLASSES), dtype=np.int64)
        cells[:, -1] = self.records
        return cells


CLASSES: Final = 2
"""Cells of an aggregate: the two numbers of a sum of zeros and ones, and two classes."""


def ward_plan(measure: Measure, way: Way | None, wards: int) -> Plan:
    """Sums of zeros and ones, or their medians, in each of many wards that are groups of one family."""
    names = [f"w{number:06d}" for number in range(wards)]
    aggregate: dict[str, Any] = {"of": "x", "regions": "ward", "groups": "all", "budget": str(BUDGET)}
    quantiles = aggregate | {"shares": ["0.5"], "way": way}
    return Plan.of(
        {
            "title": "Wards that are all the same",
            "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure},
            "records": {"of-a-person": 1},
            "columns": [{"name": "x", "from": 0, "to": 1}],
            "regions": {"column": "ward", "levels": ["ward"], "rows": [[name] for name in names]},
            "groups": [{"name": "all", "columns": []}],
            "publication": {"negative-counts": True},
            **({"sums": [aggregate]} if way is None else {"quantiles": [quantiles]}),
        }
    )


def aggregated(measure: Measure, way: Way | None) -> Draws:
    """The noisy numbers of each of many wards, clipped, int64 (wards, numbers)."""

    def draws(exact: Int64, number: int, _: BitSource) -> Int64:
        plan = ward_plan(measure, way, number)
        drawn = Aggregation(plan, read_regions(plan)).draw(SameWards(int(exact[0])))
        return np.asarray(np.clip(np.concatenate([numbers for _, numbers in drawn]), -2, MOST))

    return draws


@dataclass(frozen=True, slots=True)
class SameTables:
    """Exact counts of wards that all hold so many records, of the last value of their one column."""

    wards: int
    records: int

    def part(self, _: int, part: Table, /) -> Int64:
        """The records by the columns of a part in every ward."""
        of_ward: Int64 = np.zeros([CLASSES for _ in part], dtype=np.int64)
        of_ward.flat[-1] = self.records
        return np.tile(of_ward, (self.wards, *(1 for _ in part)))


@lru_cache(maxsize=1)
def cross_plan(wards: int, total: Fraction = Fraction(1, 2)) -> Plan:
    """The table of a column of two values in each of many wards; `total` is the share of the budget for the number of all records."""
    plan = ward_plan("rho", None, wards)
    records = replace(custom_records(plan), families=())
    cross = Cross(("x",), ((),), ((0,),), ("ward",), ((BUDGET * total, BUDGET * (1 - total)),))
    return replace(plan, aggregates=(), families=(), records=records, definitions=records.definitions, cross=cross)


def crossed(total: Fraction = Fraction(1, 2)) -> Draws:
    """The noisy numbers of both parts in each of many wards, clipped, int64 (wards, 1 + CLASSES)."""

    def draws(exact: Int64, number: int, _: BitSource) -> Int64:
        drawn = Residuals(cross_plan(number, total)).draw(SameTables(number, int(exact[0])))
        return np.asarray(np.clip(np.concatenate([numbers for *_, numbers in drawn], axis=1), -2, MOST))

    return draws


_DETAIL: Final[dict[str, Thresholds]] = {"totals": (50, 60, 70), "cells": (1, 60, 70), "adaptive": (5, 7, 9)}


def _cases(name: str, draws: Callable[[Measure], Draws], before: int = 5) -> list[Case]:
    """In both measures, of one more than `before` in each county or ward."""
    costs = (Epsilon(BUDGET), Rho(BUDGET))
    return [Case(name, "", None, draws(cost.measure), (before,), (before + 1,), 50_000, cost) for cost in costs]


DECLARED: Final[tuple[Case, ...]] = (
    *(
        case
        for detail, thresholds in _DETAIL.items()
        for case in _cases(f"SafeTab, {detail}", partial(released, thresholds=thresholds))
    ),
    *_cases("SafeTab measured again, adaptive", partial(released, thresholds=_DETAIL["adaptive"], repeated=True)),
    *_cases("sums", partial(aggregated, way=None)),
    *_cases("medians from noisy counts", partial(aggregated, way="counts"), 0),
    *_cases("medians by selection", partial(aggregated, way="selection"), 0),
    Case("cross tables", "", None, crossed(), (1,), (2,), 50_000, Rho(BUDGET)),
)
"""Every mechanism of tables, with what its plan declares to cost; `Plan.guarantee` is the same number, which the tests see to."""
