"""Renyi divergence of composed guarantees, and from it (epsilon, delta). Certified with Arb.

Discrete Laplace, sensitivity 1, rate e = 1/b: the loss takes the values e, with probability 1/(1 + q), and -e, with q/(1 + q), so

    D_a = ln[(e^((a-1) e) + e^(-a e)) / (1 + e^(-e))] / (a - 1),

exactly, in both directions, and no e-DP mechanism has a larger one. SafeTab 2022, Lemma 8, integrates over the reals with the
normaliser of the integers and lies below this everywhere (order 2, e = 0.427: 0.1365 for 0.1698); it is not used.

zCDP of rho: D_a <= rho a (Definition 4), which the discrete Gaussian attains at integer orders (Lemma 7). Orders add up over a
composition (Lemmas 3 and 12), and at each order `OverlappingEvents` count their worst part. Conversion (Lemma 4, equation 6; Canonne,
Kamath and Steinke 2020, Proposition 12):

    epsilon = D_a + ln(1 - 1/a) + (ln(1/delta) - ln a) / (a - 1),    for every a > 1.

Any order gives a true statement, so the search for the best may be as rough as it likes; the statement at the order found is certified.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import assert_never

from flint import arb

from starling.privacy.accounting.composition import Accounted, Events, OverlappingEvents, ordered
from starling.privacy.distributions.tails import ball
from starling.privacy.events import ZCDP, DiscreteGaussianNoise, ExponentialMechanism, PureDP
from starling.privacy.precision import precision
from starling.privacy.residual_events import ResidualEvents

_BITS = 128
_GRID = [Fraction(2 ** (k / 2)) for k in range(-90, 91)]
"""Orders less 1 that are tried first: from 2^-45 to 2^45, two to the octave. The best is about the root of ln(1/delta)/rho."""
_REFINED = 40


def divergence(events: Events, order: Fraction) -> arb:
    """D_order of all events: an upper bound as a ball, at the working precision; order above 1."""
    total = arb(0)
    for event, times in ordered(events):
        total += times * _divergence(event, order)
    return total


def _divergence(event: Accounted, order: Fraction) -> arb:
    match event:
        case PureDP(epsilon) | ExponentialMechanism(epsilon):
            rate, above = ball(epsilon), ball(order - 1)
            # ln[(e^((a-1) e) + e^(-a e)) / (1 + e^(-e))], with the large factor taken out.
            rest = (-ball(2 * order - 1) * rate).exp().log1p() - (-rate).exp().log1p()
            return rate + rest / above
        case DiscreteGaussianNoise(sigma_squared):
            return ball(order / (2 * sigma_squared))
        case ZCDP(rho):
            return ball(order * rho)
        case ResidualEvents():
            return ball(order * event.cost.amount)
        case OverlappingEvents(parts, overlap):
            return overlap * reduce(arb.max, [divergence(part, order) for part in parts])
        case _:
            assert_never(event)


def epsilon(events: Events, delta: Fraction) -> arb:
    """The least epsilon at `delta` > 0 that an order was found for: an upper bound as a ball of 128 bits."""

    def at(above: Fraction) -> arb:
        order = 1 + above
        return (
            divergence(events, order)
            + (-ball(1 / order)).log1p()
            + (-ball(delta).log() - ball(order).log()) / ball(above)
        )

    with precision(_BITS):
        best = _minimise(at)
        return at(best)


def _minimise(at: Callable[[Fraction], arb]) -> Fraction:
    """Where `at` is about least: the best of a grid, then golden sections around it."""
    values = [float(at(above).mid()) for above in _GRID]
    centre = min(range(len(_GRID)), key=values.__getitem__)
    low, high = float(_GRID[max(centre - 1, 0)]), float(_GRID[min(centre + 1, len(_GRID) - 1)])
    golden = (5**0.5 - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = (float(at(Fraction(x)).mid()) for x in (left, right))
    for _ in range(_REFINED):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = float(at(Fraction(left)).mid())
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = float(at(Fraction(right)).mid())
    middle = Fraction((low + high) / 2)
    return min((_GRID[centre], middle), key=lambda above: float(at(above).mid()))
