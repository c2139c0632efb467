"""Consistent histograms whose cumulative counts are near to noisy ones (Fioretto, Van Hentenryck and Zhu 2021, Section 9, Model 2).

The problem: integers n[r,s] >= 0 that add up over the tree and to the public total, with the least sum of weight (c - noisy)^2, where
c[r,s] = n[r,0] + ... + n[r,s]. Without integrality it is a projection onto two convex sets: what adds up over the tree, for each size,
and what does not fall and stays within [0, G], for each region. Each alone is closed form (`least_squares`, `pool`), and
alternating directions (Boyd et al. 2011, Section 3) find a point of both. A fixed number of passes is made. Then rounding.py makes integers
of it, from the root down, under all conditions.

With three levels or more the integer problem is no network problem: the matrix of its conditions has minors of 2, so that rounding the
relaxed optimum need not give the integer optimum. How far the result may be from it is bounded for each input, by duality. Take any
numbers u[r,s] ("pulls") and any prices p[r,s] of inner regions, 0 for leaves, and let v[r,s] be u + p less the price of the parent. For
every feasible x, the sum of u x is at most the sum over regions of top times m, where m is the largest sum of u from one size to the
last, or 0: monotone sequences from 0 to the top are mixtures of steps. And the sum of (p - price of the parent) x is 0, as x adds up.
So the objective at x is at least the sum of weight (x - noisy)^2 + 2 v x less 2 top m. The least
value of this over all x lies below the objective at the result c with histogram n by

    sum of (weight (c - noisy) + v)^2 / weight + 2 [ sum of n (m - sum of u from its size on) + (top - sum of n) m ],

a sum of numbers that are at least 0, which doubles give almost exactly. It is small for the multipliers of the last pass as pulls, and the
prices of least squares over the tree with them.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.groups.optimise import cumulative_kernels as kernels
from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.rounding import round_cumulative
from starling.groups.optimise.tree import Projection

Float = npt.NDArray[np.float64]

PASSES: Final = 7
"""Of alternating directions. Further ones change the histograms by far less than the noise did (bench/groups_accuracy.py)."""
PENALTY: Final = 2.0
"""Of the distance between the two points, over the mean weight of a cell. The gap after few passes is smallest from about 2 to 3."""
RELAXATION: Final = 1.6
_ROUNDING: Final = 2.0**-40
"""What sums of doubles may be off by, as a part of the sum of their magnitudes: with up to 2^12 terms, each rounded a few times."""


def project_cumulative(
    noisy: Sequence[npt.ArrayLike],
    parents: Sequence[npt.ArrayLike],
    total: int,
    variances: Sequence[npt.ArrayLike] | None = None,
    region_totals: Sequence[npt.ArrayLike] | None = None,
    *,
    passes: int = PASSES,
) -> Projection:
    """Consistent histograms near the optimum of the joint problem on cumulative counts.

    Args:
        noisy: Integers (regions of the level, sizes) for each level, root first: noisy numbers of groups of at most each size.
        parents: For each level below the root, integers (regions of the level,): each region's row in the level above, in any order.
        total: The public number of groups, from 0 to 2^60.
        variances: For each level the variance of the noise, one number or one for each size; 1 everywhere if None.
        region_totals: For each level, root first, the public number of groups of each region; None if only the total of the root is public.
        passes: Of alternating directions, at least 1.

    Returns:
        `levels` are histograms, int64 (regions of the level, sizes). `objective` is the sum of weight (c - noisy)^2 over all
        measured cells, an integer: the weight of a level and size is 2^20 times the least variance over its own, rounded, at least 1. `gap`
        is what it exceeds a lower bound of the relaxed problem by, as a share of that bound; None where the bound is not above 0.

    Raises:
        ParameterError: for shapes that do not fit, totals that are negative or do not add up, or a variance that is not above 0.

    >>> found = project_cumulative([[[5, 4]], [[2, 2], [1, 2]]], [[0, 0]], total=4)
    >>> [level.tolist() for level in found.levels], found.objective
    ([[[4, 0]], [[2, 0], [2, 0]]], 2097152)
    """
    problem = CumulativeProblem.of(noisy, parents, total, variances, region_totals)
    targets, pulls = relaxed_sequences(problem, passes)
    levels = round_cumulative(problem, targets)
    objective = problem.objective(levels)
    if objective == 0:
        return Projection(levels, 0, certified=True, gap=Fraction(0))
    weights, counts = problem.weights().astype(np.float64), np.concatenate(levels)
    above = kernels.most_above_optimum(problem.stacked(), counts, weights, pulls, problem.regions(), _ROUNDING)
    excess = Fraction(above * (1 + _ROUNDING * len(counts)))
    gap = excess / (objective - excess) if excess < objective else None
    return Projection(levels, objective, certified=False, gap=gap)


def relaxed_sequences(problem: CumulativeProblem, passes: int = PASSES) -> tuple[Float, Float]:
    """Monotone sequences near the relaxed optimum, and the multipliers that hold them apart from what adds up, float64 (regions, sizes)."""
    noisy = problem.stacked()
    weights = problem.weights().astype(np.float64)
    mean = float(weights.mean())
    monotone, prices = noisy.copy(), (1.0 - RELAXATION) * noisy
    kernels.multipliers(noisy, weights / mean, PENALTY, RELAXATION, passes, problem.regions(), monotone, prices)
    return monotone, prices * (PENALTY * mean)
