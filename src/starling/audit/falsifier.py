"""A certified lower bound on what a mechanism really costs, from its outputs alone.

For any set S of outputs, epsilon-DP says P[M(x) in S] <= e^epsilon P[M(x') in S] for neighbours x, x'. So two probabilities that
are certainly far apart refute a claim. Half of the draws choose S: outputs are taken in the order of their likelihood ratio, as
many as make the bound best. The other half, which S does not depend on, bound the two probabilities by Clopper and Pearson's
exact interval. Both directions (x over x', x' over x) are tried, so four one-sided bounds are used, each at a quarter of the
allowed chance of a false alarm (Bonferroni): with probability at least 1 - false_alarm the true cost is at least the bound.

The bound is on the cost for the pair of neighbours that was tried: it can refute a claim and never prove one. The pair must be
adversarial, and the outputs few enough that the draws see the ones that matter; map large outputs to few integers first.

zCDP. Membership in S is post-processing, so D_a(Bernoulli(P) || Bernoulli(P')) <= rho a for every order a: the certified probabilities
bound rho directly. That is no weaker than to compare with the (epsilon, delta) curve that rho implies, which is derived from the
same divergences; `delta` and `epsilon_at` give the bounds in those terms.

Written here, because the public auditors (DP-Sniper, StatDP, Delta-Siege) work on floats and learn a classifier; for integer outputs a
histogram is the likelihood ratio.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isqrt, log, nextafter
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb

from starling.errors import ParameterError
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.precision import precision

Sampler: TypeAlias = Callable[[int], npt.NDArray[np.int64]]
"""Draws that many independent outputs: int64 of shape (n,), or (n, values)."""

Goal: TypeAlias = Literal["epsilon", "rho"]

_PRIOR = 5
"""Draws added to both sides of every output when outputs are ordered: one seen once is no evidence of an infinite ratio."""

_WARY = 4.0
"""Standard errors, at least, by which a set's learned bound is lowered: the best of many sets looks better than it is."""

ORDERS = 1 + np.geomspace(2.0**-10, 2.0**10, 161)
"""Orders at which rho is bounded; each gives a valid bound."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Two probabilities of one set of outputs, certified together.

    Attributes:
        higher: The probability of the set under one neighbour is at least this.
        lower: The probability of the set under the other neighbour is at most this.
        hits: How often each of them hit the set, in the testing half.
        draws: Draws of the testing half, per neighbour.
        outputs: How many different outputs the set holds.
    """

    higher: float
    lower: float
    hits: tuple[int, int]
    draws: int
    outputs: int

    @property
    def epsilon(self) -> float:
        """Pure DP costs at least this."""
        return self.epsilon_at(0.0)

    def epsilon_at(self, delta: float) -> float:
        """(epsilon, delta)-DP needs at least this epsilon."""
        if self.higher - delta <= self.lower:
            return 0.0
        return inf if self.lower == 0 else _down(log((self.higher - delta) / self.lower))

    def delta(self, epsilon: float) -> float:
        """(epsilon, delta)-DP needs at least this delta."""
        return max(0.0, _down(self.higher - exp(epsilon) * self.lower))

    @property
    def rho(self) -> float:
        """zCDP costs at least this."""
        return max(0.0, _down(float(_rho(np.array([self.higher]), np.array([self.lower]))[0])))

    def refutes(self, claim: Cost) -> bool:
        """Whether the claim is certainly too low."""
        return (self.epsilon if isinstance(claim, Epsilon) else self.rho) > claim.amount


def falsify(left: Sampler, right: Sampler, draws: int, *, goal: Goal = "epsilon", false_alarm: float = 1e-6) -> Finding:
    """Try to refute claims about a mechanism on one pair of neighbours.

    Args:
        left: The mechanism on one database.
        right: The mechanism on its neighbour.
        draws: Draws from each; half of them learn the set, half test it.
        goal: Which bound the set is chosen for.
        false_alarm: The most probability with which a bound of the finding may be wrong.

    Returns:
        The better of the two directions.
    """
    if draws < 4 or not 0 < false_alarm < 1:
        raise ParameterError("draws", "are below 4, or false_alarm is not within (0, 1)", "draw more, allow some")
    half = draws // 2
    learned, tested = _counts(left(draws), right(draws), half)
    level = false_alarm / 4
    findings = [
        _direction(learned[side], tested[side], half, draws - half, goal, level)
        for side in (slice(None), slice(None, None, -1))
    ]
    return max(findings, key=lambda finding: getattr(finding, goal))


