"""The tables of a release: consistent numbers of groups, those of at least each size, quantiles and mean sizes, with intervals.

Public in, public out: a function of the plan and the noisy measurements that repeats bit for bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.groups.inference.intervals import MISSING, QUANTILES, Ends, Float64, LevelErrors
from starling.groups.inference.methods import fit
from starling.groups.measurements import Measured
from starling.groups.optimise.tree import Int64, Projection
from starling.groups.plan import Plan

HALF: Final = MISSING / 2
"""The chance that each of two bounds misses which an interval is made of."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """What a release tells.

    Attributes:
        measured: The noisy counts.
        projection: The consistent numbers of groups by region and size.
    """

    measured: Measured
    projection: Projection

    @property
    def levels(self) -> tuple[Int64, ...]:
        """The published numbers of groups, int64 (regions, sizes) for each level."""
        return self.projection.levels


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of the problem, recomputed from published numbers (Fioretto et al. 2021, Section 4).

    Attributes:
        consistency: Cells that are not the sum over the regions inside.
        validity: Cells below 0.
        faithfulness: Regions whose public total is not the sum over their sizes.
    """

    consistency: int
    validity: int
    faithfulness: int


def estimate(plan: Plan, measured: Measured) -> Estimated:
    """What noisy counts tell, by the plan's method."""
    return Estimated(measured, fit(plan, measured))


def conditions(plan: Plan, levels: tuple[Int64, ...]) -> Conditions:
    """How many conditions published numbers break; none but of a method that says so."""
    broken = 0
    for above, below, parents in zip(levels, levels[1:], plan.regions.tree.parents, strict=False):
        sums = np.zeros_like(above)
        np.add.at(sums, parents, below)
        broken += int(np.count_nonzero(sums != above))
    unfaithful = int(int(levels[0].sum()) != plan.groups)
    if (totals := plan.regions.level_totals) is not None:
        unfaithful += sum(
            int(np.count_nonzero(level.sum(axis=1) != total))
            for level, total in zip(levels[1:], totals[1:], strict=True)
        )
    return Conditions(broken, sum(int(np.count_nonzero(level < 0)) for level in levels), unfaithful)


@dataclass(frozen=True, slots=True)
class SizeRows:
    """Rows of the table of a level, arrays of shape (regions, sizes).

    Attributes:
        first: The number of the first region in its level.
        groups: Published numbers of groups of each size.
        interval: Of the true numbers.
        at_least: Published numbers of groups of at least each size.
        at_least_interval: Of the true numbers.
        errors: By size, the standard deviation of the measured number of groups, and of that of at least each size.
    """

    first: int
    groups: Int64
    interval: Ends
    at_least: Int64
    at_least_interval: Ends
    errors: tuple[Float64, Float64]


