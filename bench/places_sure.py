"""Sure intervals on real and invented points: how often they hold the truth, how wide they are, and how narrow they could be at all.

Several releases of each data set and budget by the default method are asked 200 queries of each kind of `bench.places_accuracy`. Of each
interval the width is held against the one of the rule before (chances of missing divided evenly, a steered count taken from 32
deviations on, of whatever box), and against a bound that no interval from the same counts can go below.

The bound. Given the shape of the tree, let an interval I of these counts hold the truth with a probability of at least 1 - a wherever the
points lie. Let c be the points that surely lie within, and u those of cut boxes. The number of integers in I is at least the sum over all
k of P(k in I), from the true points. Any of c to c + u may be true without a change of the law of the counts: (1 - a)(u + 1). The
number c + u + j is true where j more points lie in boxes that the query touches, which changes the law by a total variation distance of
at most d_j: 1 - a - d_j where that is above 0. With j divided over the boxes by the variances of their noise, the counts are independent,
and the affinity of two discrete Laplace laws, q = e^(-1/b), shifted by s, is q^(s/2) ((s - 1)(1 - q) + 2)/(1 + q); with A the product
over boxes, d_j is at most sqrt(1 - A^2). Fewer points within are left out of the bound, so that it is loose where the lower end is not 0.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from statistics import fmean
from typing import Final
from unittest.mock import patch

import numpy as np

from bench.kept import Row
from bench.places_accuracy import queries
from bench.places_data import GROUPS, HELD_OUT, Float64, grid
from bench.places_typical import plan_of
from bench.record import Limit, Recorder
from starling.places.answers import cover
from starling.places.answers.cover import FreshCover, Sums
from starling.places.answers.noise_sums import upper_margins
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.sure import LEVEL, Surety
from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

EPSILONS: Final = ("0.05", "0.1", "0.5", "1")
RUNS: Final = 3
ASKED: Final = 200
SEED: Final = 779
"""Of the queries."""
NEAR_BEFORE: Final = 32.0
STEPS: Final = 64
"""Numbers j that stand for all up to where the bound has nothing more to add."""


def before(measured: MeasuredTree, asked: Float64) -> Int64:
    """The widths of the rule before, int64 (queries,)."""
    with patch.object(cover, "NEAR", NEAR_BEFORE), patch.object(cover, "mark_looked"):
        index = FreshCover(measured)
    sums, half = index.sums(asked), (1 - LEVEL) / 2
    lower = np.maximum(sums.inside - upper_margins(index.noises, sums.inside_terms, half), 0)
    upper = sums.touched + upper_margins(index.noises, sums.touched_terms, half)
    found: Int64 = np.maximum(upper - lower, 0)
    return found


def least(noises: tuple[Distribution, ...], sums: Sums, cut: Float64) -> Float64:
    """The bound of the module for each query, float64 (queries,), as a width: one less than the number of integers.

    Args:
        noises: The distributions.
        sums: The counts that each interval is made of.
        cut: float64 (queries,): true points of cut boxes.
    """
    level = float(LEVEL)
    scales = np.array([float(each.scale) for each in noises if isinstance(each, DiscreteLaplace)])
    tails = np.exp(-1 / scales)
    variances = np.array([standard_deviation(each) ** 2 for each in noises])
    found = level * (cut + 1) - 1
    for row, terms in enumerate(sums.touched_terms):
        total = float(terms @ variances)
        if not total:
            continue
        used = terms > 0
        reach = 4 * np.sqrt(total) / STEPS
        ends = np.unique(np.ceil(reach * np.arange(1, STEPS + 1)))
        # A step takes the value at its farther end, which is the smaller one.
        shift = np.ceil(ends[:, None] * variances[used] / total)
        affinity = tails[used] ** (shift / 2) * ((shift - 1) * (1 - tails[used]) + 2) / (1 + tails[used])
        log = (np.log(np.minimum(affinity, 1)) * terms[used]).sum(axis=1)
        found[row] += float((np.maximum(level - np.sqrt(-np.expm1(2 * log)), 0) * np.diff(ends, prepend=0)).sum())
    return np.maximum(found, 0)


def one(name: str, epsilon: str, runs: int = RUNS) -> list[Row]:
    """For each kind of query: the part of intervals that hold the truth, and geometric means of widths, of bounds and of the old widths."""
    cells = grid(name)
    plan = plan_of((cells.shape[0], cells.shape[1]), epsilon)
    exact = CumulativeGrid(cells)
    by_kind = {kind: each[:ASKED] for kind, each in queries(cells, SEED).items()}
    asked = np.concatenate(list(by_kind.values()))
    true = exact.count(asked).counts
    parts: dict[str, list[Float64]] = {"held": [], "width": [], "before": [], "bound": []}
    for _ in range(runs):
        measured = mechanism_of(plan).method.draw(cells)
        assert isinstance(measured, MeasuredTree)
        ends = Surety([measured]).of(asked)
        index = FreshCover(measured)
        sums = index.sums(asked)
        # A fractional query has a fractional share of a cell's points: no number of points, but between those of whole points.
        parts["held"].append(((ends.lower <= np.ceil(true)) & (np.floor(true) <= ends.upper)).astype(np.float64))
        parts["width"].append((ends.upper - ends.lower).astype(np.float64))
        parts["before"].append(before(measured, asked).astype(np.float64))
        parts["bound"].append(least(index.noises, sums, cut_points(measured, exact, asked)))
    means = {name: np.mean(np.stack(each), axis=0).reshape(len(by_kind), ASKED) for name, each in parts.items()}
    return [
        {
            "data": name,
            "epsilon": epsilon,
            "kind": kind,
            "held": round(float(means["held"][row].mean()), 4),
            **{what: round(geometric(means[what][row]), 1) for what in ("width", "before", "bound")},
        }
        for row, kind in enumerate(by_kind)
    ]


def cut_points(measured: MeasuredTree, exact: CumulativeGrid, asked: Float64) -> Float64:
    """The true points of the smallest boxes with counts of their own that each query cuts."""
    cover = FreshCover(measured)
    nodes = cover.nodes[cover.tiles]
    boxes = np.stack([nodes[side] for side in ("west", "south", "east", "north")], axis=1).astype(np.float64)
    points = exact.count(boxes).counts
    found = np.zeros(len(asked))
    for row, (x0, y0, x1, y1) in enumerate(asked):
        west, south, east, north = boxes.T
        touched = (np.minimum(x1, east) > np.maximum(x0, west)) & (np.minimum(y1, north) > np.maximum(y0, south))
        whole = (x0 <= west) & (east <= x1) & (y0 <= south) & (north <= y1)
        found[row] = points[touched & ~whole].sum()
    return found


def geometric(values: Float64) -> float:
    """The geometric mean of one more than each, less one: widths may be 0."""
    return float(np.expm1(np.log1p(values).mean()))


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder(
        "places_sure", "How often sure intervals hold the truth, how wide they are, and how narrow they could be."
    )
    chosen = recorder.begin()
    names = [name for sets in GROUPS.values() for name in sets if name not in HELD_OUT]
    jobs = [(name, epsilon) for name in names for epsilon in EPSILONS]
    if chosen.quick:
        rows = one("Adult_2D", "1", runs=1)
    else:
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            rows = [row for each in pool.map(one, *zip(*jobs, strict=True)) for row in each]
    recorder.end(
        settings={"runs": RUNS, "queries": ASKED, "seed_of_queries": SEED, "epsilons": ", ".join(EPSILONS)},
        rows=[*rows],
        limits=[
            Limit(
                "part of sure intervals that hold the truth",
                fmean(row["held"] for row in rows),
                float(LEVEL),
                "",
                least=True,
            ),
            Limit(
                "width of sure intervals against the rule before",
                fmean(row["width"] / max(row["before"], 1) for row in rows),
                float(Fraction(1, 2)),
                "times",
            ),
        ],
    )


if __name__ == "__main__":
    main()
