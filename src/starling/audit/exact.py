"""How different two laws are, exactly: epsilon, Renyi divergence and delta from enumerated probabilities.

The laws are mappings from outcome to probability, given as rationals (of a table that was read) or as Arb balls (of a formula);
an outcome that is missing has probability 0. What comes back is a `Bracket`: the true value lies within it, ends included, or
between the two doubles next to each other that it can't be told from.

A law on infinitely many outcomes is given with the outcomes beyond some reach pooled into one at each end. Pooling is
post-processing, so divergences of pooled laws are lower bounds of the true ones: enough to refute a claim.
"""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from math import inf, nextafter
from typing import NamedTuple, TypeAlias, TypeVar

from flint import arb

from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

Probability: TypeAlias = Fraction | int | arb
Outcome = TypeVar("Outcome", bound=Hashable)

_BITS = 256


class Bracket(NamedTuple):
    """Two doubles with the exact value between them."""

    low: float
    high: float


def epsilon(left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability]) -> Bracket:
    """The smallest epsilon for which the two laws are epsilon-indistinguishable: the largest |log ratio| of an outcome.

    Infinite where an outcome is possible under one law alone.

    >>> epsilon({0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}).low == epsilon({0: 1}, {0: 1}).low
    False
    """
    with precision(_BITS):
        worst = arb(0)
        for one, other in _pairs(left, right):
            if one.is_zero() != other.is_zero():
                return Bracket(inf, inf)
            if not one.is_zero():
                worst = arb.max(worst, abs((one / other).log()))
        return _bracket(worst)


def renyi(left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability], order: Fraction | int) -> Bracket:
    """D_order(left || right) = log(sum of left^order right^(1 - order)) / (order - 1), for order above 1."""
    with precision(_BITS):
        alpha = ball(Fraction(order))
        total = arb(0)
        for one, other in _pairs(left, right):
            if other.is_zero() and not one.is_zero():
                return Bracket(inf, inf)
            if not one.is_zero():
                total += one * ((alpha - 1) * (one / other).log()).exp()
        return _bracket(total.log() / (alpha - 1))


def rho(
    left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability], orders: Iterable[Fraction | int]
) -> Bracket:
    """The smallest rho that zCDP allows at the given orders, both directions: the largest D_order / order."""
    found = [
        Bracket(bounds.low / float(order), bounds.high / float(order))
        for order in orders
        for bounds in (renyi(left, right, order), renyi(right, left, order))
    ]
    return Bracket(
        nextafter(max(bounds.low for bounds in found), -inf), nextafter(max(bounds.high for bounds in found), inf)
    )


def delta(
    left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability], epsilon: Fraction | int
) -> Bracket:
    """The smallest delta at `epsilon`, set form and both directions: the larger sum of max(0, P - e^epsilon P')."""
    with precision(_BITS):
        growth = ball(Fraction(epsilon)).exp()
        sums = [arb(0), arb(0)]
        for pair in _pairs(left, right):
            for side in (0, 1):
                sums[side] += arb.max(arb(0), pair[side] - growth * pair[1 - side])
        return _bracket(arb.max(*sums))


def shifted(law: Mapping[int, Probability], by: int) -> dict[int, Probability]:
    """The law of X + by."""
    return {outcome + by: probability for outcome, probability in law.items()}


def pooled(law: Mapping[int, Probability], low: int, high: int) -> dict[int, Probability]:
    """The law of min(max(X, low), high)."""
    out: dict[int, Probability] = {}
    with precision(_BITS):
        for outcome, probability in law.items():
            end = min(max(outcome, low), high)
            out[end] = _probability(out.get(end, 0)) + _probability(probability)
    return out


def exponential_law(
    scores: list[int], epsilon: Fraction, sensitivity: Fraction = Fraction(1), k: int = 1
) -> dict[tuple[int, ...], Probability]:
    """The law of the exponential mechanism by its definition: every ordered choice of k candidates, k rounds without replacement."""
    with precision(_BITS):
        rate = ball(epsilon / (2 * sensitivity * k))
        weights = [(rate * score).exp() for score in scores]
        law: dict[tuple[int, ...], Probability] = {}

        def extend(chosen: tuple[int, ...], probability: arb) -> None:
            if len(chosen) == k:
                law[chosen] = probability
                return
            left = [place for place in range(len(scores)) if place not in chosen]
            total = sum((weights[place] for place in left), arb(0))
            for place in left:
                extend((*chosen, place), probability * weights[place] / total)

        extend((), arb(1))
    return law


def permute_and_flip_law(
    scores: list[int], epsilon: Fraction, sensitivity: Fraction = Fraction(1)
) -> dict[int, Probability]:
    """The law of permute-and-flip by its definition, in closed form.

    Give every candidate a uniform arrival time; candidate c is taken when its coin shows heads and no other candidate came
    earlier with heads: p_c times the integral over t in [0, 1] of the product over the others of (1 - p t), a polynomial.
    """
    with precision(_BITS):
        rate = ball(epsilon / (2 * sensitivity))
        heads = [(rate * (score - max(scores))).exp() for score in scores]
        law: dict[int, Probability] = {}
        for place, chance in enumerate(heads):
            product = [arb(1)]
            for other in heads[:place] + heads[place + 1 :]:
                product = [a - other * b for a, b in zip([*product, arb(0)], [arb(0), *product], strict=True)]
            law[place] = chance * sum((value / (power + 1) for power, value in enumerate(product)), arb(0))
    return law


def _pairs(left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability]) -> Iterable[tuple[arb, arb]]:
    for outcome in {**left, **right}:
        yield _probability(left.get(outcome, 0)), _probability(right.get(outcome, 0))


def _probability(number: Probability) -> arb:
    return number if isinstance(number, arb) else ball(Fraction(number))


def _bracket(value: arb) -> Bracket:
    return Bracket(nextafter(float(value.lower()), -inf), nextafter(float(value.upper()), inf))
