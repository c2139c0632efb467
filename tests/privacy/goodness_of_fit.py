"""Chi-square tests of integer draws against an exact distribution, with the chance of a false alarm and the power stated."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2, ncx2

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution

FALSE_ALARM = 1e-9
"""Chance that a right sampler fails one test."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Bins:
    """Integers cut into intervals.

    Attributes:
        cuts: Ascending; bin i holds cuts[i-1] < x <= cuts[i], the first all x <= cuts[0], the last all x > cuts[-1].
    """

    cuts: npt.NDArray[np.int64]

    def counts(self, draws: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Draws in each bin."""
        low, high = int(self.cuts[0]), int(self.cuts[-1]) + 1
        if high - low > 2**20:
            return np.bincount(np.searchsorted(self.cuts, draws), minlength=self.cuts.size + 1)
        per_value = np.bincount(np.clip(draws, low, high) - low, minlength=high - low + 1)
        return np.add.reduceat(per_value, np.concatenate([[0], self.cuts - low + 1]))

    def chances(self, distribution: Distribution) -> Floats:
        """The exact probability of each bin, to about 12 digits."""
        below = at_most(distribution)(self.cuts)
        return np.diff(np.concatenate([[0.0], below, [1.0]]))


def at_most(distribution: Distribution) -> Callable[[npt.NDArray[np.int64]], Floats]:
    """x -> P(X <= x) by definition, in doubles."""
    if isinstance(distribution, DiscreteLaplace):
        scale = float(distribution.scale)
        q = np.exp(-1 / scale)

        def laplace(x: npt.NDArray[np.int64]) -> Floats:
            return np.asarray(np.where(x >= 0, 1 - np.exp(-(x + 1) / scale) / (1 + q), np.exp(x / scale) / (1 + q)))

        return laplace
    s2 = float(distribution.sigma_squared)
    most = int(9 * s2**0.5) + 10
    weights = np.exp(-(np.arange(-most, most + 1, dtype=np.float64) ** 2) / (2 * s2))
    sums = np.cumsum(weights)

    def gaussian(x: npt.NDArray[np.int64]) -> Floats:
        return np.asarray(sums[np.clip(x, -most, most) + most] / sums[-1])

    return gaussian


def bins(distribution: Distribution, draws: int, most: int = 128) -> Bins:
    """About `most` bins of similar probability, further ones outward, -1, 0 and 1 alone where possible; 50 draws expected in each."""
    spread = (
        float(distribution.scale)
        if isinstance(distribution, DiscreteLaplace)
        else float(distribution.sigma_squared) ** 0.5
    )
    reach = max(4, int(30 * spread))
    grid = np.unique(np.linspace(-reach, reach, min(2 * reach + 1, 2**20)).astype(np.int64))
    chance_at_most = at_most(distribution)
    tail = 2.0 ** -np.arange(1, 25) / most
    levels = np.concatenate([tail, np.arange(1, most) / most, 1 - tail])
    cuts = np.union1d(grid[np.searchsorted(chance_at_most(grid), levels)], [-2, -1, 0, 1])
    kept: list[int] = []
    total = 0.0
    for cut, below in zip(cuts.tolist(), chance_at_most(cuts).tolist(), strict=True):
        if (below - total) * draws >= 50 and (1 - below) * draws >= 50:
            kept.append(cut)
            total = below
    return Bins(np.array(kept, dtype=np.int64))


def excess(counts: npt.NDArray[np.int64], chances: Floats) -> float:
    """The chi-square statistic over its threshold at FALSE_ALARM: above 1 is a rejection."""
    expected = chances * counts.sum()
    return float(((counts - expected) ** 2 / expected).sum() / chi2.isf(FALSE_ALARM, chances.size - 1))


def power(true: Floats, claimed: Floats, draws: int) -> float:
    """The chance that `draws` draws of bin chances `true` are rejected as draws of `claimed`."""
    noncentrality = draws * float(((true - claimed) ** 2 / claimed).sum())
    freedom = claimed.size - 1
    return float(ncx2.sf(chi2.isf(FALSE_ALARM, freedom), freedom, noncentrality))


def stretched(distribution: Distribution, factor: Fraction) -> Distribution:
    """The same distribution with `factor` times the scale."""
    if isinstance(distribution, DiscreteLaplace):
        return DiscreteLaplace(distribution.scale * factor)
    return DiscreteGaussian(distribution.sigma_squared * factor**2)
