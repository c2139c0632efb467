"""The noisy measurements of two releases side by side, and which of their many differences are significant.

Groups that both releases measured are paired piece by piece, by region and definition.

The distribution of the difference of two independent noises, each a sum of draws of one distribution, is a table of tails. Two discrete
Gaussian sums of parameters s and t, both from NARROW on: the convolution at x is e^(-x^2/(2 (s + t))) times a sum over
integers of a Gaussian of parameter s t/(s + t), at least half of the smaller, about a centre that depends on x; by Poisson that sum is
constant in x up to a factor 1 +- 2.01 e^(-pi^2 min(s, t)) < 1 +- 10^-16. So the difference is one draw of parameter s + t, as sums of
equal parameters are (privacy/distributions/tails.py). All other pairs are convolved, entry by entry.

Which differences are significant is found in one pass over numbers that need not fit into memory. Benjamini and Hochberg (1995): of N
independent p-values select the R smallest, R the largest number with the R-th smallest p at most R q/N. No p-value above q is ever
selected, so only those up to q are kept: under no difference a share q of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.discrete import DiscreteGaussian, Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.privacy.distributions.tails import NARROW
from starling.tables.artifact.measured import read_measurements, with_earlier
from starling.tables.inference.combined import listed_noise
from starling.tables.inference.totals import suppression_quantile
from starling.tables.measurements import Measured, Measurements
from starling.tables.plan import Detail, Geography, Iteration, Level, Noise, Piece, Plan
from starling.tables.plan.detail import TOTAL_ONLY

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of so many independent draws of a distribution."""

    distribution: Noise
    terms: int


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """The tails of a symmetric distribution on the integers: P(|D| >= d) for d = 0, 1, ...; what lies beyond has less than 10^-30."""

    beyond: Float64

    def chance(self, difference: Int64) -> Float64:
        """P(|D| >= |difference|) of each."""
        chances: Float64 = self.beyond[np.minimum(np.abs(difference), len(self.beyond) - 1)]
        return chances

    def margin(self, alpha: float) -> int:
        """The smallest M with P(|D| > M) <= alpha."""
        return int(np.searchsorted(-self.beyond[1:], -alpha, side="left"))


