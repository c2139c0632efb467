"""Sums, means and quantiles of a release against the truth: not private, like all of this package."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import SourceError
from starling.tables.inference.pairs import linear
from starling.tables.measurements import GroupNumbers, Int64
from starling.tables.mechanism.aggregates import ExactAggregates, scores
from starling.tables.plan import Aggregate, Geography, Plan, aggregate_pieces
from starling.tables.plan.aggregates import statistic_names
from starling.tables.plan.columns import from_units, in_units, places_of
from starling.tables.preview.aggregates import title

Float64: TypeAlias = npt.NDArray[np.float64]
TABLE = "data/t3.parquet"


@dataclass(frozen=True, slots=True)
class AggregateErrors:
    """One statistic of one aggregate, over all its groups.

    Attributes:
        groups: Groups that have the statistic, published and in truth: an empty group has no mean.
        mean_absolute_error: In records for sizes, in the unit of the column for sums and means, in ranks for quantiles.
        coverage: The share of the groups whose interval, or rank margin, holds the truth.
    """

    title: str
    statistic: str
    groups: int
    mean_absolute_error: float
    coverage: float


def compare_aggregates(
    plan: Plan, geography: Geography, release: Path, exact: ExactAggregates
) -> tuple[AggregateErrors, ...]:
    """The errors of T3, given the exact numbers: what runs within the trust boundary.

    Raises:
        SourceError: the release has no T3, or one of another plan.
    """
    if not plan.aggregates:
        return ()
    try:
        table = pq.read_table(release / TABLE)
    except (OSError, pa.ArrowException):
        raise SourceError(TABLE, "is missing or not readable as Parquet", "give the folder of a release") from None
    exact_of = [
        np.concatenate([exact.aggregate(piece) for piece in aggregate_pieces(plan, geography) if piece.level == number])
        for number in range(len(plan.aggregates))
    ]
    sizes = [len(each) * len(statistic_names(one)) for each, one in zip(exact_of, plan.aggregates, strict=True)]
    if len(table) != sum(sizes):
        raise SourceError(TABLE, "has other rows than the plan", "give the plan of the release")
    starts = accumulate(sizes, initial=0)
    parts = zip(plan.aggregates, map(table.slice, starts, sizes), exact_of, strict=True)
    return tuple(error for part in parts for error in _errors(plan, *part))


def _errors(plan: Plan, aggregate: Aggregate, rows: pa.Table, exact: GroupNumbers) -> Iterator[AggregateErrors]:
    names, places = statistic_names(aggregate), places_of(plan.records.by_name[aggregate.column])
    if [rows[name].unique().to_pylist() for name in ("column", "statistic")] != [[aggregate.column], list(names)]:
        raise SourceError(TABLE, "has the statistics of another plan", "give the plan of the release")
    columns = [
        rows[name].to_numpy().astype(np.float64).reshape(-1, len(names))
        for name in ("value", "lower", "upper", "rank_margin")
    ]
    for at, name in enumerate(names):
        value, lower, upper, ranks = (each[:, at] for each in columns)
        if aggregate.quantiles is None:
            truth = _truth(aggregate, name, exact, places)
            error, held = np.abs(value - truth), (lower <= truth) & (truth <= upper)
        else:
            counted = exact.astype(np.int64, copy=False)
            error, held = _ranks(aggregate, at, counted, places, (value, lower, upper, ranks))
        there = ~np.isnan(error)
        groups = int(np.count_nonzero(there))
        mean = float(error[there].mean()) if groups else 0.0
        yield AggregateErrors(title(plan, aggregate), name, groups, mean, float(held[there].mean()) if groups else 1.0)


def _truth(aggregate: Aggregate, name: str, exact: GroupNumbers, places: int) -> Float64:
    """The true size, sum or mean of each group; NaN for the mean of an empty one."""
    size, units = linear(aggregate, exact)
    whole = from_units(units, places)
    if name == "size":
        return np.asarray(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(whole if name == "sum" else np.where(size > 0, whole / size, np.nan))


def _ranks(
    aggregate: Aggregate, at: int, exact: Int64, places: int, published: tuple[Float64, Float64, Float64, Float64]
) -> tuple[Float64, npt.NDArray[np.bool_]]:
    """How many records each published quantile is off, and whether its interval or its rank margin holds."""
    assert aggregate.quantiles is not None
    share, cuts = aggregate.quantiles.shares[at], np.array(aggregate.quantiles.cuts)
    value, lower, upper, ranks = published
    off = -scores(exact, share.numerator, share.denominator) / share.denominator
    classes = np.searchsorted(cuts, np.rint(in_units(value, places)), side="right") - 1
    error = off[np.arange(len(off)), classes]
    if aggregate.quantiles.way == "selection":
        return error, error <= ranks
    # The quantile of the definition: the first class up to which there are as many records as its share asks for.
    upto = np.cumsum(exact, axis=1)
    true = from_units(cuts[np.argmax(share.denominator * upto >= share.numerator * upto[:, -1:], axis=1)], places)
    return error, (lower <= true) & (true <= upper)
