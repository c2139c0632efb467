"""Tables of cumulative probabilities in which every entry is proved, and what to do when a table is too coarse.

For a distribution on 0, 1, 2, ... the table of n bits is T[m] = floor(2^n P(V <= m)) = 2^n - ceil(2^n P(V > m)). P(V > m) is a ball of
Arb that holds the true value, and an entry is taken only when the whole ball has one ceiling; otherwise everything is done
again at twice the precision. The tail, not the sum from 0, is what is computed, so that even where 2^n P(V > m) is 10^-400
the ball is known to be above 0.

For the discrete Laplace this ends: e^(-1/b) is transcendental for rational b (Lindemann), so no P(V > m) is rational. For the
discrete Gaussian nobody has proved that 2^n P(V > m) is never an integer; a distribution whose table is still open at 4,096 bits is
refused, a function of its public parameter alone. (None was ever seen: the chance is about 2^-4000 an entry.)

A word of n bits decides a draw unless it equals an entry: `settle` says what then happens, with balls again, and needs no
such limit because undecided only means that more bits are drawn.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpz

from starling.errors import ParameterError
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

SPARE_BITS = 65
"""Bits of precision beyond the table's: an entry is then open with a chance of about 2^-50."""
MOST_BITS = 4096


class Certifiable(Protocol):
    """A distribution on 0, 1, 2, ... whose tails are known as balls. Values are immutable."""

    def __hash__(self) -> int: ...

    def tails(self, unit: arb) -> Iterator[arb]:
        """`unit` times P(V > 0), P(V > 1), ..., at the working precision, at least until P(V > m) < 2^-(precision - 64)."""


@dataclass(frozen=True, slots=True)
class LaplaceMagnitude:
    """|X| of the discrete Laplace: P(V > m) = 2 q^(m+1)/(1 + q), q = e^(-1/scale)."""

    scale: Fraction

    def tails(self, unit: arb) -> Iterator[arb]:
        """`unit` times P(V > 0), P(V > 1), ..., as `Certifiable` asks."""
        q = ball(-1 / self.scale).exp()
        return _falling(unit * 2 * q / (1 + q), q)


@dataclass(frozen=True, slots=True)
class Geometric:
    """P(V = g) = (1 - q) q^g, so P(V > g) = q^(g+1), q = e^(-1/scale)."""

    scale: Fraction

    def tails(self, unit: arb) -> Iterator[arb]:
        """`unit` times P(V > 0), P(V > 1), ..., as `Certifiable` asks."""
        q = ball(-1 / self.scale).exp()
        return _falling(unit * q, q)


@dataclass(frozen=True, slots=True)
class Digit:
    """A geometric variable given that it is below `base`: P(V > d) = (q^(d+1) - q^base)/(1 - q^base), q = e^(-1/scale)."""

    scale: Fraction
    base: int

    def tails(self, unit: arb) -> Iterator[arb]:
        """`unit` times P(V > 0), P(V > 1), ..., as `Certifiable` asks."""
        rate = ball(-1 / self.scale)
        whole = -(rate * self.base).expm1()
        for digit in range(self.base - 1):
            # q^base is taken out, so that no two near numbers are subtracted.
            above = (rate * (digit + 1)).exp() * -(rate * (self.base - 1 - digit)).expm1()
            yield unit * above / whole
        yield arb(0)


@dataclass(frozen=True, slots=True)
class Negative:
    """Whether a discrete Laplace draw is below 0: P(V = 1) = q/(1 + q), q = e^(-1/scale)."""

    scale: Fraction

    def tails(self, unit: arb) -> Iterator[arb]:
        """`unit` times P(V > 0), P(V > 1), ..., as `Certifiable` asks."""
        q = ball(-1 / self.scale).exp()
        yield unit * q / (1 + q)
        yield arb(0)