def size_rows(plan: Plan, estimated: Estimated, level: int, most: int) -> Iterator[SizeRows]:
    """The table of a level, some regions at a time, of at most `most` cells or one region."""
    errors = LevelErrors(plan, level)
    count_margins, count_errors = errors.margins(tails=False)
    tail_margins, tail_errors = errors.margins(tails=True)
    totals = _totals(plan, level)
    step = max(most // plan.sizes, 1)
    for first in range(0, len(totals), step):
        here = slice(first, first + step)
        groups, noisy, most_groups = estimated.levels[level][here], estimated.measured[level][here], totals[here, None]
        counts = np.diff(noisy, axis=1, prepend=0) if plan.cumulative else noisy
        below = np.cumsum(counts, axis=1) - counts
        whole = most_groups if errors.public else below[:, -1:] + counts[:, -1:]
        tails = whole - below
        if not plan.cumulative and errors.public:
            above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
            fewer = np.arange(plan.sizes) < plan.sizes - np.arange(plan.sizes)
            tails = np.where(fewer, tails, above)
        yield SizeRows(
            first,
            groups,
            _cut(counts, count_margins, most_groups),
            np.cumsum(groups[:, ::-1], axis=1)[:, ::-1],
            _cut(tails, tail_margins, most_groups),
            (count_errors, tail_errors),
        )


def _cut(measured: Int64, margins: Int64, most: Int64) -> Ends:
    return Ends(np.clip(measured - margins, 0, most), np.clip(measured + margins, 0, most))


def _totals(plan: Plan, level: int) -> Int64:
    """The most groups that each region of a level can have, by public facts."""
    totals = plan.regions.level_totals
    return np.full(len(plan.regions.ids[level]), plan.groups, dtype=np.int64) if totals is None else totals[level]


@dataclass(frozen=True, slots=True)
class RegionRows:
    """What is published of each region of a level as a whole, arrays of shape (regions,).

    Attributes:
        groups: Published numbers of groups.
        groups_interval: Of the true numbers; a point where they are public.
        members: Sums of published sizes.
        mean: Means of published sizes; not a number for a region without groups.
        mean_interval: Of the true means.
        quantiles: By name, the least size that at least this share of the groups does not exceed.
        quantile_intervals: Of the true ones.
    """

    groups: Int64
    groups_interval: Ends
    members: Int64
    mean: Float64
    mean_interval: Ends
    quantiles: dict[str, Int64]
    quantile_intervals: dict[str, Ends]


def region_rows(plan: Plan, estimated: Estimated, level: int) -> RegionRows:
    """What is published of each region of a level as a whole.

    A mean is N - C/G, with C the sum over s < N of the number of groups of at most s, and G their number; a share p of the groups has
    at most the size s from the first s on at which their number reaches p G. Bounds of C and of G, or of the two counts beside the
    quantile and of G, miss with half of the chance each.
    """
    errors, groups = LevelErrors(plan, level), estimated.levels[level]
    measured = estimated.measured[level] if plan.cumulative else np.cumsum(estimated.measured[level], axis=1)
    published, number = np.cumsum(groups, axis=1), groups.sum(axis=1)
    most = _totals(plan, level)
    whole = most if errors.public else measured[:, -1]
    low, high = (np.clip(whole + sign * errors.total_margin(HALF), 0, most) for sign in (-1, 1))
    members = groups @ np.arange(plan.sizes)
    smaller, off = measured[:, :-1].sum(axis=1), errors.weighted_margin(HALF)
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.nan_to_num(plan.largest - (smaller + off) / low, nan=0.0, posinf=0.0, neginf=0.0)
        greatest = np.nan_to_num(plan.largest - (smaller - off) / high, nan=plan.largest, posinf=plan.largest)
        mean = members / number
    margins = errors.cumulative_margins(HALF)
    total = errors.total_margin(MISSING)
    return RegionRows(
        number,
        Ends(np.clip(whole - total, 0, most), np.clip(whole + total, 0, most)),
        members,
        mean,
        Ends(np.clip(least, 0, plan.largest), np.clip(greatest, 0, plan.largest)),
        {name: _first(published, number, share) for name, share in QUANTILES.items()},
        {
            name: Ends(
                _first(measured + margins, low, share),
                np.maximum(_last(measured - margins, high, share), _first(measured + margins, low, share)),
            )
            for name, share in QUANTILES.items()
        },
    )


def _first(cumulative: Int64, number: Int64, share: Fraction) -> Int64:
    """The first size at which cumulative counts reach the share of a number, the last size where none does."""
    reached = cumulative * share.denominator >= number[:, None] * share.numerator
    reached[:, -1] = True
    first: Int64 = np.argmax(reached, axis=1).astype(np.int64)
    return first


def _last(cumulative: Int64, number: Int64, share: Fraction) -> Int64:
    """The last size before which cumulative counts may be below the share of a number."""
    below = cumulative * share.denominator < number[:, None] * share.numerator
    below = np.concatenate([np.ones((len(below), 1), dtype=bool), below[:, :-1]], axis=1)
    last: Int64 = below.shape[1] - 1 - np.argmax(below[:, ::-1], axis=1).astype(np.int64)
    return last
