"""Margins of weighted sums of independent noise of different distributions: what a total, a difference or a ratio of released numbers
errs by.

Draws of one distribution and one weight are added first: the distribution of their sum is the power of a discrete Fourier transform, on a
range beyond which there is less than 10^-12. Each of these few sums, times its weight, is put on a grid, and the grids are convolved.
Where all weights are multiples of one that is not too fine, so is the grid, and nothing is lost. Otherwise its step is 1/2,000 of the
standard deviation of the whole, and the margin is widened by half a step for each sum that was moved: on the safe side, by some parts in
a thousand; of noise so narrow that nearly all draws are 0, the step is 1/65,536 of the range. Floating point errors are below 10^-10,
and alpha is undercut by that.

Discrete Laplace noise X that is too wide to be listed is replaced by h Y, Y with q^h in place of q = e^(-1/scale). P(|X| >= k) is
2 q^k/(1 + q) for k >= 1, so that P(|X| >= h j) <= P(|Y| >= j) <= P(|X| >= h (j - 1)): X and Y can be drawn together so that X is off h Y by
at most h, with its sign. The margin is widened by h for each draw. Of discrete Gaussian noise X of sigma, Y is that of sigma/h, where this
is 4 or more. For k >= 1, P(X >= k) lies between P(G >= k) and P(G >= k - 1), G the continuous noise: terms fall from 0 on, and they are
normalised alike but for less than 10^-100. So X is off G by at most 1, as Y is off G/h, and X off h Y by at most h + 1.

One distribution and one weight have certified margins (accuracy.py), which are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd, lcm
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.privacy.distributions.accuracy import MOST_TERMS, margin, standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution

Floats = npt.NDArray[np.float64]

SPARE: Final = 1e-10
STEPS: Final = 2000
"""Steps in a standard deviation, of a grid that moves what is put on it."""
FINEST: Final = 20_000
"""Steps in a standard deviation, of a grid that moves nothing."""
LONGEST: Final = 2**23
"""Points of a grid."""
LISTED: Final = 2**18
"""Values on either side of 0 of noise that replaces a wider one."""
LEAST_WIDTH: Final = 4
"""The sigma of Gaussian noise that replaces a wider one, at least."""
COARSE: Final = 2**16
"""Points of a grid for noise so narrow that its range would have more points than a grid may."""


@dataclass(frozen=True, slots=True)
class Part:
    """Independent draws in a sum.

    Attributes:
        distribution: The distribution of each draw.
        terms: The number of draws, 1 or more.
        weight: The weight of each draw in the sum; not 0.
    """

    distribution: Distribution
    terms: int
    weight: Fraction

    @property
    def variance(self) -> float:
        """The variance of what these draws add to the sum."""
        return self.terms * (float(self.weight) * standard_deviation(self.distribution)) ** 2


def sum_margin(parts: Sequence[Part], alpha: Fraction) -> Fraction:
    """An M with P(|S| > M) <= alpha, S the sum of all parts: the smallest multiple of the weights' step where they have one.

    Args:
        parts: The independent parts of the sum; distributions and weights that are equal in two of them cost time, not accuracy.
        alpha: Chance of missing, in (0, 1).

    Raises:
        ParameterError: so many draws of several parts are too wide to be listed: some 10^11 of small discrete Gaussian noise.

    >>> noise = DiscreteLaplace(Fraction(10))
    >>> sum_margin([Part(noise, 46, Fraction(1))], Fraction(1, 20)), margin(noise, "0.05", 46)
    (Fraction(188, 1), 188)
    """
    if not parts:
        return Fraction(0)
    if len(parts) == 1 and parts[0].terms <= MOST_TERMS:
        return abs(parts[0].weight) * margin(parts[0].distribution, alpha, parts[0].terms)
    listed = [_listed(part) for part in parts]
    parts, off = [part for part, _ in listed], sum((off for _, off in listed), Fraction(0))
    # In units of the common step of the weights everything is whole, if that is not too fine.
    unit = _step([part.weight for part in parts])
    spread = sum(part.variance for part in parts) ** 0.5
    moved = 0
    if spread / unit > FINEST:
        moved, unit = len(parts), Fraction(spread / STEPS)
    # Of a grid that holds the sum of all parts.
    points = 1 + 2 * ceil(sum(_reach(part.distribution, part.terms) * abs(part.weight) / unit for part in parts))
    if points > LONGEST:
        # Narrow noise times large weights: few values, far apart.
        moved, unit = len(parts), unit * points / COARSE
    tails = [_tail(part, unit) for part in parts]
    size = 2 ** ceil(np.log2(sum(len(tail) for tail in tails)))
    if size > LONGEST:
        raise _too_wide()
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for mass in tails:
        product *= np.fft.rfft(_around_zero(mass, size))
    whole = np.fft.irfft(product, size)
    # P(|S| >= j): both sides, added from the far end.
    sides = whole[1 : size // 2] + whole[: -(size // 2) : -1]
    beyond = np.cumsum(sides[::-1])[::-1]
    index = int(np.argmax(beyond <= float(alpha) - SPARE * len(parts)))
    return unit * index + unit * moved / 2 + off


def _listed(part: Part) -> tuple[Part, Fraction]:
    """What stands for a part, and by how much the sum of its draws is off at the most: the part itself where it can be listed."""
    reach = _reach(part.distribution, part.terms)
    step = -(-reach // LISTED) if 2 * reach >= LONGEST else 1
    if step * LEAST_WIDTH > part.distribution.width and isinstance(part.distribution, DiscreteGaussian):
        return part, Fraction(0)
    instead, off = coarser(part.distribution, step)
    return Part(instead, part.terms, part.weight * step), part.terms * abs(part.weight) * off


def coarser(noise: Distribution, step: int) -> tuple[Distribution, int]:
    """Noise whose draws, times the step, are off those of the first by at most the second number; of Gaussian noise LEAST_WIDTH steps wide.

    >>> coarser(DiscreteGaussian(Fraction(10**8)), 100)
    (DiscreteGaussian(sigma_squared=Fraction(10000, 1)), 101)
    """
    if step == 1:
        return noise, 0
    if isinstance(noise, DiscreteLaplace):
        return DiscreteLaplace(noise.scale / step), step
    return DiscreteGaussian(noise.sigma_squared / step**2), step + 1


def _step(weights: list[Fraction]) -> Fraction:
    """The largest number of which all are multiples."""
    whole = lcm(*(weight.denominator for weight in weights))
    return Fraction(gcd(*(int(weight * whole) for weight in weights)), whole)


def _tail(part: Part, unit: Fraction) -> Floats:
    """The distribution of a part on multiples of `unit`, symmetric, its middle at 0; moved there by at most half a unit."""
    mass = _power(part.distribution, part.terms)
    reach = len(mass) // 2
    step = abs(part.weight) / unit
    if 2 * reach * step > LONGEST:
        raise _too_wide()
    if step.denominator == 1:
        placed = np.arange(reach + 1) * int(step)
    else:
        placed = np.floor(np.arange(reach + 1) * float(step) + 0.5).astype(np.int64)
    half = np.bincount(placed, weights=mass[reach:])
    # The middle holds both sides' share.
    half[0] += half[0] - mass[reach]
    values: Floats = np.concatenate((half[:0:-1], half))
    return values


def _reach(distribution: Distribution, terms: int) -> int:
    """A number beyond which a sum of draws lies with a chance of less than 10^-12."""
    scale = float(distribution.scale) if isinstance(distribution, DiscreteLaplace) else 0.0
    reach: int = ceil(35 * scale + 9 * standard_deviation(distribution) * terms**0.5) + 2
    return reach


@lru_cache(maxsize=8)
def _power(distribution: Distribution, terms: int) -> Floats:
    """The distribution of a sum of draws on -last..last; an interval of a ratio asks for it again and again."""
    single, reach = _reach(distribution, 1), _reach(distribution, terms)
    size = 2 ** ceil(np.log2(2 * max(single, reach) + 1))
    if size > LONGEST:
        raise _too_wide()
    x = np.arange(-single, single + 1, dtype=np.float64)
    exponent = (
        np.abs(x) / float(distribution.scale)
        if isinstance(distribution, DiscreteLaplace)
        else x**2 / float(2 * distribution.sigma_squared)
    )
    mass = np.exp(-exponent)
    mass /= mass.sum()
    if terms > 1:
        power = np.fft.irfft(np.fft.rfft(_around_zero(mass, size)) ** terms, size)
        mass = np.maximum(np.concatenate((power[-reach:], power[: reach + 1])), 0)
    mass.flags.writeable = False  # it is remembered
    return mass


def _around_zero(mass: Floats, size: int) -> Floats:
    """A symmetric distribution on a circle of `size` points, its middle at 0."""
    reach = len(mass) // 2
    circle = np.zeros(size)
    circle[: reach + 1] = mass[reach:]
    if reach:
        circle[-reach:] = mass[:reach]
    return circle


def _too_wide() -> ParameterError:
    return ParameterError("sum", "has noise too wide to be listed", "sum fewer numbers")
