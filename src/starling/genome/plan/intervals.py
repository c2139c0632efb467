"""Into how many public intervals a scan divides a quantitative phenotype, where they are cut, and what each counts as.

A scan turns each person's interval into another one by a coin (privacy/sampling/response.py). Everything here follows from the plan's
range, the number of intervals and epsilon. The law that is supposed is public: normal, its mean half way between the plan's ends, its
deviation a sixth of the way. Phenotypes that have another law cost power, never privacy. Where a median is paid for (scores/medians.py),
the law lies about it, but so far from the ends that all cuts are within them.

Cuts. CUTS has them in deviations; each is near the best of its number for the epsilons that take it. An interval counts as the mean of the
supposed law within it: with u the score of a SNP and this response, no other scores of the intervals leave more of a normal phenotype, to
within .001 of the share. Scores are from 0 of the lowest to 1 of the highest; `width` is what 1 is in the unit of the phenotype.

How many. Of a normal phenotype 2 intervals leave most up to epsilon 2, then 3, from 3.5 on 5, from 5 on 8: .136, .369, .594, .752 and .918
of the sample at epsilon 1, 2, 3, 4 and 6 (`normal_share`).
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1
from statistics import NormalDist
from typing import Final

import numpy as np

from starling.genome.arrays import Float64, Int64
from starling.genome.plan.model import Plan

CUTS: Final[dict[int, tuple[str, ...]]] = {
    2: ("0",),
    3: ("-0.48", "0.48"),
    5: ("-0.93", "-0.27", "0.27", "0.93"),
    8: ("-1.49", "-0.87", "-0.41", "0", "0.41", "0.87", "1.49"),
}
"""Where each number of intervals is cut, in deviations of the supposed law."""
FROM: Final = ((Fraction(5), 8), (Fraction(7, 2), 5))
"""The epsilon from which on a scan has so many intervals."""
DEVIATIONS: Final = 6
"""Of the supposed law between the plan's ends."""
PLACES: Final = 6
_NORMAL: Final = NormalDist()


def intervals_at(epsilon: Fraction) -> int:
    """How many intervals leave most of a normal phenotype.

    >>> [intervals_at(Fraction(epsilon)) for epsilon in (1, 2, 3, 4, 6)]
    [2, 2, 3, 5, 8]
    """
    return next((number for least, number in FROM if epsilon >= least), 2 if epsilon <= 2 else 3)


def response_gain(epsilon: Fraction, intervals: int) -> float:
    """(e^epsilon - 1)/(e^epsilon + k - 1): by how much an answer is likelier to be kept than to become a given other one.

    >>> round(response_gain(Fraction(1), 2), 6), round(response_gain(Fraction(3), 5), 6)
    (0.462117, 0.792407)
    """
    rate = min(float(epsilon), 700.0)
    return -expm1(-rate) / (1 + (intervals - 1) * exp(-rate))


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of one scan.

    Attributes:
        cuts: Where one ends and the next begins, in the unit of the phenotype; a phenotype at a cut is below it.
        edges: The same in steps of the plan.
        scores: What each counts as, from 0 to 1.
        width: What 1 of a score is in the unit of the phenotype.
    """

    cuts: tuple[Fraction, ...]
    edges: tuple[int, ...]
    scores: tuple[float, ...]
    width: float

    @classmethod
    def of(cls, plan: Plan, number: int, median: int | None = None) -> "Intervals":
        """Those of a plan with a range of phenotypes, so many as CUTS knows; about a median, by the step before it, or about the middle."""
        assert plan.between is not None
        low, high = plan.between
        deviation, middle = (high - low) / DEVIATIONS, (low + high) / 2
        if median is not None:
            farthest = deviation * Fraction(CUTS[number][-1])
            middle = min(max(median_value(plan, median), low + farthest), high - farthest)
        cuts = tuple(middle + deviation * Fraction(cut) for cut in CUTS[number])
        edges = tuple(int((cut - low) * plan.steps / (high - low)) for cut in cuts)
        _, means = _normal(number)
        scale = means[-1] - means[0]
        scores = tuple(round((each - means[0]) / scale, PLACES) for each in means)
        return cls(cuts, edges, scores, scale * float(deviation))

    def of_steps(self, levels: Int64) -> Int64:
        """The interval of each person, int64 (n,), from 0 on, by the steps of their phenotypes, int64 (n,)."""
        return np.searchsorted(np.array(self.edges), levels, side="left").astype(np.int64)

    def counted(self, intervals: Int64) -> Float64:
        """What each person's interval counts as, float64 (n,)."""
        return np.array(self.scores)[intervals]


def median_value(plan: Plan, step: int) -> Fraction:
    """Half way between a step and the next, in the unit of the phenotype."""
    assert plan.between is not None
    low, high = plan.between
    return low + (high - low) * Fraction(2 * step + 1, 2 * plan.steps)


def normal_share(epsilon: Fraction | None, intervals: int) -> float:
    """The share of the sample that a response leaves of a normal phenotype; what the intervals themselves leave where epsilon is None.

    The squared correlation of what a person's answer counts as with her phenotype: with P the probability of each interval, m its mean in
    deviations and s = `response_gain`, (s sum P m^2)^2 over the variance of an answer, whose probability is s P + (1 - s)/k.

    >>> [round(normal_share(Fraction(epsilon), intervals_at(Fraction(epsilon))), 3) for epsilon in (1, 2, 3, 4, 6)]
    [0.136, 0.369, 0.594, 0.752, 0.918]
    >>> round(normal_share(None, 2), 3)
    0.637
    """
    shares, means = _normal(intervals)
    squares = sum(share * mean**2 for share, mean in zip(shares, means, strict=True))
    if epsilon is None:
        return squares
    gain = response_gain(epsilon, intervals)
    variance = gain * squares + (1 - gain) / intervals * sum(mean**2 for mean in means)
    return (gain * squares) ** 2 / variance


def _normal(intervals: int) -> tuple[list[float], list[float]]:
    """The probability of each interval, and its mean in deviations; symmetric, so that all means together are 0."""
    cuts = [float(Fraction(cut)) for cut in CUTS[intervals]]
    below = [0.0, *map(_NORMAL.cdf, cuts), 1.0]
    heights = [0.0, *map(_NORMAL.pdf, cuts), 0.0]
    shares = [high - low for low, high in pairwise(below)]
    falls = [low - high for low, high in pairwise(heights)]
    return shares, [round(fall / share, PLACES) for fall, share in zip(falls, shares, strict=True)]


def divided_in_words(plan: Plan, intervals: int, median: int | None = None) -> str:
    """How a scan divides a quantitative phenotype, and what its effects are of, as sentences; empty of cases and controls."""
    if plan.between is None:
        return ""
    divided = Intervals.of(plan, intervals, median)
    cuts = ", ".join(f"{float(cut):z.6g}" for cut in divided.cuts)
    return (
        f"The phenotype is divided into {intervals} intervals, at {cuts}; BETA is of the interval's score, in the unit of the phenotype:"
        f" about {100 * normal_share(None, intervals):z.0f} % of the trait's own effect where it is normal between the plan's ends, and no"
        " odds ratio."
    )
