"""Consistent histograms from noisy cumulative counts by empirical Bayes, from the root down.

What is known of each region is first gathered over its subtree: for each size the best linear estimate of c[r,s] from the region's own
noisy count and those of all regions below it (`climb`), with its variance. Then, level by level:

- The parent's histogram is fixed, n groups of size s. A child can only have groups of sizes that its parent has. Between two such sizes its
  c does not change, and all that was seen there is one number with a small variance.
- The child expects m = n * (its share of all groups) groups of size s, and has m (1 + u_s) + e. e is chance, as in Poisson's distribution,
  and what is peculiar to this size, of variance m + lone_s m^2. u_s says how the child differs from its parent at many sizes: where
  households of six are more frequent than elsewhere, so are those of seven. It is a chain, u_s = keep_s u_(s-1) + v_s. Its share
  follows from its number of groups, which all of its counts tell together, by least squares.
- Variances and correlations are fitted to the regions of the level in two ways. By moments, what the noise adds being taken off: where
  groups are many, each size has its own. Where they are few, products of neighbouring sizes are all noise, and one variance and
  correlation for all sizes are better found from whole sequences, by the likelihood. The likelier of the two priors is taken.
- Then c is a walk that is seen with noise; its mean and variance given all that was seen are those of Kalman's smoother.
- What the children together differ by from the parent's count is shared out in proportion to their variances, the sequence is made
  monotone, and rounding.py makes integers that add up.

The root has no parent. What it expects of a size is the mean over sizes within a tenth of it, of the nearest monotone sequence; how far
sizes differ from their neighbourhoods is fitted over pooled sizes like a level's variances, without correlation.

All of it is post-processing of noisy counts and public numbers, and no prior is given from outside. With `variances` wrong by a factor it
shrinks too much or too little; every condition still holds. Chance is taken to be normal. Where a parent has single groups of rare sizes,
this spreads each of them over the sizes around it, and the earth mover's distance of cumulative.py can be less there.

Sources: Fioretto, Van Hentenryck and Zhu 2021 for the problem; de Jong 1989 for the smoother. bench/groups_accuracy.py measures how near to
the truth it comes beside the other methods.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.groups.optimise import bayes_kernels as kernels
from starling.groups.optimise.cumulative_kernels import add_leaves, climb, prepared
from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.isotonic import isotonic
from starling.groups.optimise.rounding import round_root, share_out
from starling.groups.optimise.tree import Int64, Projection

Float = npt.NDArray[np.float64]

SURE: Final = 0.25
"""Sizes are taken together until the fitted variance beyond chance is known to this part of chance."""
NEAR: Final = 0.1
"""How far the neighbourhood of a size reaches, as a part of the size; from 0.05 to 0.2 it makes little difference."""
CLOSEST: Final = 0.995
"""The largest correlation of neighbouring sizes."""
GRID: Final = (
    (0.0, 0.9, 0.97, 0.99),
    (0.0, 1 / 64, 1 / 16, 1 / 4, 1.0, 4.0),
    (0.0, 1 / 64, 1 / 16, 1 / 4, 1.0, 4.0),
)
"""What the search by likelihood tries: the correlation of u at neighbouring sizes, the variance of u, and that of what a size has alone."""
BEGIN: Final = (0.97, 1 / 16, 1 / 16)
ROUNDS: Final = 2
"""How often the search goes over the three."""
ENOUGH: Final = 512
"""Families that a search by likelihood looks at, evenly from all of a level: three numbers are fitted."""
LEAST_GROUPS: Final = 0.5
"""What a region of unknown total is taken to have at least, before its counts say that it has none."""


def project_empirical_bayes(
    noisy: Sequence[npt.ArrayLike],
    parents: Sequence[npt.ArrayLike],
    total: int,
    variances: Sequence[npt.ArrayLike] | None = None,
    region_totals: Sequence[npt.ArrayLike] | None = None,
) -> Projection:
    """Consistent histograms near what is to be expected given noisy cumulative counts.

    Takes and raises what `project_cumulative` does. The variances matter here by themselves, not only their ratios.

    Returns:
        Histograms, and their objective in the joint problem (cumulative.py). It is not what is minimised, and no gap is worked out.
    """
    problem = CumulativeProblem.of(noisy, parents, total, variances, region_totals)
    tree = problem.tree
    known, spread = _gathered(problem)
    counts = np.zeros(known.shape, dtype=np.int64)
    counts[0] = round_root(_smooth_root(known[:1], spread[:1], float(total)), total)
    for level in range(1, tree.levels):
        families = [
            _Family(problem, region, counts[region], known, spread)
            for region in range(*tree.rows(level - 1).indices(len(counts)))
        ]
        _size_up(families, kernels.Prior(*np.zeros((4, problem.sizes))))
        alike = _likeliest(families, problem.sizes)
        _size_up(families, _likelier(families, problem.sizes, alike))
        prior = _likelier(families, problem.sizes, alike)
        for family in families:
            share_out(family.smoothed(prior), family.sizes, family.region, family.children, problem, counts)
    levels = tuple(counts[tree.rows(level)] for level in range(tree.levels))
    return Projection(levels, problem.objective(levels), certified=False, gap=None)


def _gathered(problem: CumulativeProblem) -> tuple[Float, Float]:
    """What each region's subtree says of its cumulative counts, and the variances: float64 (regions, sizes)."""
    tree, regions = problem.tree, problem.regions()
    values = problem.stacked()
    passing = prepared(problem.variances, regions)
    add_leaves(values, passing, regions)
    climb(values, passing, regions)
    inner = int(tree.starts[-2])
    spread = np.empty_like(values)
    spread[:inner] = passing.own
    spread[inner:] = problem.variances[-1]
    spread[problem.known, -1] = 0.0
    return values, spread


