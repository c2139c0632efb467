"""From noisy measurements to the tables T1 and T2: public in, public out, no randomness, bit for bit the same each time.

T1 has one row for each published group: the bare total, or the sum of its cells. T2 has, for each group whose branch has
cells, two sex marginals and the cells. Below the state a bare total at or below the noise's quantile at the plan's
suppression chance is dropped: a function of released values and the plan alone. With negative counts refused, each cell is
clamped at 0 after that decision; totals and marginals are sums of the clamped cells.

Intervals cover the true count with probability at least CONFIDENCE over the noise of all groups, before suppression: the
count, before clamping, plus and minus the margin of the sum of as many independent draws as it has cells. Where counts are
clamped the interval is too, which loses no coverage, since a true count is never negative. Among the published bare totals of
very small groups more miss, since such a group is published only when its noise was high; preview says how many.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.privacy.accuracy import margin, quantile, standard_deviation
from starling.privacy.laws import Law
from starling.tables import cells
from starling.tables.measurements import TOTAL_ONLY, Int64, LevelMeasurements, Measurements
from starling.tables.plan import Geography, Level, Plan

CONFIDENCE = Fraction(95, 100)
"""Of the published intervals."""

_GROUP = [("region_id", pa.string()), ("region_type", pa.string()), ("iteration_code", pa.string())]
_CELL = [("age_start", pa.string()), ("age_end", pa.string()), ("sex", pa.string())]
_VALUE = [
    ("count", pa.int64()),
    ("standard_deviation", pa.float64()),
    ("lower", pa.int64()),
    ("upper", pa.int64()),
    ("post_processed", pa.bool_()),
    ("region_name", pa.string()),
    ("iteration_name", pa.string()),
]
T1_SCHEMA = pa.schema([*_GROUP, *_VALUE])
T2_SCHEMA = pa.schema([*_GROUP, *_CELL, *_VALUE])


@dataclass(frozen=True, slots=True)
class Tables:
    """The published tables, rows in plan order.

    Attributes:
        t1: Totals (T1_SCHEMA); `count` in persons, `standard_deviation` of the noise in it, `lower` and `upper` inclusive;
            `post_processed` where clamping changed the count, which is then too high on average.
        t2: Sex by age (T2_SCHEMA): ages inclusive, "*" for all ages; sex "1" or "2".
    """

    t1: pa.Table
    t2: pa.Table


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of one level before they get their names.

    Attributes:
        group: Group of each row, plan order.
        count: Published value.
        estimate: The same before clamping: what the interval is centred on.
        deviation: Standard deviation of its noise.
        margin: Half width of its interval.
    """

    group: Int64
    count: Int64
    estimate: Int64
    deviation: npt.NDArray[np.float64]
    margin: Int64

    def only(self, keep: npt.NDArray[np.bool_]) -> "_Rows":
        return _Rows(self.group[keep], self.count[keep], self.estimate[keep], self.deviation[keep], self.margin[keep])


def tabulate(plan: Plan, geography: Geography, measurements: Measurements) -> Tables:
    """T1 and T2 of all levels (SafeTab 2022, Section 2; formats of SafeTab-P).

    Args:
        plan: The released plan.
        geography: Its public regions.
        measurements: What the mechanism drew.
    """
    parts = [Tables(T1_SCHEMA.empty_table(), T2_SCHEMA.empty_table())]
    for level, measured in zip(plan.levels, measurements.levels, strict=True):
        coded = tabulate_level(plan, geography, level, measured)
        parts.append(Tables(coded.t1.cast(T1_SCHEMA), coded.t2.cast(T2_SCHEMA)))
    return Tables(pa.concat_tables([part.t1 for part in parts]), pa.concat_tables([part.t2 for part in parts]))


def tabulate_level(plan: Plan, geography: Geography, level: Level, measured: LevelMeasurements) -> Tables:
    """The rows of one level, on which no other level's depend; text columns are dictionary-encoded."""
    rows, label = _details(plan, level, measured)
    labels = {name: _coded(label, column) for name, column in _LABELS.items()}
    return Tables(
        _table(T1_SCHEMA, plan, geography, level, _totals(plan, level, measured), {}),
        _table(T2_SCHEMA, plan, geography, level, rows, labels),
    )


def suppression_quantile(plan: Plan, level: Level) -> int | None:
    """A bare total of this level is published when it is strictly above this; None where nothing is suppressed."""
    if not level.geography.below_state or plan.suppression == 0:
        return None
    return quantile(plan.laws(level).stage2, plan.suppression)


