"""Intervals that hold by the distribution of the noise alone, whatever the data: of measured counts, not of what was made of them.

A published number is the end of an optimisation, and how far it is off depends on the data. What is exact is a measurement: truth plus
noise of a known distribution. So an interval stands around the measurement, cut to the public bounds; the published number mostly lies in
it, and need not. Each interval holds the truth with a probability of at least 95 %, on its own.

Of one or two draws margins are exact (privacy/distributions). Sums of many draws have a Chernoff bound: for any t > 0 the sum S of
independent draws exceeds (ln(1/alpha) + ln E e^(tS))/t with a probability of at most alpha; E e^(tX) is (1-q)^2/((1-q e^t)(1-q e^-t)) for
the discrete Laplace and at most e^(t^2 s2/2) for the discrete Gaussian (Canonne, Kamath and Steinke 2020, Corollary 17).
"""

from fractions import Fraction
from math import log
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.privacy.distributions.accuracy import margin, standard_deviation
from starling.privacy.distributions.convolution import Part, sum_margin
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

Float64: TypeAlias = npt.NDArray[np.float64]

MISSING: Final = Fraction(1, 20)
"""The chance that an interval misses."""
QUANTILES: Final = {"lower_quartile": Fraction(1, 4), "median": Fraction(1, 2), "upper_quartile": Fraction(3, 4)}
_STEPS: Final = np.exp(np.linspace(-9, 0, 181))
"""Steps of t, as shares of where the expectation ends or of one standard deviation."""


class LevelErrors:
    """What is known of the noise of one level.

    Args:
        plan: The public choices.
        level: The level's number, 0 for the root.

    Attributes:
        public: Whether the totals of its regions are public.
    """

    def __init__(self, plan: Plan, level: int) -> None:
        self._plan = plan
        self.public = level == 0 or plan.totals == "region"
        noise = plan.noise(level)
        lengths = [sizes.stop - sizes.start for sizes in plan.bands]
        self._noise: list[Distribution | None] = [
            each for each, many in zip(noise, lengths, strict=True) for _ in range(many)
        ]
        if plan.cumulative and self.public:
            self._noise[-1] = None

    def draws_of_count(self, size: int) -> tuple[Distribution, ...]:
        """The noise of each draw in the measured number of groups of this size."""
        both = self._noise[max(size - 1, 0) : size + 1] if self._plan.cumulative else self._noise[size : size + 1]
        return tuple(each for each in both if each is not None)

    def draws_of_tail(self, size: int) -> tuple[Distribution, ...]:
        """The noise of each draw in the measured number of groups of at least this size; none where it is public."""
        if size == 0 and self.public:
            return ()
        if self._plan.cumulative:
            both = [self._noise[-1], *self._noise[max(size - 1, 0) : size]]
        else:
            # The public total less the smaller sizes, where that is fewer draws.
            below, above = self._noise[:size], self._noise[size:]
            both = below if self.public and len(below) < len(above) else above
        return tuple(each for each in both if each is not None)

    def margins(self, tails: bool) -> tuple[Int64, Float64]:
        """By size: the margin at 95 % and the standard deviation of the measured counts, or of those of at least each size."""
        draws = [(self.draws_of_tail if tails else self.draws_of_count)(size) for size in range(self._plan.sizes)]
        known = {each: (_margin(each), _deviation(each)) for each in set(draws)}
        margins, deviations = zip(*(known[each] for each in draws), strict=True)
        return np.array(margins, dtype=np.int64), np.array(deviations)

    def total_margin(self, missing: Fraction) -> int:
        """The margin of the measured total of a region; 0 where it is public."""
        if self.public:
            return 0
        draws = tuple(each for each in (self._noise[-1:] if self._plan.cumulative else self._noise) if each is not None)
        return _margin(draws, missing)

    def cumulative_margins(self, missing: Fraction) -> Int64:
        """By size, the margin of the measured number of groups of at most that size."""
        if not self._plan.cumulative:
            return np.array([_margin(tuple(self._of(size)), missing) for size in range(self._plan.sizes)])
        known = {each: 0 if each is None else margin(each, missing) for each in set(self._noise)}
        return np.array([known[each] for each in self._noise], dtype=np.int64)

    def _of(self, size: int) -> list[Distribution]:
        return [each for each in self._noise[: size + 1] if each is not None]

    def weighted_margin(self, missing: Fraction) -> float:
        """The margin of the sum over all sizes below N of the measured numbers of groups of at most that size."""
        plan = self._plan
        below = self._noise[: plan.largest]
        if plan.cumulative:
            return sum_bound([(noise, np.ones(1), below.count(noise)) for noise in set(below) if noise], missing)
        return sum_bound([(noise, np.arange(plan.largest, 0, -1.0), 1) for noise in set(below) if noise], missing)


def _margin(draws: tuple[Distribution, ...], missing: Fraction = MISSING) -> int:
    """The margin of a sum of independent draws."""
    if not draws:
        return 0
    if len(draws) > 2:
        return int(sum_bound([(noise, np.ones(1), draws.count(noise)) for noise in set(draws)], missing))
    if len(set(draws)) == 1:
        return margin(draws[0], missing, len(draws))
    return int(sum_margin([Part(noise, 1, Fraction(1)) for noise in draws], missing))


def _deviation(draws: tuple[Distribution, ...]) -> float:
    known = {noise: standard_deviation(noise) for noise in set(draws)}
    return float(np.sqrt(sum(known[noise] ** 2 for noise in draws)))


def sum_bound(parts: list[tuple[Distribution, Float64, int]], missing: Fraction) -> float:
    """What a weighted sum of independent draws exceeds in size, both ends together, with a probability of at most `missing`, above 0.

    The parts are distributions, weights above 0, and how many independent draws of it have each weight.
    """
    tail = log(2 / missing)
    spread = np.sqrt(sum(many * standard_deviation(noise) ** 2 * float(w @ w) for noise, w, many in parts))
    ends = [1 / (float(noise.scale) * float(w.max())) for noise, w, _ in parts if isinstance(noise, DiscreteLaplace)]
    steps = _STEPS * min([4 * float(np.sqrt(tail) / spread), *(0.999 * end for end in ends)])
    return float(np.min((tail + sum(many * _log_moment(noise, w, steps) for noise, w, many in parts)) / steps))


def _log_moment(noise: Distribution, weights: Float64, steps: Float64) -> Float64:
    """For each step t, the sum over the weights w of ln E e^(t w X), or no less."""
    t = np.outer(steps, weights)
    if isinstance(noise, DiscreteLaplace):
        rate = 1 / float(noise.scale)
        # (1-q)^2/((1-q e^t)(1-q e^-t)), by expm1 so that nothing is lost at wide noise.
        ends = np.log(-np.expm1(t - rate)) + np.log(-np.expm1(-t - rate))
        return np.asarray(2 * len(weights) * np.log(-np.expm1(-rate)) - ends.sum(axis=1))
    return np.asarray(float(noise.sigma_squared) / 2 * (t * t).sum(axis=1))