def _smooth_root(known: Float, spread: Float, total: float) -> Float:
    """What is to be expected of the root's cumulative counts, (sizes,), of what is known of them, (1, sizes), and its variance."""
    sizes = np.arange(known.shape[1])
    mean, variance = np.empty_like(known), np.empty_like(known)
    expected = kernels.neighbourhoods(isotonic(known, 0.0, total)[0], NEAR)[None]
    moments = _no_moments(len(sizes))
    kernels.add_moments(expected, known, spread, sizes, moments)
    covariances = np.zeros((3, len(sizes)))
    kernels.pool_sizes(moments, SURE, covariances)
    nothing = np.zeros(len(sizes))
    prior = kernels.Prior(nothing, nothing, np.maximum(covariances[0], 0.0), nothing)
    kernels.smooth(expected, known, spread, sizes, prior, mean, variance)
    return np.asarray(isotonic(mean, 0.0, total)[0])


def _no_moments(sizes: int) -> kernels.Moments:
    """Moments of no region."""
    return kernels.Moments(np.zeros((3, sizes)), np.zeros((3, sizes)), np.zeros(sizes), np.zeros(sizes))


class _Family:
    """A region whose histogram is fixed, and its children."""

    def __init__(self, problem: CumulativeProblem, region: int, histogram: Int64, known: Float, spread: Float) -> None:
        tree = problem.tree
        self.region = region
        self.children = tree.children[tree.offsets[region] : tree.offsets[region + 1]]
        self.sizes = np.flatnonzero(histogram)
        self.reached = np.cumsum(histogram)[self.sizes].astype(np.float64)
        self.known = problem.known[self.children]
        self.tops = problem.tops[self.children].astype(np.float64)
        self.groups = histogram[self.sizes].astype(np.float64)
        shape = (len(self.children), len(self.sizes))
        self.seen, self.noise, self.expected = np.empty(shape), np.empty(shape), np.empty(shape)
        kernels.average_runs(known, spread, self.children, self.sizes, self.seen, self.noise)
        self._expect(
            np.full(len(self.children), float(self.reached[-1]) / len(self.children) if len(self.sizes) else 0.0)
        )

    def _expect(self, numbers: Float) -> None:
        """What each child expects: the parent's groups in proportion to the children's numbers of groups, (children,), as estimated."""
        numbers = np.where(self.known, self.tops, np.minimum(np.maximum(numbers, LEAST_GROUPS), self.tops))
        whole = _added(numbers)
        share = numbers / whole if whole > 0 else np.full(len(numbers), 1 / len(numbers))
        self.expected[:] = share[:, None] * self.groups

    def size_up(self, prior: kernels.Prior) -> None:
        """Estimate the children's numbers of groups anew."""
        factors = np.empty(len(self.children))
        kernels.fit_of_prior(self.expected, self.seen, self.noise, self.sizes, prior, factors)
        self._expect(factors * np.array([_added(row) for row in self.expected]))

    def agreement(self, prior: kernels.Prior) -> float:
        """Twice the logarithm of the likelihood of what was seen of the children, up to a constant."""
        unused = np.empty(len(self.children))
        return kernels.fit_of_prior(self.expected, self.seen, self.noise, self.sizes, prior, unused)

    def smoothed(self, prior: kernels.Prior) -> Float:
        """What is to be expected of the children's cumulative counts at the parent's sizes: (children, sizes of the parent)."""
        mean, variance = np.empty_like(self.seen), np.empty_like(self.seen)
        kernels.smooth(self.expected, self.seen, self.noise, self.sizes, prior, mean, variance)
        kernels.reconcile(mean, variance, self.reached)
        return isotonic(mean, 0.0, self.tops)


