"""From the noisy numbers of aggregates to the table T3, piece by piece: public in, public out, no randomness.

Each group has a row for each statistic: size, sum and mean of a sum; a row for each share of quantiles. Where the plan publishes no
negative counts, sizes are raised to 0, and so are sums of numbers of which none is negative; sums of numbers of which none is positive
are lowered to 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.tables.inference.pairs import Interval, means, pair_errors, sizes_and_sums
from starling.tables.inference.ranks import quantile_classes, rank_margin
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.measurements import AggregateMeasurements, GroupNumbers
from starling.tables.plan import Aggregate, Geography, Piece, Plan
from starling.tables.plan.aggregates import statistic_names, tree
from starling.tables.plan.columns import from_units, places_of
from starling.tables.postprocess.rows import GROUP, GROUP_NAMES, coded, group_columns

Float64: TypeAlias = npt.NDArray[np.float64]

NUMBERS: Final = ("value", "standard_deviation", "lower", "upper", "rank_margin")
T3_SCHEMA: Final = pa.schema(
    [
        *((name, pa.string()) for name in (*GROUP, "column", "statistic")),
        *((name, pa.float64()) for name in NUMBERS),
        ("post_processed", pa.bool_()),
        *((name, pa.string()) for name in GROUP_NAMES),
    ]
)
_MISSING: Final = 1 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class _Rows:
    """One statistic of the groups of a piece, as it was drawn and with NUMBERS as they are published: float64 (groups,) each, NaN for
    what is not there.
    """

    name: str
    drawn: Float64
    numbers: tuple[Float64 | float, ...]


def tabulate_aggregates(
    plan: Plan, geography: Geography, drawn: AggregateMeasurements, *, hidden: bool = True
) -> Iterator[pa.Table]:
    """T3, piece by piece: groups in plan order, the statistics of a group together; `hidden` as of `means`."""
    for piece, numbers in drawn:
        aggregate = plan.aggregates[piece.level]
        yield _table(geography, piece, aggregate, list(_statistics(plan, aggregate, numbers, hidden=hidden)))


def _statistics(plan: Plan, aggregate: Aggregate, numbers: GroupNumbers, *, hidden: bool) -> Iterator[_Rows]:
    names, quantiles, share = statistic_names(aggregate), aggregate.quantiles, plan.share(aggregate)
    places = places_of(plan.records.by_name[aggregate.column])
    nothing = float("nan")
    if quantiles is None:
        noise = aggregate.noise(plan.measure, share)
        errors = pair_errors(aggregate, noise, _MISSING)
        size, whole = sizes_and_sums(aggregate, numbers, noise, _MISSING)
        mean = means(aggregate, numbers, noise, _MISSING, hidden=hidden)
        yield _clamped(names[0], size, errors.size, 0, 0 if plan.allow_negative else 1)
        sign = 0 if plan.allow_negative else (aggregate.low >= 0) - (aggregate.high <= 0)
        yield _clamped(names[1], whole, errors.sum, places, sign)
        yield _clamped(names[2], mean, nothing, places, 0)
        return
    # The least and the largest number of each class.
    cuts = np.array([*quantiles.cuts, aggregate.high + 1], dtype=np.float64)
    starts, ends = from_units(cuts[:-1], places), from_units(cuts[1:] - 1, places)
    for at, (name, quantile) in enumerate(zip(names, quantiles.shares, strict=True)):
        if quantiles.way == "selection":
            value = starts[numbers[:, at]]
            none = np.full_like(value, nothing)
            margin = rank_margin(aggregate.cells, quantile, quantiles.epsilon(plan.measure, share), _MISSING)
            yield _Rows(name, value, (value, nothing, none, none, margin))
        else:
            noise = aggregate.noise(plan.measure, share)
            counted = numbers.astype(np.int64, copy=False)
            estimates = quantile_classes(counted, tree(aggregate.cells, plan.measure), quantile, noise, _MISSING)
            value = starts[estimates.classes]
            yield _Rows(name, value, (value, nothing, starts[estimates.first], ends[estimates.last], nothing))


def _clamped(name: str, interval: Interval, deviation: float, places: int, sign: int) -> _Rows:
    """A statistic in the numbers of its column; with a sign other than 0, what has the other sign is 0."""
    drawn = [from_units(each, places) for each in (interval.value, interval.lower, interval.upper)]
    value, lower, upper = [np.where(sign * each < 0, 0.0, each) for each in drawn]
    return _Rows(name, drawn[0], (value, from_units(deviation, places), lower, upper, float("nan")))


def _table(geography: Geography, piece: Piece, aggregate: Aggregate, rows: list[_Rows]) -> pa.Table:
    statistic = np.tile(np.arange(len(rows)), piece.groups)

    # Each column has all statistics, group by group.
    numbers = [
        np.stack([np.broadcast_to(row.numbers[at], (piece.groups,)) for row in rows], axis=1).ravel()
        for at in range(len(NUMBERS))
    ]
    drawn = np.stack([row.drawn for row in rows], axis=1).ravel()
    columns = {
        **group_columns(geography, aggregate.level, piece, np.repeat(np.arange(piece.groups), len(rows))),
        "column": coded(np.zeros_like(statistic), (aggregate.column,)),
        "statistic": coded(statistic, [row.name for row in rows]),
        **{name: pa.array(each, mask=np.isnan(each)) for name, each in zip(NUMBERS, numbers, strict=True)},
        "post_processed": pa.array((numbers[0] != drawn) & ~np.isnan(drawn)),
    }
    return pa.table({name: columns[name] for name in T3_SCHEMA.names})
