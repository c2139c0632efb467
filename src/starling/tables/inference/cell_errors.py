"""How far any weighted sum of a group's published cells errs: the draws in it, what roundings add, and its variance.

Apart. Cells that are published as measured have one draw each, and no rounding. The cells of a topped-up group have a draw of each release,
independent errors, and a rounding of their own for each release after the first (combined.py).

Both stages. A group of k cells has the sum E of its own independent draws e_i and the stage-1 total's draw Z; the correction is
C = round(a (Z - E)), and the first j cells get round(j C/k) of it (combined.py). A sum of its cells with weights w_i errs by

    sum w_i e_i + g(C),  g(C) = sum over j of (w_j - w_(j+1)) round(j C/k),  w_(k+1) = 0.

Roundings. round(k C/k) is C, so g(C) is within 1/2 sum over j < k of |w_j - w_(j+1)| of w C, w the mean weight, and C within 1/2 of
a (Z - E): both together are the slack. A total has 1/2, one of two sexes 3/4.

Pairs. The two numbers that sums, sizes and means follow from (pairs.py) are published as measured. Their noise is as wide as the numbers
are apart, and is drawn in steps here: how far these are off the noise itself is the slack.

Variance. sum w_i e_i = w E + sum (w_i - w) e_i. The draws are exchangeable, so all e_i have one covariance with any function of E
and Z, and sum (w_i - w) is 0: the second sum is uncorrelated with all the rest, and the variance is

    s^2 sum (w_i - w)^2 + Var(w E + g(C)).

Rounding is odd and all distributions are symmetric, so w E + g(C) has mean 0. With D = Z - E, on which C depends, its second moment is
w^2 Var E + 2 w sum g(d) E[E; D = d] + sum g(d)^2 P(D = d), by the joint distribution of E and D that totals.py lists.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from starling.privacy.distributions.convolution import coarser
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.tables.inference.combined import later_weight, rounded, standard_deviation
from starling.tables.inference.totals import stage_difference
from starling.tables.plan import CombinedStageNoise, Noise, StageNoise
from starling.tables.plan.combined_stages import stage1_weight

Draws = Mapping[Hashable, tuple[Distribution, Fraction]]
STEPS_OF_PAIRS: Final = 2**10
"""Steps in the width of the noise of a pair, whose distribution is then quickly listed; the slack of a draw is a step."""


@dataclass(frozen=True, slots=True)
class BothStages:
    """The cells of one group whose stages are combined.

    Attributes:
        name: The name of the group's measurements, by which its draws are known.
        cells: How many cells it has, 1, 8, 18 or 46.
    """

    name: Hashable
    stage_noise: StageNoise
    cells: int

    def draws(self, weights: Sequence[Fraction]) -> Draws:
        """The draws in the sum of the cells, each times its weight: those of the cells by their numbers, and the stage-1 total's."""
        share = stage1_weight(self.stage_noise, self.cells) * sum(weights) / self.cells
        drawn: dict[Hashable, tuple[Distribution, Fraction]] = {
            (self.name, cell): (self.stage_noise.stage2, weight - share)
            for cell, weight in enumerate(weights)
            if weight != share
        }
        return drawn | ({(self.name, "first"): (self.stage_noise.stage1, share)} if share else {})

    def slack(self, weights: Sequence[Fraction]) -> Fraction:
        """What the roundings of the correction and of its spread over the cells may have added, at most."""
        steps = sum((abs(a - b) for a, b in pairwise(weights)), Fraction(0))
        return (abs(sum(weights, Fraction(0))) / self.cells + steps) / 2

    def variance(self, weights: Sequence[Fraction]) -> float:
        """The variance of the sum of the cells as published, each times its weight."""
        return _both_stages(self.stage_noise, tuple(weights))