@lru_cache(maxsize=1024)
def difference(one: Sum, other: Sum) -> Tails:
    """The tails of a draw of `one` less a draw of `other`; both are symmetric, so they are also those of the sum.

    Raises:
        ParameterError: a noise has a standard deviation beyond some thousand persons.

    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> noise = Sum(DiscreteLaplace(Fraction(10)), 1)
    >>> tails = difference(noise, noise)
    >>> tails.margin(0.05), round(float(tails.beyond[41]), 4)
    (41, 0.0526)
    """
    joint = _gaussian(one, other)
    if joint is not None:
        half = probability_mass(joint).above
        above = half[len(half) // 2 + 1 :]
    else:
        first, second = (listed_noise(each.distribution, each.terms) for each in (one, other))
        mass = np.convolve(first.mass, second.mass)
        above = np.cumsum(mass[: len(mass) // 2 : -1])[::-1]
    return Tails(np.concatenate((np.ones(1), np.minimum(2 * above, 1.0))))


def _gaussian(one: Sum, other: Sum) -> Distribution | None:
    """The one distribution that a difference of Gaussian noises has."""
    parameters: list[Fraction] = []
    for noise in (one, other):
        if not isinstance(noise.distribution, DiscreteGaussian) or noise.distribution.sigma_squared < NARROW:
            return None
        parameters.append(noise.terms * noise.distribution.sigma_squared)
    return DiscreteGaussian(sum(parameters, Fraction(0)))


def benjamini_hochberg(p_values: Float64, tests: int, level: float) -> tuple[int, float]:
    """How many differences are significant, and the largest p-value of those.

    Of `tests` p-values (N) those up to `level` (q, in (0, 1)) are enough, in any order. Gives R, and R q/N: what is significant has a
    p-value up to it; (0, 0.0) where nothing is.

    >>> benjamini_hochberg(np.array([0.001, 0.03, 0.04, 0.012]), 5, 0.05)
    (4, 0.04)
    """
    ordered = np.sort(p_values)
    passing = np.flatnonzero(ordered <= level * np.arange(1, len(ordered) + 1) / tests)
    if not len(passing):
        return 0, 0.0
    count = int(passing[-1]) + 1
    return count, level * count / tests


Int8 = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two releases, opened: its folder, its public plan, and its regions with their names."""

    folder: Path
    plan: Plan
    geography: Geography


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some groups of one side, in the order of the pair.

    Attributes:
        totals: Sum of each group's stage-2 measurements, int64 (groups,).
        published: Whether T1 has the group.
        starts: Where each group's values begin in `values`, int64.
        values: The stage-2 measurements of the groups, end to end.
    """

    detail: Detail
    level: Level
    totals: Int64
    branch: Int8
    published: npt.NDArray[np.bool_]
    starts: Int64
    values: Int64

    def cells(self, groups: Int64, branch: int, common: int) -> Int64:
        """The cells of groups of one branch, merged into the coarser cells of branch `common`: (groups, cells)."""
        here = self.values[self.starts[groups, np.newaxis] + np.arange(self.detail.sizes[branch])]
        return self.detail.merged(here, branch, common)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Groups that both measured: those of some regions by the iterations that mean the same persons.

    Attributes:
        regions, iterations: Positions in those that the first side's level has; groups are region-major.
        one, other: The groups as each side measured them.
    """

    regions: Int64
    iterations: Int64
    one: Part
    other: Part


def pairs(one: Side, other: Side) -> Iterator[Pair]:
    """Every group that both measured, once, in plan order."""
    left, right = (iter(_values(side)) for side in (one, other))
    a, b = next(left, None), next(right, None)
    while a is not None and b is not None:
        levels = one.plan.levels[a[0].level], other.plan.levels[b[0].level]
        positions = [(one.plan.regions.order(level.geography), level.iteration_level) for level in levels]
        if positions[0] == positions[1]:
            lasts = [
                side.geography.regions[level.geography][piece.stop - 1]
                for side, level, (piece, _) in zip((one, other), levels, (a, b), strict=True)
            ]
            pair = _pair((one, other), levels, (a, b))
            if pair is not None:
                yield pair
            step = (lasts[0] <= lasts[1], lasts[1] <= lasts[0])
        else:
            step = (positions[0] < positions[1], positions[1] < positions[0])
        a = next(left, None) if step[0] else a
        b = next(right, None) if step[1] else b


def _values(side: Side) -> Measurements:
    """The measurements of a release, combined with those of the releases that it tops up."""
    drawn = read_measurements(side.folder, side.plan, side.geography)
    return with_earlier(side.folder, side.plan, side.geography, drawn)


def shared_iterations(plans: tuple[Plan, Plan], levels: tuple[Level, Level]) -> tuple[Int64, Int64]:
    """Positions of the iterations that have one code and mean the same persons in both."""
    one, other = (
        {_meant(plan, each): position for position, each in enumerate(level.iterations)}
        for plan, level in zip(plans, levels, strict=True)
    )
    both = [(position, other[meant]) for meant, position in one.items() if meant in other]
    positions = np.array(both, dtype=np.int64).reshape(-1, 2)
    return positions[:, 0], positions[:, 1]


def _meant(plan: Plan, iteration: Iteration) -> tuple[object, ...]:
    """What makes an iteration of two plans the same. Where fewer values of its attribute are read, it is of other persons."""
    (attribute,) = [each for each in plan.attributes if each.kind == iteration.kind]
    return iteration.code, attribute, iteration.alone, iteration.codes


def noise(plan: Plan, level: Level, branch: int, terms: int | None = None) -> Sum:
    """The noise of a group's total, or of the sum of `terms` of its cells."""
    if branch == TOTAL_ONLY:
        return Sum(plan.noise(level, total_only=True), 1)
    return Sum(plan.noise(level), plan.detail.sizes[branch] if terms is None else terms)


def terms(detail: Detail, branch: int, common: int) -> list[int]:
    """How many cells of `branch` lie in each cell of the coarser branch `common`."""
    cells: list[int] = np.bincount(detail.within(branch, common)).tolist()
    return cells


def _pair(
    sides: tuple[Side, Side], levels: tuple[Level, Level], read: tuple[tuple[Piece, Measured], tuple[Piece, Measured]]
) -> Pair | None:
    here, there = (
        np.array(side.geography.regions[level.geography][piece.first : piece.stop])
        for side, level, (piece, _) in zip(sides, levels, read, strict=True)
    )
    _, *rows = np.intersect1d(here, there, assume_unique=True, return_indices=True)
    columns = shared_iterations((sides[0].plan, sides[1].plan), levels)
    if not len(rows[0]) or not len(columns[0]):
        return None
    parts = [
        _part(side.plan, level, measured, (row[:, np.newaxis] * piece.iterations + column).ravel())
        for side, level, (piece, measured), row, column in zip(sides, levels, read, rows, columns, strict=True)
    ]
    return Pair(rows[0] + read[0][0].first, columns[0], *parts)


def _part(plan: Plan, level: Level, measured: Measured, groups: Int64) -> Part:
    starts = measured.offsets(plan.detail)
    totals = np.add.reduceat(measured.values, starts[:-1])
    bar = suppression_quantile(plan, level)
    published = np.ones(len(totals), dtype=np.bool_) if bar is None else (measured.branch != 0) | (totals > bar)
    chosen = totals[groups], measured.branch[groups], published[groups], starts[:-1][groups]
    return Part(plan.detail, level, *chosen, measured.values)