def _totals(plan: Plan, level: Level, measured: LevelMeasurements) -> _Rows:
    """The T1 rows of a level."""
    starts = measured.offsets()
    sizes = np.diff(starts)
    clamped = _clamp(plan, measured.values)
    laws = plan.laws(level)
    kinds = [(TOTAL_ONLY, laws.total_only, 1)]
    kinds += [(branch, laws.stage2, size) for branch, size in enumerate(cells.BRANCH_CELLS)]
    deviation = np.zeros(len(sizes))
    half = np.zeros(len(sizes), dtype=np.int64)
    for branch, law, terms in kinds:
        here = measured.branch == branch
        if here.any():
            deviation[here], half[here] = _spread(law, terms)
    sums = (_sums(measured.values, starts), _sums(clamped, starts))
    rows = _Rows(np.arange(len(sizes)), sums[1], sums[0], deviation, half)
    bar = suppression_quantile(plan, level)
    if bar is None:
        return rows
    return rows.only((measured.branch != 0) | (rows.estimate > bar))


def _details(plan: Plan, level: Level, measured: LevelMeasurements) -> tuple[_Rows, Int64]:
    """The T2 rows of a level, and for each the number of its label in _LABELS."""
    starts = measured.offsets()
    lengths = np.where(measured.branch > 0, np.diff(starts) + 2, 0)
    firsts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    size = int(firsts[-1])
    count, estimate = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    deviation, half, label = np.zeros(size), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    law = plan.laws(level).stage2
    for branch in range(1, len(cells.BRANCH_CELLS)):
        groups = np.flatnonzero(measured.branch == branch)
        if not len(groups):
            continue
        bands = len(cells.BRANCH_BANDS[branch])
        places = firsts[groups, np.newaxis] + np.arange(2 * bands + 2)
        values = measured.values[starts[groups, np.newaxis] + np.arange(2 * bands)]
        count[places] = _with_marginals(_clamp(plan, values), bands)
        estimate[places] = _with_marginals(values, bands)
        spreads = [_spread(law, bands), *[_spread(law, 1)] * bands] * 2
        deviation[places] = [spread[0] for spread in spreads]
        half[places] = [spread[1] for spread in spreads]
        label[places] = _FIRST_LABEL[branch] + np.arange(2 * bands + 2)
    return _Rows(np.repeat(np.arange(len(lengths)), lengths), count, estimate, deviation, half), label


def _with_marginals(values: Int64, bands: int) -> Int64:
    """(groups, 2 bands) cells -> (groups, 2 bands + 2): each sex led by its sum."""
    by_sex = values.reshape(-1, 2, bands)
    return np.concatenate((by_sex.sum(axis=2, keepdims=True), by_sex), axis=2).reshape(-1, 2 * bands + 2)


def _clamp(plan: Plan, values: Int64) -> Int64:
    return values if plan.allow_negative else np.maximum(values, 0)


def _sums(values: Int64, starts: Int64) -> Int64:
    """The sum of each group's values; every group has at least one."""
    return np.add.reduceat(values, starts[:-1]) if len(values) else np.zeros(0, dtype=np.int64)


def _spread(law: Law, terms: int) -> tuple[float, int]:
    """Standard deviation and margin of the sum of `terms` independent draws."""
    return standard_deviation(law, terms), margin(law, 1 - CONFIDENCE, terms)


def _table(
    schema: pa.Schema, plan: Plan, geography: Geography, level: Level, rows: _Rows, labels: dict[str, pa.Array]
) -> pa.Table:
    region, iteration = np.divmod(rows.group, max(len(level.iterations), 1))
    lower, upper = rows.estimate - rows.margin, rows.estimate + rows.margin
    columns = {
        "region_id": _coded(region, geography.regions[level.geography]),
        "region_type": _coded(np.zeros_like(region), (str(level.geography),)),
        "iteration_code": _coded(iteration, [each.code for each in level.iterations]),
        **labels,
        "count": pa.array(rows.count),
        "standard_deviation": pa.array(rows.deviation),
        "lower": pa.array(_clamp(plan, lower)),
        "upper": pa.array(_clamp(plan, upper)),
        "post_processed": pa.array(rows.count != rows.estimate),
        "region_name": _coded(region, geography.names[level.geography]),
        "iteration_name": _coded(iteration, [each.name for each in level.iterations]),
    }
    return pa.table({name: columns[name] for name in schema.names})


def _coded(index: Int64, names: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """The name of each row, as its place among `names`."""
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names, pa.string()))


def _label_columns() -> dict[str, pa.Array]:
    """Ages and sex of every kind of T2 row: the branches after one another, each as `_with_marginals` lays it out."""
    rows = [
        (start, end, sex)
        for bands in cells.BRANCH_BANDS[1:]
        for sex in ("1", "2")
        for start, end in [("*", "*"), *((str(first), str(last)) for first, last in cells.age_ranges(bands))]
    ]
    return {
        name: pa.array(column, pa.string()) for (name, _), column in zip(_CELL, zip(*rows, strict=True), strict=True)
    }


_LABELS = _label_columns()
_FIRST_LABEL = [0, *np.cumsum([0, *[size + 2 for size in cells.BRANCH_CELLS[1:]]])[:-1].tolist()]
"""Of each branch; branch 0 has no T2 rows."""
