"""Slow twins of the distributions of noise, by mpmath and by definition; they share no formula code with the package."""

from collections.abc import Iterator
from fractions import Fraction

import mpmath as mp

from starling.privacy.sampling.certified import (
    Certifiable,
    Digit,
    GaussianMagnitude,
    Geometric,
    LaplaceMagnitude,
    Negative,
)

PRECISION = 700
"""Bits: far beyond what any entry of a 63-bit table needs."""


def number(value: Fraction) -> mp.mpf:
    """A rational at the precision of the moment."""
    return mp.mpf(value.numerator) / value.denominator


def probabilities(distribution: Certifiable) -> Iterator[mp.mpf]:
    """P(V = 0), P(V = 1), ... by the definition of the distribution; without end, or to the end of a finite distribution."""
    if isinstance(distribution, GaussianMagnitude):
        yield from _gaussian(distribution)
        return
    assert isinstance(distribution, LaplaceMagnitude | Geometric | Digit | Negative)
    q = mp.exp(-1 / number(distribution.scale))
    if isinstance(distribution, LaplaceMagnitude):
        yield (1 - q) / (1 + q)
        term = 2 * q * (1 - q) / (1 + q)
        while True:
            yield term
            term *= q
    elif isinstance(distribution, Geometric):
        term = 1 - q
        while True:
            yield term
            term *= q
    elif isinstance(distribution, Digit):
        whole = mp.fsum(q**d for d in range(distribution.base))
        yield from (q**d / whole for d in range(distribution.base))
    else:
        yield from (1 / (1 + q), q / (1 + q))


def _gaussian(distribution: GaussianMagnitude) -> Iterator[mp.mpf]:
    two_s2 = 2 * number(distribution.sigma_squared)
    last = int(mp.sqrt(two_s2 * PRECISION)) + 2
    whole = 1 + distribution.sides * mp.fsum(mp.exp(-mp.mpf(k * k) / two_s2) for k in range(1, last))
    yield 1 / whole
    k = 0
    while True:
        k += 1
        yield distribution.sides * mp.exp(-mp.mpf(k * k) / two_s2) / whole


def table(distribution: Certifiable, bits: int) -> list[int]:
    """floor(2^bits P(V <= m)) for m = 0.. up to the first that is 2^bits - 1 or more."""
    with mp.workprec(PRECISION):
        entries: list[int] = []
        total = mp.mpf(0)
        for probability in probabilities(distribution):
            total += probability
            exact = total * 2**bits
            entry = int(mp.floor(exact))
            # What the sum's own rounding could do to the entry. A finite distribution's last entry is 2^bits itself.
            if mp.fabs(exact - mp.nint(exact)) < mp.mpf(2) ** -500:
                entry = int(mp.nint(exact))
            entries.append(entry)
            if entry >= 2**bits - 1:
                break
        return entries