def _counts(
    left: npt.NDArray[np.int64], right: npt.NDArray[np.int64], half: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """How often each output appeared, in the learning and in the testing half: two arrays of shape (2 sides, outputs)."""
    both = np.concatenate((left, right))
    values, code = np.unique(both, axis=0, return_inverse=True)
    sides = np.split(code.ravel(), [half, left.shape[0], left.shape[0] + half])
    counts = [np.bincount(part, minlength=values.shape[0]) for part in sides]
    return np.stack((counts[0], counts[2])), np.stack((counts[1], counts[3]))


def _direction(
    learned: npt.NDArray[np.int64], tested: npt.NDArray[np.int64], half: int, rest: int, goal: Goal, level: float
) -> Finding:
    """Choose the set that is likelier under the first side, then certify."""
    seen = np.flatnonzero(learned[0] > learned[1])
    order = seen[np.argsort(-(learned[0, seen] + _PRIOR) / (learned[1, seen] + _PRIOR), kind="stable")]
    hits = np.cumsum(learned[:, order], axis=1)
    if order.size == 0:
        return Finding(0.0, 1.0, (0, 0), rest, 0)
    deviate = max(_WARY, NormalDist().inv_cdf(1 - level))
    higher, lower = _wilson(hits[0], half, -deviate), _wilson(hits[1], half, deviate)
    bounds = np.log(np.maximum(higher, 1e-300) / lower) if goal == "epsilon" else _rho(higher, lower)
    chosen = order[: int(np.argmax(bounds)) + 1]
    one, other = (int(side[chosen].sum()) for side in tested)
    return Finding(
        lower_bound(one, rest, level), 1 - lower_bound(rest - other, rest, level), (one, other), rest, chosen.size
    )


def lower_bound(hits: int, draws: int, level: float) -> float:
    """Clopper and Pearson: the largest p found with P(Binomial(draws, p) >= hits) <= level, certified by Arb.

    True probabilities lie below it with probability at most `level`. The upper bound is 1 - lower_bound of the misses.

    >>> round(lower_bound(5, 5, 0.05), 4)
    0.5493
    """
    if hits == 0:
        return 0.0
    low, high = 0.0, hits / draws
    guess = float(_wilson(np.array([hits]), draws, -NormalDist().inv_cdf(1 - level))[0])
    for trial in (guess * 0.99, min(guess * 1.01, (guess + 1) / 2)):
        low, high = (trial, high) if at_most(trial, hits, draws, level) else (low, min(high, trial))
    while high - low > 1e-5 * min(high, 1 - low):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(middle, hits, draws, level) else (low, middle)
    return low


def at_most(p: float, hits: int, draws: int, level: float) -> bool:
    """Whether P(Binomial(draws, p) >= hits) is certainly at most `level`, for a level below 1/2.

    The first term by Arb; the others are multiples of it by falling ratios below 1, added up in doubles (each term within a
    relative 4 j 2^-53 after j steps: below 1e-8 for 2 * 10^7 draws), the rest bounded by a geometric series.
    """
    if p >= hits / draws:
        return False  # then the median is not below `hits`
    if p <= 0:
        return True
    reach = min(draws, hits + 60 * isqrt(draws) + 100)
    steps = np.arange(hits, reach, dtype=np.float64)
    ratios = (draws - steps) / (steps + 1) * (p / (1 - p))
    terms = np.cumprod(ratios)
    total = 1.0 + float(terms.sum())
    if reach < draws:
        total += float(terms[-1] * ratios[-1] / (1 - ratios[-1]))
    with precision(128):
        share, misses = arb(p), draws - hits
        ways = arb(draws + 1).lgamma() - arb(hits + 1).lgamma() - arb(misses + 1).lgamma()
        first = (ways + hits * share.log() + misses * (1 - share).log()).exp()
        return bool(first * (total * (1 + 1e-8)) <= arb(level))


def _wilson(hits: npt.NDArray[np.int64], draws: int, deviate: float) -> npt.NDArray[np.float64]:
    """Wilson's approximate bound, above the share for a positive deviate: good enough to choose a set by."""
    share, square = hits / draws, deviate**2 / draws
    spread = np.sqrt(square * (share * (1 - share) + square / 4))
    return np.asarray((share + square / 2 + np.sign(deviate) * spread) / (1 + square), dtype=np.float64)


def _rho(higher: npt.NDArray[np.float64], lower: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The largest D_a(Bernoulli(more) || Bernoulli(less)) / a over ORDERS, 0 where more <= less; shape as given.

    It grows with `more` and falls with `less` where more > less, so certified ends give a certified bound.
    """
    best = np.zeros_like(higher)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.log(higher), np.log(lower)
        outside = np.log1p(-higher), np.log1p(-lower)
        for order in ORDERS:
            terms = [order * one + (1 - order) * other for one, other in (inside, outside)]
            both = np.where(higher >= 1, terms[0], np.logaddexp(*terms))
            best = np.fmax(best, np.where(higher > lower, both / ((order - 1) * order), 0.0))
    return best


def _down(value: float) -> float:
    """Below the exact value by more than what a few roundings of doubles can add."""
    return nextafter(value - abs(value) * 1e-9 - 1e-12, -inf)
