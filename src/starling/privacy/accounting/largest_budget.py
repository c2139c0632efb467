"""The largest budgets that keep an epsilon at a delta, found by a guess and certified by the accountants.

A plan may be stated at (epsilon, delta). Its budgets are then all multiplied by the largest factor at which the tightest accountant
(conversion.py) gives at most that epsilon at that delta: usually the privacy loss distribution, which allows 7 to 9 % more budget
than the best Renyi order. What is charged stays the cost in rho or epsilon of these budgets.

The guess. Noise with zCDP of rho has about the loss of a Gaussian with mean m = sqrt(2 rho) moved by one standard deviation m, of which

    delta(epsilon) = Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m)

(Balle and Wang 2018, Theorem 8). Its inverse turns an epsilon into a rho, and so a factor that gave an epsilon into the next factor to try.
The guess decides only which factors are tried. Each is certified or given up by the accountant's epsilon, which is rounded up.
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor, log10, sqrt
from typing import Final

from flint import arb

from starling.errors import ParameterError
from starling.privacy.accounting.conversion import approximate
from starling.privacy.accounting.zcdp import zcdp_cost
from starling.privacy.budget import Epsilon, Exact, chance, positive
from starling.privacy.distributions.tails import ball
from starling.privacy.guarantee import Guarantee
from starling.privacy.precision import precision

CLOSE: Final = Fraction(1, 20_000)
"""The part of the stated epsilon that may be left over."""
_DIGITS: Final = 7
_STEPS: Final = 8
"""Factors that are tried; two or three do."""
_HALVINGS: Final = 80
_BITS: Final = 128
_SHRINK: Final = 1 - 4e-6
"""What is taken off a guess, so that it is below rather than above."""


def largest_factor(guarantee_at: Callable[[Fraction], Guarantee], epsilon: Exact, delta: Exact) -> Fraction:
    """The largest factor, to within CLOSE, at which a guarantee keeps `epsilon` at `delta`; it does so at the factor that is given back.

    Args:
        guarantee_at: The guarantee with all budgets times a factor above 0.
        epsilon: Above 0, exact.
        delta: Above 0 and below 1, exact.

    Raises:
        ParameterError: none was found, as where what is pure DP keeps epsilon with any budget that is small enough to state.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> def count(factor):
    ...     return measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(50 / factor))
    >>> factor = largest_factor(count, "0.864322", "1e-10")  # what the best Renyi order says of factor 1
    >>> round(float(factor), 3)
    1.098
    """
    most, least_chance = positive(epsilon, field="epsilon"), chance(delta, field="delta")
    one = guarantee_at(Fraction(1))
    # Budgets of pure DP count by their square in zCDP.
    root = 2 if isinstance(one.cost, Epsilon) else 1
    wanted, best = _gaussian_rho(most, least_chance), Fraction(0)
    factor = _rounded((wanted / float(zcdp_cost(one).amount)) ** (1 / root))
    for _ in range(_STEPS):
        result = approximate(guarantee_at(factor), least_chance).epsilon
        if result <= most:
            best = max(best, factor)
            if most - result <= CLOSE * most:
                break
        reached = max(_gaussian_rho(max(result, Fraction(1, 10**6)), least_chance), 1e-300)
        factor = _rounded(float(factor) * (wanted / reached) ** (1 / root) * _SHRINK)
    if not best:
        raise ParameterError("epsilon", "is kept by no budgets that were tried", "state another epsilon or delta")
    return best


def _gaussian_rho(epsilon: Fraction, delta: Fraction) -> float:
    """The rho of the Gaussian whose privacy loss has this epsilon at this delta, about."""
    with precision(_BITS):
        bound, least = ball(epsilon), ball(delta)
        low, high = 0.0, 2 * (sqrt(float(epsilon)) + sqrt(-float(least.log())))
        for _ in range(_HALVINGS):
            mean = (low + high) / 2
            low, high = (low, mean) if _gaussian_delta(mean, bound) > least else (mean, high)
    return low**2 / 2


def _gaussian_delta(mean: float, epsilon: arb) -> arb:
    apart, half, root = epsilon / mean, arb(mean) / 2, arb(2).sqrt()
    return (((apart - half) / root).erfc() - epsilon.exp() * ((apart + half) / root).erfc()) / 2


def _rounded(factor: float) -> Fraction:
    """The factor with so many digits, rounded down, at least 10^-30."""
    factor = max(factor, 1e-30)
    places = _DIGITS - 1 - floor(log10(factor))
    return Fraction(floor(Fraction(factor) * Fraction(10) ** places), 1) / Fraction(10) ** places
