"""The least budget that a mechanism can be drawn with, and that its error can be stated for: public, and the same for all data.

- Discrete Laplace noise: a draw of scale 2^50 or less fits into 64 bits (sampling/noise.py).
- Discrete Gaussian noise: of sigma squared 2^90 or less (sampling/wide_gaussian.py).
- Lattice noise: the table of norms has 57/rate entries (sampling/lattice.py).
- A selection: with t = epsilon/(2 sensitivity), a candidate is off by more than ln(M/alpha)/t with a probability below alpha. For M below
  2^32 and alpha down to 10^-40 that is below 2^47 at the least t: a whole number that a double holds. So is a median's.

A plan may need more for reasons of its own, such as sums of noisy counts within 64 bits, and says so itself. What was charged before a
least budget was stated is carried out and verified all the same: `check_least` is for what is planned, asked or charged anew.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.privacy.budget import decimal_up
from starling.privacy.distributions.discrete import LARGEST_SCALE, LARGEST_SIGMA_SQUARED
from starling.privacy.events import (
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    Event,
    ExponentialMechanism,
    LatticeNoise,
    MedianResponse,
    PermuteAndFlip,
)
from starling.privacy.guarantee import Composition, Guarantee

LEAST_LATTICE_RATE: Final = Fraction(1, 4096)
"""Of lattice noise: a cell's standard deviation is 2/rate persons."""
LEAST_SELECTION_RATE: Final = Fraction(1, 2**40)
"""Of a selection: epsilon/(2 score sensitivity)."""
_DIGITS: Final = 3


def check_least(guarantee: Guarantee) -> None:
    """Raises ParameterError where a mechanism of the guarantee has less than its least budget; the error names the least of the whole."""
    short = shortfall(guarantee)
    if short > 1:
        cost = guarantee.cost
        least = least_text(cost.amount * short)
        problem = f"is so small that {guarantee.name} cannot be drawn: the least is {least}"
        raise ParameterError(cost.measure, problem, f"give at least {least}")


def shortfall(guarantee: Guarantee) -> Fraction:
    """How many times its budget a guarantee needs at least; at most 1 where all of it can be drawn."""
    return max(_shortfalls(guarantee))


def least_text(least: Fraction) -> str:
    """A least amount as a decimal of three digits after its zeros, rounded up.

    >>> least_text(Fraction(1, 4096)), least_text(Fraction(7)), least_text(Fraction(123456))
    ('0.000245', '7', '123456')
    """
    places = 0
    while least * 10**places < 10 ** (_DIGITS - 1) and (least * 10**places).denominator > 1:
        places += 1
    return decimal_up(least, places)


def _shortfalls(guarantee: Guarantee) -> Iterator[Fraction]:
    """How many times its budget each event of a guarantee needs at least; all its parameters are in proportion to the whole budget."""
    event = guarantee.event
    if isinstance(event, Composition):
        for part in event.parts:
            yield from _shortfalls(part)
    else:
        yield _shortfall(event)


def _shortfall(event: Event) -> Fraction:
    if isinstance(event, DiscreteLaplaceNoise):
        return event.scale / LARGEST_SCALE
    if isinstance(event, DiscreteGaussianNoise):
        return event.sigma_squared / LARGEST_SIGMA_SQUARED
    if isinstance(event, LatticeNoise):
        return LEAST_LATTICE_RATE / event.rate
    if isinstance(event, ExponentialMechanism | PermuteAndFlip):
        return 2 * event.score_sensitivity * LEAST_SELECTION_RATE / event.epsilon
    if isinstance(event, MedianResponse):
        return 2 * LEAST_SELECTION_RATE / event.median_epsilon
    # Of what has a cost alone nothing more is known; its plan states its least budget.
    return Fraction(0)
