"""The tables of a release: consistent numbers of groups, those of at least each size, quantiles and mean sizes, with intervals.

Public in, public out: a function of the plan and the noisy measurements that repeats bit for bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.groups.inference.intervals import MISSING, QUANTILES, LevelErrors
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan

Columns: TypeAlias = dict[str, npt.NDArray[Any]]
"""Columns of numbers of a published table (artifact/columns.py), by their names."""
HALF: Final = MISSING / 2
"""The chance that each of two bounds misses which an interval is made of."""


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


def size_rows(
    plan: Plan, measured: Int64, published: Int64, level: int, most: int
) -> Iterator[tuple[tuple[str, ...], Columns]]:
    """The table of a level from its noisy and its consistent counts, some regions at a time, of at most `most` cells or one region: their
    ids, and arrays (regions, sizes).
    """
    errors = LevelErrors(plan, level)
    count_margins, count_errors = errors.margins(tails=False)
    tail_margins, tail_errors = errors.margins(tails=True)
    totals = _totals(plan, level)
    step = max(most // plan.sizes, 1)
    for first in range(0, len(totals), step):
        here = slice(first, first + step)
        groups, noisy, whole = published[here], measured[here], totals[here, None]
        counts = np.diff(noisy, axis=1, prepend=0) if plan.cumulative else noisy
        below = np.cumsum(counts, axis=1) - counts
        tails = (whole if errors.public else below[:, -1:] + counts[:, -1:]) - below
        if not plan.cumulative and errors.public:
            above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
            fewer = np.arange(plan.sizes) < plan.sizes - np.arange(plan.sizes)
            tails = np.where(fewer, tails, above)
        yield (
            plan.regions.ids[level][here],
            {
                "groups": groups,
                **_cut("", counts - count_margins, counts + count_margins, whole),
                "standard_error": np.broadcast_to(count_errors, groups.shape),
                "at_least": np.cumsum(groups[:, ::-1], axis=1)[:, ::-1],
                **_cut("at_least_", tails - tail_margins, tails + tail_margins, whole),
                "at_least_standard_error": np.broadcast_to(tail_errors, groups.shape),
            },
        )


def _cut(name: str, lower: npt.NDArray[Any], upper: npt.NDArray[Any], most: Int64 | int) -> Columns:
    """The columns of both ends of an interval, cut to what is possible."""
    return {f"{name}lower": np.clip(lower, 0, most), f"{name}upper": np.clip(upper, 0, most)}


def _totals(plan: Plan, level: int) -> Int64:
    """The most groups that each region of a level can have, by public facts."""
    totals = plan.regions.level_totals
    return np.full(len(plan.regions.ids[level]), plan.groups, dtype=np.int64) if totals is None else totals[level]


def region_rows(plan: Plan, noisy: Int64, groups: Int64, level: int) -> Columns:
    """What is published of each region of a level as a whole, from noisy and consistent counts: arrays (regions,). A region without groups
    has a mean that is not a number.

    A mean is N - C/G, with C the sum over s < N of the number of groups of at most s, and G their number; a share p of the groups has
    at most the size s from the first s on at which their number reaches p G. Bounds of C and of G, or of the two counts beside the
    quantile and of G, miss with half of the chance each.
    """
    errors = LevelErrors(plan, level)
    measured = noisy if plan.cumulative else np.cumsum(noisy, axis=1)
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
    margins, total = errors.cumulative_margins(HALF), errors.total_margin(MISSING)
    columns = {
        "groups": number,
        **_cut("groups_", whole - total, whole + total, most),
        "members": members,
        "mean": mean,
        **_cut("mean_", least, greatest, plan.largest),
    }
    for name, share in QUANTILES.items():
        columns[name] = _first(published, number, share)
        columns[f"{name}_lower"] = lower = _first(measured + margins, low, share)
        columns[f"{name}_upper"] = np.maximum(_last(measured - margins, high, share), lower)
    return columns


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