def _size_up(families: Sequence[_Family], prior: kernels.Prior) -> None:
    """Estimate the number of groups of every region of a level anew."""
    for family in families:
        family.size_up(prior)


def _likelier(families: Sequence[_Family], sizes: int, alike: kernels.Prior) -> kernels.Prior:
    """The prior of a level: that of its moments, or the one that is the same at all sizes, if that agrees better with what was seen."""
    by_size = _of_moments(families, sizes)
    return alike if _agreement(families, alike) > _agreement(families, by_size) else by_size


def _agreement(families: Sequence[_Family], prior: kernels.Prior) -> float:
    """Of some families of a level with a prior."""
    return _added(np.array([family.agreement(prior) for family in families[:: -(-len(families) // ENOUGH)]]))


def _likeliest(families: Sequence[_Family], sizes: int) -> kernels.Prior:
    """The prior of GRID that agrees best with what was seen, each of its three numbers in turn being chosen while the others stay."""
    tried: dict[tuple[float, ...], float] = {}

    def agreed(chosen: tuple[float, ...]) -> float:
        if chosen not in tried:
            tried[chosen] = _agreement(families, _same_at_all_sizes(sizes, *chosen))
        return tried[chosen]

    best: tuple[float, ...] = BEGIN
    for _ in range(ROUNDS):
        for at, values in enumerate(GRID):
            best = max([(*best[:at], value, *best[at + 1 :]) for value in values], key=agreed)
    return _same_at_all_sizes(sizes, *best)


def _same_at_all_sizes(sizes: int, correlation: float, shared: float, lone: float) -> kernels.Prior:
    fresh = shared * (1.0 - correlation * correlation)
    return kernels.Prior(*(np.full(sizes, each) for each in (correlation, fresh, lone, shared)))


def _of_moments(families: Sequence[_Family], sizes: int) -> kernels.Prior:
    """The prior of a level, by moments over its regions."""
    moments = _no_moments(sizes)
    for family in families:
        kernels.add_moments(family.expected, family.seen, family.noise, family.sizes, moments)
    covariances = np.zeros((3, sizes))
    kernels.pool_sizes(moments, SURE, covariances)
    spread = np.maximum(covariances[0], 0.0)
    shared = np.clip(_shared(covariances[1], covariances[2]), 0.0, spread)
    before = np.concatenate([[0.0], shared[:-1]])
    correlation = np.clip(_over(covariances[1], np.sqrt(shared * before)), -CLOSEST, CLOSEST)
    keep = correlation * np.sqrt(_over(shared, before))
    return kernels.Prior(keep, shared * (1.0 - correlation * correlation), spread - shared, shared)


def _shared(one: Float, two: Float) -> Float:
    """The variance of u at each size, of its covariances with the size before (`one`) and with that two sizes before (`two`).

    Where u is a chain, or one factor in all sizes, its variance at the middle of three sizes is the product of the covariances with both
    neighbours over the covariance of these. At the first and the last size with a neighbour it is taken from the triple at that end.
    """
    middle = _over(one * _ahead(one, 1), _ahead(two, 1))
    first = _over(_ahead(one, 1) * _ahead(two, 2), _ahead(one, 2))
    shares = np.where(one == 0, first, middle)
    shares[-1] = _over(one * two, np.append(0.0, one[:-1]))[-1]
    return shares


def _ahead(values: Float, by: int) -> Float:
    """The values `by` sizes further on, then 0."""
    return np.append(values, np.zeros(by))[by:]


def _over(above: Float, below: Float) -> Float:
    """The quotients, 0 where there is none."""
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def _added(values: Float) -> float:
    """The sum in the order of the values."""
    total = 0.0
    for value in values.tolist():
        total += value
    return total
