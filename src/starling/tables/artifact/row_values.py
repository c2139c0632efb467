"""Released numbers of rows of T1, T2 and T3 with the draws of noise in them: for a session, and for the headline of a report."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from starling.errors import ParameterError
from starling.release.intervals import Value
from starling.release.shared_noise import Cells, Linked
from starling.tables.artifact.measured import read_branches, read_totals
from starling.tables.inference.cell_errors import Apart, BothStages, Pair
from starling.tables.inference.nested_totals import NestedTotals
from starling.tables.inference.totals import deviation_of, run_deviation, stage1_share
from starling.tables.measurements import Int64
from starling.tables.plan import Aggregate, Detail, Geography, Level, Plan
from starling.tables.plan.aggregates import OF_SUMS
from starling.tables.plan.columns import places_of
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.nesting import nested

MOST_AT_ONCE: Final = 2**20
"""Groups of a level whose totals are read together, and kept: 16 MB; of a larger one those of an iteration."""
MOST_LEVELS: Final = 4
"""Levels that are kept."""
GROUP: Final = ("region_type", "region_id", "iteration_code")


class RowValues:
    """Makes the number of a row.

    Args:
        plan: The plan of the release.
        geography: Its regions.
        folder: Its folder, with its measurements.
        drawn_in: Names of the measurements of a level, of this release and of those that it adds to, the last first.
    """

    def __init__(
        self, plan: Plan, geography: Geography, folder: Path, drawn_in: Callable[[Level], tuple[Hashable, ...]]
    ) -> None:
        self._plan, self._drawn_in = plan, drawn_in
        self._read_totals = partial(read_totals, folder, plan, geography)
        self._whole_level = lru_cache(maxsize=MOST_LEVELS)(self._read_totals)
        self._sizes = [len(geography.regions[each.geography]) * len(each.iterations) for each in plan.levels]
        branches = partial(read_branches, folder, plan, geography)
        self._nested = NestedTotals(plan, geography, branches, self._totals, drawn_in)
        self._levels = {(str(level.geography), each.code): level for level in plan.levels for each in level.iterations}
        # The levels of regions that take part in sums, so that a number's noise is that of a least-squares estimate.
        self._in_sums = frozenset(level.geography for level in plan.levels if nested(plan, level.geography))

    def _totals(self, level: int, column: int) -> tuple[Int64, Int64]:
        """The totals of an iteration of a level, int64 (regions,)."""
        if self._sizes[level] <= MOST_AT_ONCE:
            stage1, sums = self._whole_level(level)
            return stage1[:, column], sums[:, column]
        stage1, sums = self._read_totals(level, column)
        return stage1[:, 0], sums[:, 0]

    def value(self, row: dict[str, Any]) -> Value:
        """The number of a row; raises ParameterError where it was raised to 0, or is a sum of such numbers."""
        _check_error(row, "count")
        plan, group = self._plan, [row[column] for column in GROUP]
        counted: Cells | Linked
        if plan.variants.add_up and row["region_type"] in self._in_sums:
            tree, place = self._nested.group(*group)
            kind, counted = place.kind, Linked(tree, place)
            cells = _cells(plan.detail, kind, row)
        else:
            level = self._levels[row["region_type"], row["iteration_code"]]
            kind, cells = _kind(plan, level, row)
            # The last release's first.
            names = tuple((name, *group) for name in self._drawn_in(level))
            if stage1_share(plan, level, kind):
                counted = BothStages(names[0], plan.stage_noise(level), plan.detail.sizes[kind])
            else:
                counted = Apart(names, plan.noise(level, total_only=kind == TOTAL_ONLY))
        weights = tuple(Fraction(cell in cells) for cell in range(plan.detail.sizes[max(kind, 0)]))
        return Value(Fraction(row["count"]), cells={counted: weights}, least=_least(plan))


def groups_read(plan: Plan, geography: Geography, iterations: int) -> int:
    """How many measurements are read to know how far rounding moved totals of so many iterations that add up."""
    sizes = [
        (len(geography.regions[level.geography]) * len(level.iterations), len(level.iterations))
        for level in plan.levels
        if nested(plan, level.geography)
    ]
    return sum(size * (1 if size <= MOST_AT_ONCE else min(iterations, most)) for size, most in sizes)


class AggregateValues:
    """Makes the number of a row of T3: a size or a sum, which is a weighted sum of a group's noisy pair.

    Args:
        plan: The plan of the release.
        drawn_in: The name of the measurements of an aggregate.
    """

    def __init__(self, plan: Plan, drawn_in: Callable[[Aggregate], Hashable]) -> None:
        self._plan, self._drawn_in = plan, drawn_in
        self._sums = {
            (str(each.level.geography), iteration.code, each.column): each
            for each in plan.aggregates
            if each.quantiles is None
            for iteration in each.level.iterations
        }

    def value(self, row: dict[str, Any]) -> Value:
        """The number of a row; raises ParameterError for means and quantiles, or where it was raised or lowered to 0."""
        _check_error(row, "value")
        if row["statistic"] not in OF_SUMS[:2]:
            fix = f"choose {' or '.join(OF_SUMS[:2])}; a mean is a sum over a size, with the interval of that ratio"
            raise ParameterError("statistic", f"{row['statistic']} is no sum of noisy numbers", fix)
        aggregate = self._sums[row["region_type"], row["iteration_code"], row["column"]]
        places = places_of(self._plan.records.by_name[aggregate.column])
        is_sum = row["statistic"] == "sum"
        unit = Fraction(10) ** -places / aggregate.width
        weights = (aggregate.low * unit, aggregate.high * unit) if is_sum else (Fraction(1, aggregate.width),) * 2
        noise = aggregate.noise(self._plan.measure, self._plan.share(aggregate))
        group = Pair((self._drawn_in(aggregate), *(row[column] for column in GROUP)), noise)
        whole, least = not is_sum or places <= 0, None if is_sum and aggregate.low < 0 else _least(self._plan)
        return Value(Fraction(row["value"]), cells={group: weights}, whole=whole, least=least)


def _check_error(row: dict[str, Any], number: str) -> None:
    if row["post_processed"]:
        problem = "was raised to 0, or is a sum of such numbers, so that its error is not known"
        raise ParameterError(number, problem, "use the measurements")


def _least(plan: Plan) -> Fraction | None:
    """Where counts are clamped at 0 their intervals are."""
    return None if plan.allow_negative else Fraction(0)


def _kind(plan: Plan, level: Level, row: dict[str, Any]) -> tuple[int, frozenset[int]]:
    """The branch of a row's group, and which of its cells are in the number: by the classes that it is of and its standard deviation."""
    kinds: list[tuple[float, int, frozenset[int]]] = []
    in_t1 = row.keys().isdisjoint(plan.detail.columns)
    for kind in plan.detail.branches:
        if cells := _cells(plan.detail, kind, row):
            run = (len(cells), min(cells))
            deviation = deviation_of(plan, level, kind) if in_t1 else run_deviation(plan, level, kind, *run)
            kinds.append((deviation, kind, cells))
    total_only = {each.code for each in level.iterations if each.total_only}
    kinds = [each for each in kinds if (each[1] == TOTAL_ONLY) == (row["iteration_code"] in total_only)]
    _, kind, cells = min(kinds, key=lambda each: abs(each[0] - row["standard_deviation"]))
    return kind, cells


def _cells(detail: Detail, kind: int, row: dict[str, Any]) -> frozenset[int]:
    """Cells of a branch that a row is the sum of: of T1 all, of T2 none if the branch has no such row."""
    if row.keys().isdisjoint(detail.columns):
        return frozenset(range(detail.sizes[max(kind, 0)]))
    under = detail.of_codes.get(tuple(row[column] for column in detail.columns), ())
    return frozenset(
        cell for branch, each in under if branch == kind for cell in range(each.first, each.first + each.terms)
    )
