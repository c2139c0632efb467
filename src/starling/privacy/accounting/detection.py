"""How well the best possible attacker does: the power of the best test between neighbours, from the exact losses, rounded up.

The attacker knows everything about everybody else, sees all that is released, and must say whether one given person's record was in the
data. His rule raises a false alarm with probability at most alpha; the question is how often it is right when the record was there.

From (e, delta)-DP. Let P and Q be the distributions of the release with and without the record, S the event of an alarm, Q(S) <= alpha. For
every e >= 0 for which the release is (e, delta(e))-DP in the set form,

    P(S) <= e^e Q(S) + delta(e),    and of the complement, with P and Q exchanged,    1 - Q(S) <= e^e (1 - P(S)) + delta(e);

the second says P(S) <= 1 - e^-e (1 - alpha - delta(e)). Each e bounds P(S), so the least of these bounds does, however roughly it
is searched for. Where delta(e) is that of a pair of distributions that neighbours have, the least over all e is the power of the best test
between them, randomised at its threshold (the concave conjugate of delta; Dong, Roth and Su 2022, Proposition 6), so nothing is given
away but the grid of the privacy loss distribution. As a function of s = e or -e the bounds are convex in e^s, so they have
one valley.

Where no loss is known, or budgets were chosen after earlier results (`detection_bound`).
Pure DP: delta(e) is 0 at its epsilon. zCDP: for every order a,
P(S) <= (e^(rho a) Q(S))^((a-1)/a) (Hoelder; van Erven and Harremoes 2014, on Renyi divergence); the best a is sqrt(ln(1/alpha)/rho)
and gives exp(-(sqrt(ln(1/alpha)) - sqrt(rho))^2) where rho < ln(1/alpha), else 1; the same on the complement gives
1 - exp(-(sqrt(rho) + sqrt(ln(1/(1 - alpha))))^2). For noise it overstates: 43.9 % for 31.6 % at rho 0.68 and 5 false alarms in 100.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, log, log1p, sqrt
from typing import Final

from starling.privacy.accounting.composition import Events, alternatives, events_of
from starling.privacy.accounting.conversion import delta_of_events, losses_known
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.guarantee import Guarantee

ALARMS: Final = 5
"""False alarms of 100 that the attacker of reports and pages accepts."""
_LEAST = -40.0
"""The least s that is tried: below it the bound is within e^-40 of 1."""
_STEPS = 120
"""Steps of the coarse search."""
_REFINED = 30
"""Golden sections of the fine search."""
_UP = 1 + 1e-12
"""A factor that covers float64 roundings of the bounds."""


@dataclass(frozen=True, slots=True)
class Detection:
    """The chance that the best attacker raises an alarm when the record was there, rounded up; exact where it comes from the privacy loss
    distribution, otherwise the bound by the cost alone.
    """

    chance: float
    exact: bool


@lru_cache(maxsize=64)
def detection(guarantee: Guarantee, alpha: float) -> Detection:
    """The most that any test with false-alarm probability at most `alpha`, in (0, 1), detects, in [alpha, 1].

    >>> from fractions import Fraction
    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> count = measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(50)))
    >>> round(detection(count, 0.05).chance, 4), round(detection_bound(count.cost, 0.05), 4)
    (0.0664, 0.07)
    """
    choices = alternatives(events_of(guarantee))
    most = detection_bound(guarantee.cost, alpha)
    if guarantee.fully_adaptive or not all(losses_known(each) for each in choices):
        return Detection(most, exact=False)
    return Detection(min(max(_power(each, alpha) for each in choices), most), exact=True)


def detection_bound(cost: Cost, alpha: float) -> float:
    """The most that any test with false-alarm probability alpha, in (0, 1), detects by the cost of the whole alone, whatever the
    mechanism: at least what `detection` gives.
    """
    amount = float(cost.amount)
    if isinstance(cost, Epsilon):
        return min(exp(min(amount, 700)) * alpha, 1 - exp(-amount) * (1 - alpha))
    alarm, quiet = -log(alpha), -log1p(-alpha)
    direct = exp(-((sqrt(alarm) - sqrt(amount)) ** 2)) if amount < alarm else 1.0
    return min(direct, -expm1(-((sqrt(amount) + sqrt(quiet)) ** 2)))


def _power(events: Events, alpha: float) -> float:
    def at(s: float) -> float:
        delta = delta_of_events(events, abs(s))
        return exp(s) * alpha + delta if s >= 0 else 1 - exp(s) * (1 - alpha - delta)

    return min(_least(at, _LEAST, -log(alpha)) * _UP, 1.0)


def _least(at: Callable[[float], float], low: float, high: float) -> float:
    """About the least value of a function with one valley: the best of a grid, then golden sections around it."""
    step = (high - low) / _STEPS
    values = [at(low + place * step) for place in range(_STEPS + 1)]
    best = min(values)
    centre = low + values.index(best) * step
    left, right = max(centre - step, low), min(centre + step, high)
    golden = (sqrt(5) - 1) / 2
    for _ in range(_REFINED):
        first, second = right - golden * (right - left), left + golden * (right - left)
        at_first, at_second = at(first), at(second)
        best = min(best, at_first, at_second)
        if at_first <= at_second:
            right = second
        else:
            left = first
    return best
