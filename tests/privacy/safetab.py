"""The SafeTab paper's comparison (2022, Appendix F), and its printed formulas: to reproduce them and to show where they fail."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, log, log1p

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.events import ANY
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON

STABILITY = 9
GAMMA = Fraction(1, 10)
DELTA = Fraction(1, 10**10)
MARGINS = (6, 6, 11, 11, 50, 50, 50)
GEOMETRIC = ("4.27", "4.27", "2.49", "2.49", "0.59", "0.59", "0.59")
GAUSSIAN = ("0.534", "0.534", "0.159", "0.159", "0.008", "0.008", "0.008")
"""Totals of the seven levels as Table 4 rounds them."""


def laplace_of(epsilon: Fraction) -> Distribution:
    return DiscreteLaplace(1 / epsilon)


def gaussian_of(rho: Fraction) -> Distribution:
    return DiscreteGaussian(1 / (2 * rho))


def level(
    name: str,
    share: Fraction,
    distribution: Callable[[Fraction], Distribution],
    most: int = STABILITY,
    factor: Fraction = ANY,
) -> Guarantee:
    """Algorithm 2 with a budget of `share` for each group: a bare total, or two stages."""
    total = measurement(f"{name} total", ADD_REMOVE_PERSON, distribution(share), 1, factor)
    stages = (
        measurement(f"{name} stage 1", ADD_REMOVE_PERSON, distribution(GAMMA * share), 1, factor),
        measurement(f"{name} stage 2", ADD_REMOVE_PERSON, distribution((1 - GAMMA) * share), 1, factor),
    )
    return bounded_overlap(name, most, (total, sequential(f"{name} stages", stages)))


def safetab(
    budgets: Sequence[str], distribution: Callable[[Fraction], Distribution], factor: Fraction = ANY
) -> Guarantee:
    """Algorithm 1 with one level for each budget."""
    levels = [
        level(str(i), Fraction(budget) / STABILITY, distribution, factor=factor) for i, budget in enumerate(budgets)
    ]
    return sequential("SafeTab", tuple(levels))


def exact_divergence(order: float, epsilon: float) -> float:
    """The spec's exact sum for the discrete Laplace of scale 1/epsilon."""
    top = (order - 1) * epsilon + log1p(exp(-(2 * order - 1) * epsilon))
    return (top - log1p(exp(-epsilon))) / (order - 1)


def printed_conversion(divergence: float, order: float, delta: float) -> float:
    """Equation 6."""
    return divergence + (log(1 / delta) + (order - 1) * log(1 - 1 / order) - log(order)) / (order - 1)
