"""How different two distributions are, exactly: epsilon, Renyi divergence and delta from enumerated probabilities.

The distributions are mappings from outcome to probability, given as rationals (of a table that was read) or as Arb balls (of a formula);
an outcome that is missing has probability 0. What comes back is a `Bracket`: the true value lies within it, ends included, or
between the two doubles next to each other that it can't be told from.

A distribution on infinitely many outcomes is given with the outcomes beyond some reach pooled into one at each end. Pooling is
post-processing, so divergences of pooled distributions are lower bounds of the true ones: enough to refute a claim.
"""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from math import ceil, inf, isqrt, nextafter
from typing import NamedTuple, TypeAlias, TypeVar

from flint import arb

from starling.privacy.distributions.table_noise import lattice_count
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

Probability: TypeAlias = Fraction | int | arb
Outcome = TypeVar("Outcome", bound=Hashable)

_BITS = 256
_SHELLS = 200
"""Norms of lattice noise that are added up."""


class Bracket(NamedTuple):
    """Two doubles with the exact value between them."""

    low: float
    high: float


def epsilon(left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability]) -> Bracket:
    """The smallest epsilon for which the two distributions are epsilon-indistinguishable: the largest |log ratio| of an outcome.

    Infinite where an outcome is possible under one distribution alone.

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
    each_way = [
        Bracket(bounds.low / float(order), bounds.high / float(order))
        for order in orders
        for bounds in (renyi(left, right, order), renyi(right, left, order))
    ]
    return Bracket(
        nextafter(max(bounds.low for bounds in each_way), -inf), nextafter(max(bounds.high for bounds in each_way), inf)
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


def shifted(distribution: Mapping[int, Probability], by: int) -> dict[int, Probability]:
    """The distribution of X + by."""
    return {outcome + by: probability for outcome, probability in distribution.items()}


def pooled(distribution: Mapping[int, Probability], low: int, high: int) -> dict[int, Probability]:
    """The distribution of min(max(X, low), high)."""
    out: dict[int, Probability] = {}
    with precision(_BITS):
        for outcome, probability in distribution.items():
            end = min(max(outcome, low), high)
            out[end] = _probability(out.get(end, 0)) + _probability(probability)
    return out


def exponential_distribution(
    scores: list[int], epsilon: Fraction, sensitivity: Fraction = Fraction(1), k: int = 1
) -> dict[tuple[int, ...], Probability]:
    """The distribution of the exponential mechanism by its definition: each ordered choice of k candidates, without replacement."""
    with precision(_BITS):
        rate = ball(epsilon / (2 * sensitivity * k))
        weights = [(rate * score).exp() for score in scores]
        chances: dict[tuple[int, ...], Probability] = {}

        def extend(chosen: tuple[int, ...], probability: arb) -> None:
            if len(chosen) == k:
                chances[chosen] = probability
                return
            left = [place for place in range(len(scores)) if place not in chosen]
            total = sum((weights[place] for place in left), arb(0))
            for place in left:
                extend((*chosen, place), probability * weights[place] / total)

        extend((), arb(1))
    return chances


def permute_and_flip_distribution(
    scores: list[int], epsilon: Fraction, sensitivity: Fraction = Fraction(1)
) -> dict[int, Probability]:
    """The distribution of permute-and-flip by its definition, in closed form.

    Give every candidate a uniform arrival time; candidate c is taken when its coin shows heads and no other candidate came
    earlier with heads: p_c times the integral over t in [0, 1] of the product over the others of (1 - p t), a polynomial.
    """
    with precision(_BITS):
        rate = ball(epsilon / (2 * sensitivity))
        heads = [(rate * (score - max(scores))).exp() for score in scores]
        chances: dict[int, Probability] = {}
        for place, chance in enumerate(heads):
            product = [arb(1)]
            for other in heads[:place] + heads[place + 1 :]:
                product = [a - other * b for a, b in zip([*product, arb(0)], [arb(0), *product], strict=True)]
            chances[place] = chance * sum((value / (power + 1) for power, value in enumerate(product)), arb(0))
    return chances


def laplace_distribution(scale: Fraction, reach: int) -> dict[int, Probability]:
    """Discrete Laplace noise by its definition, P(x) = (1 - q)/(1 + q) q^|x|, with all that lies beyond +-reach at the ends."""
    with precision(_BITS):
        q = (-ball(1 / scale)).exp()
        chances: dict[int, Probability] = {x: (1 - q) / (1 + q) * q ** abs(x) for x in range(1 - reach, reach)}
        return chances | dict.fromkeys((-reach, reach), q**reach / (1 + q))


def gaussian_distribution(sigma_squared: Fraction, reach: int) -> dict[int, Probability]:
    """Discrete Gaussian noise by its definition, P(x) proportional to e^(-x^2/(2 sigma^2)), with all beyond +-reach at the ends."""
    with precision(_BITS):
        weights = [
            (-ball(x**2 / (2 * sigma_squared))).exp() for x in range(20 * (reach + isqrt(ceil(sigma_squared)) + 1))
        ]
        # Beyond x each weight is below e^(-x/sigma^2) times the one before, so that all of them are below sigma^2/x of that at x.
        last = (weights[-1] * (1 + ball(sigma_squared))).union(arb(0))
        total = weights[0] + 2 * sum(weights[1:], last)
        end = sum(weights[reach:], last) / total
        chances: dict[int, Probability] = {x: weights[abs(x)] / total for x in range(1 - reach, reach)}
        return chances | dict.fromkeys((-reach, reach), end)


def shell_distribution(cells: int, most: int) -> dict[int, arb]:
    """The norm of lattice noise at epsilon 1 by its definition: norms below `most`. A vector of norm r has the weight e^-r."""
    with precision(_BITS):
        q = arb(-1).exp()
        weights = [q**norm * lattice_count(norm, cells) for norm in range(_SHELLS)]
        # Beyond norm r each weight is below (1 + 1/r)^cells / e of the one before, less than a half: together below the last.
        total = sum(weights, weights[-1].union(arb(0)))
        return {norm: weights[norm] / total for norm in range(most)}


def enclosed(probability: Probability) -> Bracket:
    """Two doubles with a probability between them."""
    with precision(_BITS):
        return _bracket(_probability(probability))


def _pairs(left: Mapping[Outcome, Probability], right: Mapping[Outcome, Probability]) -> Iterable[tuple[arb, arb]]:
    for outcome in {**left, **right}:
        yield _probability(left.get(outcome, 0)), _probability(right.get(outcome, 0))


def _probability(number: Probability) -> arb:
    return number if isinstance(number, arb) else ball(Fraction(number))


def _bracket(value: arb) -> Bracket:
    return Bracket(nextafter(float(value.lower()), -inf), nextafter(float(value.upper()), inf))
