"""Probabilities of noise and of sums of it, entry by entry, the same on every machine. Nothing here draws.

For questions that a margin alone does not answer: the distribution of a weighted sum, or of a sum given what another noise chose.

Why they are the same everywhere. An entry is computed by Arb and by integers, in software, to far more digits than a float has, and
rounded once; nothing is taken from the machine's own mathematics. Who adds entries up does it in a fixed order with single
additions and multiplications, each of which IEEE 754 defines to the last bit.

Sums of k draws. Discrete Laplace: its generating function (1 - q)/(1 + q) sum q^|x| z^x is (1 - q)^2 / ((1 - q z)(1 - q/z)), so its k-th
power is that of the difference of two negative binomial variables, one product of polynomials. Discrete Gaussian of s2 >= 4:
one draw of parameter k s2, up to a factor 1 +- 2e-13 (tails.py). Below that, the k-th power of a polynomial.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt, ldexp
from typing import Final

import numpy as np
import numpy.typing as npt
from flint import arb, fmpz_poly

from starling.errors import ParameterError
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution
from starling.privacy.distributions.tails import NARROW, ball, whole_sum
from starling.privacy.precision import precision

Floats = npt.NDArray[np.float64]

WIDEST: Final = 2**13
"""Largest standard deviation of a sum whose entries are listed."""
LEAST: Final = 2.0**-115
"""Integers are listed while their probability is at least this part of that of 0; beyond there is less than 10^-30 in all."""
_EXPONENT: Final = 80
"""e^-_EXPONENT is below LEAST."""
_BITS: Final = 320
_ONE: Final = 1 << _BITS


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityMass:
    """A symmetric distribution on the integers -last..last.

    Attributes:
        last: The largest integer that is listed.
        mass: P(X = x) at index x + last, float64 (2 last + 1,).
        above: P(X >= x) at index x + last, float64 (2 last + 1,), added up from the far end.
    """

    last: int
    mass: Floats
    above: Floats

    @property
    def variance(self) -> float:
        """The variance to float precision, the same on every machine."""
        squares = np.arange(-self.last, self.last + 1, dtype=np.float64) ** 2
        # Added one after the other: numpy's sum may take another order on another machine.
        return float(np.cumsum(squares * self.mass)[-1])


@lru_cache(maxsize=64)
def probability_mass(distribution: Distribution, terms: int = 1) -> ProbabilityMass:
    """The distribution of the sum of `terms` independent draws.

    Raises:
        ParameterError: the sum has a standard deviation beyond WIDEST.

    >>> two = probability_mass(DiscreteLaplace(Fraction(1)), 2)
    >>> round(float(two.mass[two.last]), 6), round(float(two.above[two.last + 1]), 6)
    (0.280402, 0.359799)
    """
    if standard_deviation(distribution) * terms**0.5 > WIDEST:
        raise ParameterError("distribution", f"has a standard deviation beyond {WIDEST}", "give it more budget")
    with precision(_BITS):
        if isinstance(distribution, DiscreteLaplace):
            half = _laplace(distribution.scale, terms)
        elif terms == 1 or distribution.sigma_squared >= NARROW:
            half = [float(weight) for weight in _weights(terms * distribution.sigma_squared)]
        else:
            half = _power(distribution.sigma_squared, terms)
    return symmetric(half)


def symmetric(half: list[float]) -> ProbabilityMass:
    """The symmetric distribution of these probabilities of 0, 1, ..."""
    while half[-1] < half[0] * LEAST:
        half.pop()
    mass = np.array(half[:0:-1] + half)
    return ProbabilityMass(len(half) - 1, mass, np.cumsum(mass[::-1])[::-1].copy())


def convolved(one: ProbabilityMass, terms: int) -> ProbabilityMass:
    """The distribution of the sum of `terms` independent draws of a listed distribution, by products of polynomials with integer
    coefficients.

    Each product is cut to _BITS bits below 1, and at its ends to what LEAST leaves: entries are true to float precision.
    """
    square = fmpz_poly([int(ldexp(chance, _BITS)) for chance in one.mass.tolist()])
    power = fmpz_poly([_ONE])
    while terms:
        if terms % 2:
            power = _cut(power * square)
        terms //= 2
        if terms:
            square = _cut(square * square)
    whole = [int(each) / _ONE for each in power.coeffs()]
    return symmetric(whole[len(whole) // 2 :])


def _cut(product: fmpz_poly) -> fmpz_poly:
    """A product of two polynomials of 2 n + 1 fixed-point coefficients, as one of them, without its negligible ends."""
    coefficients = [int(each) >> _BITS for each in product.coeffs()]
    least = int(coefficients[len(coefficients) // 2] * LEAST)
    cut = next(place for place, each in enumerate(coefficients) if each > least)
    return fmpz_poly(coefficients[cut : len(coefficients) - cut])


def _weights(sigma_squared: Fraction) -> list[arb]:
    """P(X = x) of discrete Gaussian noise for x = 0, 1, ..."""
    t = ball(1 / (2 * sigma_squared))
    term, ratio, step = 1 / whole_sum(t, _BITS), (-t).exp(), (-2 * t).exp()
    weights = []
    for _ in range(isqrt(int(2 * _EXPONENT * sigma_squared)) + 1):
        weights.append(term)
        term *= ratio
        ratio *= step
    return weights


def _power(sigma_squared: Fraction, terms: int) -> list[float]:
    half = [_fixed(weight) for weight in _weights(sigma_squared)]
    power = fmpz_poly(half[:0:-1] + half) ** terms
    middle, scale = (len(half) - 1) * terms, 1 << (_BITS * terms)
    # One integer over another is rounded correctly, however long they are.
    return [int(power[middle + x]) / scale for x in range(middle + 1)]


def _laplace(scale: Fraction, terms: int) -> list[float]:
    rate = ball(-1 / scale)
    if terms == 1:
        term, ratio, single = (-rate / 2).tanh(), rate.exp(), []
        for _ in range(int(_EXPONENT * scale) + 2):
            single.append(float(term))
            term *= ratio
        return single
    q, mass = _fixed(rate.exp()), _fixed((-rate.expm1()) ** terms)
    # Negative binomial: P(A = a) = P(A = a - 1) q (terms - 1 + a)/a. It falls like q^a times a polynomial.
    last = int((_EXPONENT + 6 * terms) * scale) + 2
    masses = [mass]
    for a in range(1, last + 1):
        mass = mass * q * (terms - 1 + a) // (a << _BITS)
        masses.append(mass)
    product = fmpz_poly(masses) * fmpz_poly(masses[::-1])
    return [int(product[last + x]) / (_ONE * _ONE) for x in range(last + 1)]


def _fixed(number: arb) -> int:
    """2^_BITS times the middle of the ball, rounded down."""
    whole = (number * _ONE).mid().floor().unique_fmpz()
    assert whole is not None  # a middle is one number
    return int(whole)
