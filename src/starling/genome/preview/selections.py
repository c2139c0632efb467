"""How far the selections may be off: num_sig, loc_sig, loc_block. First what holds for every study, then what it means in some.

For every study there is the bound on patients (inference/answers.py). What patients are worth depends on the study: it is told for
typical ones (typical.py), as the odds ratio from which on the answer is right 95 times of 100, and for blocks as the
correlation that is so many patients above the plan's. Chances of what a selection answers are in doubles: no draw depends on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Final

import numpy as np

from starling.genome.arrays import Float64, Int64
from starling.genome.distance.rules import of_correlation
from starling.genome.distance.search import settled
from starling.genome.inference.answers import SelectionError, selection_error
from starling.genome.plan import LocBlock, LocSig, NumSig, Plan
from starling.genome.plan.queries import Selection, selecting
from starling.genome.preview.typical import (
    Assumed,
    ExpectedAnswer,
    Others,
    from_which_on,
    ladders,
    needed_odds_ratio,
    pair_tables,
)
from starling.genome.scores.blocks import DELTA_M
from starling.genome.scores.locations import num_sig_outputs, scores_between
from starling.privacy.accounting.conversion import approximate
from starling.privacy.budget import DELTA
from starling.privacy.distributions.accuracy import smallest

_quadrature = lru_cache(maxsize=1)(lambda: np.polynomial.legendre.leggauss(128))
"""Points and weights, exact for twice as many candidates as points."""


def chances(scores: Int64, epsilon: float, selection: Selection) -> Float64:
    """Probability that each candidate is selected, sensitivity 1.

    Exponential mechanism: in proportion to w = e^(epsilon (score - best)/2). Permute-and-flip takes the first candidate in a random order
    whose coin of probability w shows heads. Let every candidate come at a time even on (0, 1): one that comes at u is taken with
    probability w when nobody before was, which for each other candidate has probability 1 - u w; so P = w times the integral over u of the
    product of 1 - u w of all others (McKenna and Sheldon 2020, Section 4, by another road).

    >>> chances(np.array([0, -1]), 2.0, "exponential").round(4).tolist()
    [0.7311, 0.2689]
    >>> chances(np.array([0, -1]), 2.0, "permute-and-flip").round(4).tolist()
    [0.8161, 0.1839]
    """
    weights = np.exp(epsilon / 2 * (scores - scores.max()).astype(np.float64))
    if selection == "exponential":
        return np.asarray(weights / weights.sum())
    nodes, parts = _quadrature()
    times, parts = (nodes + 1) / 2, parts / 2
    tails = 1 - times[:, np.newaxis] * weights
    return np.asarray(weights * (parts[:, np.newaxis] * (tails.prod(axis=1)[:, np.newaxis] / tails)).sum(axis=0))


def all_found(beyond: int, k: int, others: Float64, groups: Int64, epsilon: float) -> float:
    """Probability that k rounds at epsilon/k each take k equally strong SNPs, of score `beyond`, and none of the others, of whose scores,
    float64, `groups` says how many have each.
    """
    rate = epsilon / (2 * k)
    # Round with j of the k left: j against the weight of all others beside one of them.
    competing = float(np.sum(groups * np.exp(np.minimum(rate * (others - beyond), 700))))
    return float(np.prod([left / (left + competing) for left in range(1, k + 1)]))


CONFIDENCES: Final = (Fraction(50, 100), Fraction(95, 100), Fraction(99, 100))
"""With which the bounds on patients are told."""
SURE: Final = 0.95
"""Chance of a right answer that is asked for in typical studies."""
SHARES: Final = (0.25, 0.35, 0.5)
"""Shares of people who carry the ends of a block."""
_VALUES: Final = np.arange(1, 1000) / 1000


@dataclass(frozen=True)
class Within:
    """How many patients a selection may be off by, whatever the study.

    Attributes:
        patients: How far all rounds together may be off, in patients, for each of CONFIDENCES.
    """

    error: SelectionError
    patients: tuple[int, ...]

    @classmethod
    def of(cls, error: SelectionError) -> "Within":
        """For each of CONFIDENCES."""
        return cls(error, tuple(error.within(1 - confidence) for confidence in CONFIDENCES))


@dataclass(frozen=True)
class Needed:
    """What a SNP of one frequency needs.

    Attributes:
        frequency: The frequency of the minor allele.
        significant: The least odds ratio with which it is significant; None beyond 100.
        detected: The least with which the answer is right 95 times of 100; None where no effect is strong enough.
    """

    frequency: float
    significant: float | None
    detected: float | None


@dataclass(frozen=True)
class Truth:
    """What num_sig answers of a typical study.

    Attributes:
        significant: How many SNPs are significant, and as strong as can be.
        right: Probability that the answer's range holds that number.
        low: At least so many are answered 97.5 times of 100.
        high: At most so many, 97.5 times of 100.
    """

    significant: int
    right: float
    low: int
    high: int


@dataclass(frozen=True, repr=False)
class ExpectedNumSig(ExpectedAnswer):
    """What to expect of num_sig.

    Attributes:
        truths: When none, one, or `causal` SNPs are significant.
        needed: What `causal` SNPs of each frequency need to be counted right.
        causal: How many SNPs of the typical study have an effect.
    """

    query: NumSig
    within: Within
    truths: tuple[Truth, ...]
    needed: tuple[Needed, ...]
    causal: int


@dataclass(frozen=True, repr=False)
class ExpectedLocSig(ExpectedAnswer):
    """What to expect of loc_sig.

    Attributes:
        each: How far one round alone may be off, in patients, for each of CONFIDENCES.
        needed: What k SNPs of each frequency need to be found all.
        at_delta: The epsilon of all rounds at DELTA, where that is less than their sum.
    """

    query: LocSig
    within: Within
    each: tuple[int, ...]
    needed: tuple[Needed, ...]
    at_delta: Fraction | None


@dataclass(frozen=True)
class Sure:
    """A block whose validity stands the noise.

    Attributes:
        share: The share of people who carry each of its ends.
        correlation: Least correlation of the pairs that counts as many patients above delta_c; None where none does.
    """

    share: float
    correlation: float | None


@dataclass(frozen=True, repr=False)
class ExpectedLocBlock(ExpectedAnswer):
    """What to expect of loc_block.

    Attributes:
        ends: Share of people above which the ends' carriers must be, to be beyond the noise 95 times of 100.
        sure: The correlation that is as surely beyond the noise, for some shares.
    """

    query: LocBlock
    within: Within
    ends: float
    sure: tuple[Sure, ...]


def num_sig(assumed: Assumed, query: NumSig, causal: int) -> ExpectedNumSig:
    """What to expect of a number; the query fits the plan. `causal`, 1 to m: of the typical study."""
    plan = assumed.plan
    snps = len(plan.snps)
    outputs = num_sig_outputs(query.k, snps)
    variance = assumed.variance(query)
    others = _others(assumed, query.test, snps - causal, variance)

    def distribution(strong: int, beyond: int, rest: Others) -> Float64:
        edges = [-beyond if rank <= strong else rest.smallest(rank - strong) for rank in outputs[1:]]
        return chances(scores_between(edges), float(selecting(query)), query.selection)

    def truth(strong: int) -> Truth:
        chances_of = distribution(strong, plan.people, _others(assumed, query.test, snps - strong, variance))
        at = sum(output <= strong for output in outputs) - 1
        ends = (*outputs[1:], snps + 1)
        total = np.cumsum(chances_of)
        low, high = (min(int(np.searchsorted(total, end)), len(outputs) - 1) for end in (0.025, 0.975))
        return Truth(strong, float(chances_of[at]), outputs[low], ends[high] - 1)

    at = sum(output <= causal for output in outputs) - 1
    score = _least(lambda beyond: float(distribution(causal, beyond, others)[at]) >= SURE, plan.people)
    truths = tuple(truth(strong) for strong in sorted({0, 1, causal}))
    return ExpectedNumSig(query, Within.of(error(plan, query)), truths, _needed(assumed, query, score), causal)


def loc_sig(assumed: Assumed, query: LocSig) -> ExpectedLocSig:
    """What to expect of places; the query fits the plan."""
    plan, k = assumed.plan, query.k
    held = sum(stop - start for start, stop in query.ranges(plan))
    others = _others(assumed, query.test, held - k, assumed.variance(query))
    scores = -others.distances.astype(np.float64)

    def is_enough(beyond: int) -> bool:
        return all_found(beyond, k, scores, others.groups, float(selecting(query))) >= SURE

    score = _least(is_enough, plan.people)
    within = Within.of(error(plan, query))
    each = tuple(within.error.within(1 - confidence, each=True) for confidence in CONFIDENCES)
    at_delta = approximate(query.guaranteed(plan.relation), DELTA)
    cheaper = None if at_delta.method == "sum" else at_delta.epsilon
    return ExpectedLocSig(query, within, each, _needed(assumed, query, score), cheaper)


def loc_block(assumed: Assumed, query: LocBlock) -> ExpectedLocBlock:
    """What to expect of a block; the query fits the plan, but that it may name no SNPs: then any may be asked for."""
    plan = assumed.plan
    within = Within.of(error(plan, query))
    beyond = within.patients[1]
    rule = of_correlation(query.correlation, query.delta_c, plan.people)
    sure = []
    for share in SHARES:
        first = from_which_on(-settled(rule, pair_tables(plan.people, share, _VALUES, query.correlation)), beyond)
        sure.append(Sure(share, float(_VALUES[first]) if first < len(_VALUES) else None))
    return ExpectedLocBlock(query, within, (floor(DELTA_M * plan.people) + 1 + beyond) / plan.people, tuple(sure))


def error(plan: Plan, query: NumSig | LocSig | LocBlock) -> SelectionError:
    """The statement that will go with the answer; of blocks around any SNPs where the query names none."""
    if isinstance(query, LocBlock) and not query.snps:
        return SelectionError(_most_blocks(plan, query) + 1, query.epsilon)
    return selection_error(plan, query)


def _most_blocks(plan: Plan, query: LocBlock) -> int:
    """Blocks of the regions, whichever SNPs are asked for."""
    total = 0
    for start, stop in plan.within(query.regions):
        size = stop - start
        longest = size if query.longest is None else min(query.longest, size)
        total += size * longest - longest * (longest - 1) // 2
    return total


@lru_cache(maxsize=16)
def _others(assumed: Assumed, test: str, snps: int, variance: Fraction) -> Others:
    return assumed.without_effect(test, max(snps, 0), variance)


def _needed(assumed: Assumed, query: NumSig | LocSig, beyond: int | None) -> tuple[Needed, ...]:
    return tuple(
        Needed(frequency, needed_odds_ratio(of, 0), None if beyond is None else needed_odds_ratio(of, beyond))
        for frequency, of in ladders(assumed, query.test, assumed.variance(query)).items()
    )


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """The least number from 0 to `most` from which on it holds; None where it does not even hold at `most`."""
    return smallest(holds, 0) if holds(most) else None