@dataclass(frozen=True, slots=True)
class GaussianMagnitude:
    """P(V = 0) proportional to 1, P(V = k) to sides * w_k for k > 0, w_k = e^(-k^2/(2 sigma_squared)).

    Attributes:
        sigma_squared: Exact.
        sides: 2: |X| of the discrete Gaussian. 1: the discrete Gaussian given that it is not negative.
    """

    sigma_squared: Fraction
    sides: Literal[1, 2]

    def tails(self, unit: arb) -> Iterator[arb]:
        """See `Certifiable`.

        w_k for k <= last by two products each; all beyond are below w_last/(1 - w_(last+1)/w_last), because the ratio of
        neighbours falls. 0.6932 > log 2, so w_last < 2^-precision.
        """
        last = isqrt(int(2 * self.sigma_squared * Fraction("0.6932") * ctx.prec)) + 3
        rate = ball(-1 / (2 * self.sigma_squared))
        weight, ratio, step = arb(1), rate.exp(), (2 * rate).exp()
        weights = []
        for _ in range(last):
            weight *= ratio
            weights.append(weight)
            ratio *= step
        total = arb(0).union(weight * ratio / (1 - ratio))
        sums = []
        for weight in reversed(weights):
            total += weight
            sums.append(total)
        factor = unit * self.sides / (1 + self.sides * total)
        return (factor * above for above in reversed(sums))


def _falling(first: arb, ratio: arb) -> Iterator[arb]:
    while True:
        yield first
        first *= ratio


def thresholds(distribution: Certifiable, bits: int) -> npt.NDArray[np.uint64]:
    """T[m] = floor(2^bits P(V <= m)) for m = 0.. up to the first that is 2^bits - 1, or to the end of a finite distribution.

    Ascending; equal neighbours are normal in the tail. At most 63 bits; the last entry of a finite distribution is 2^bits.

    Raises:
        ParameterError: when an entry is not decided at 4,096 bits of precision.
    """
    working = bits + SPARE_BITS
    while working <= MOST_BITS:
        with precision(working):
            table = _table(distribution, bits)
        if table is not None:
            return table
        working *= 2
    raise ParameterError(
        "distribution",
        f"has a probability that {MOST_BITS} bits do not tell from a multiple of 2^-{bits}",
        "give another scale or variance; the nearest one will do",
    )


def _table(distribution: Certifiable, bits: int) -> npt.NDArray[np.uint64] | None:
    full = 1 << bits
    table = []
    for tail in distribution.tails(arb(fmpz(full))):
        ceiling = tail.ceil().unique_fmpz()
        if ceiling is None:
            return None
        missing = int(ceiling)
        table.append(full - missing)
        if missing <= 1:
            return np.array(table, dtype=np.uint64)
    return None


def settle(distribution: Certifiable, at: int, digits: int, bits: int, step: int, read: Callable[[], int]) -> int:
    """The draw whose first word was equal to an entry.

    U is a uniform real number of which the first binary digits are known, and the draw is the least m with U < P(V <= m).
    With n digits known, u of them, U lies in [u, u + 1)/2^n: m is the draw when u + 1 <= 2^n P(V <= m), it is passed by when
    u >= 2^n P(V <= m), and otherwise more digits decide. (With T'[m] = floor(2^n P(V <= m)), these are u < T'[m], u > T'[m]
    and u = T'[m].) The digits known so far are never drawn again.

    Args:
        distribution: The distribution of V.
        at: The first m that is not passed by.
        digits: u, the digits known so far.
        bits: n, how many.
        step: The number of binary digits that `read` gives.
        read: Draws further digits, uniform on 0..2^step - 1.
    """
    while True:
        digits = digits << step | read()
        bits += step
        with precision(bits + SPARE_BITS):
            at, decided = _compare(distribution, at, digits, bits)
        if decided:
            return at


def _compare(distribution: Certifiable, at: int, digits: int, bits: int) -> tuple[int, bool]:
    """The first m from `at` on that is not passed by, and whether it is the draw."""
    left = fmpz((1 << bits) - digits)
    for m, tail in enumerate(distribution.tails(arb(fmpz(1) << bits))):
        if m < at:
            continue
        if tail <= left - 1:
            return m, True
        if not tail >= left:
            return m, False
        at = m + 1
    return at, False