@dataclass(frozen=True, slots=True)
class Pair:
    """The two noisy numbers of a group of a sum, each with a draw of its own.

    Attributes:
        name: The name of the group's measurements, by which its draws are known.
        noise: The noise of either number.
    """

    name: Hashable
    noise: Distribution

    @property
    def _step(self) -> int:
        return max(int(self.noise.width) // STEPS_OF_PAIRS, 1)

    def draws(self, weights: Sequence[Fraction]) -> Draws:
        """The draws in the sum of both numbers, each times its weight, in steps."""
        noise, _ = coarser(self.noise, self._step)
        return {(self.name, at): (noise, weight * self._step) for at, weight in enumerate(weights) if weight}

    def slack(self, weights: Sequence[Fraction]) -> Fraction:
        """How far the steps are off the noise, at most."""
        _, off = coarser(self.noise, self._step)
        return off * sum(map(abs, weights), Fraction(0))

    def variance(self, weights: Sequence[Fraction]) -> float:
        """The variance of the sum of both numbers, each times its weight."""
        return float(sum(weight * weight for weight in weights)) * standard_deviation(self.noise) ** 2


@dataclass(frozen=True, slots=True)
class Apart:
    """The cells of a group, or the one total of a total-only group, whose errors are independent of one another.

    Attributes:
        names: The names of the group's measurements in each release that is in them, the last first, by which its draws are known.
        noise: The noise of a cell as it is published now.
    """

    names: tuple[Hashable, ...]
    noise: Noise

    def draws(self, weights: Sequence[Fraction]) -> Draws:
        """The draws in the sum of the cells, each times its weight, by their measurements and their cell."""
        drawn, _ = _drawn(self.noise)
        return {
            (name, cell): (distribution, weight * part)
            for cell, weight in enumerate(weights)
            for name, (distribution, part) in zip(self.names, drawn, strict=True)
            if weight * part
        }

    def slack(self, weights: Sequence[Fraction]) -> Fraction:
        """What the rounding of each cell, once for each further release, may have added, at most."""
        _, slack = _drawn(self.noise)
        return slack * sum((abs(weight) for weight in weights), Fraction(0))

    def variance(self, weights: Sequence[Fraction]) -> float:
        """The variance of the sum of the cells as published, each times its weight."""
        return standard_deviation(self.noise) ** 2 * sum(float(weight) ** 2 for weight in weights)


@lru_cache(maxsize=256)
def _drawn(noise: Noise) -> tuple[tuple[tuple[Distribution, Fraction], ...], Fraction]:
    """The draws in a combined number with their weights, the last first, and what its roundings may have added."""
    drawn: list[tuple[Distribution, Fraction]] = []
    left, slack = Fraction(1), Fraction(0)
    while isinstance(noise, CombinedStageNoise):
        weight = later_weight(noise)
        drawn.append((noise.later, left * weight))
        slack += left / 2
        left, noise = left * (1 - weight), noise.earlier
    drawn.append((noise, left))
    return tuple(drawn), slack


@lru_cache(maxsize=1024)
def _both_stages(stage_noise: StageNoise, weights: tuple[Fraction, ...]) -> float:
    cells = len(weights)
    mean = sum(weights, Fraction(0)) / cells
    apart = sum(float(weight - mean) ** 2 for weight in weights) * probability_mass(stage_noise.stage2).variance
    difference = stage_difference(stage_noise.stage1, stage_noise.stage2, cells)
    share = stage1_weight(stage_noise, cells)
    correction = rounded(difference.values * share.numerator, share.denominator)
    added = np.zeros(len(correction))
    for upto, (here, after) in enumerate(pairwise((*weights, Fraction(0))), start=1):
        if here != after:
            added += float(here - after) * rounded(upto * correction, cells)
    w = float(mean)
    # Both sums are even in d, and 0 at 0: twice those over d above 0.
    moved = 2 * float(2 * w * (added @ difference.mean) + added**2 @ difference.chance)
    return apart + w * w * probability_mass(stage_noise.stage2, cells).variance + moved
