"""Draws of exactly the stated distribution, from a stream of 64-bit words: whole numbers, coins of probability e^(-x), weighted levels.

The words are read as the binary digits of one uniform U in [0, 1). With w words read, U lies in [u, u+1) / 2^(64 w) for an
integer u, and any number of digits more can be had. A draw is decided as soon as that interval lies on one side of every
boundary that matters, each known as an Arb ball; until then a word more is read and the precision raised. So what is drawn is
a function of the real number U, never of a rounded one, and its distribution is the stated one exactly. An undecided first word has a
probability of about 2^-64 per boundary: the loop is a matter of right, not of time.

Written here, because no package at hand draws from e^(-x) with rational x exactly at a fixed cost: rejection loops (Canonne,
Kamath, Steinke 2020, Section 5) do, but run as long as what they draw.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from flint import arb, fmpz

from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision
from starling.privacy.sampling.entropy import BitSource

WORD = 64
"""Bits of a word."""


def word(source: BitSource) -> int:
    """The next 64 bits."""
    out = np.empty(1, dtype=np.uint64)
    source.fill(out)
    return int(out[0])


def below(bound: int, source: BitSource) -> int:
    """A uniform integer in 0..bound-1; `bound` is at least 1 and may be beyond 64 bits.

    Multiply and shift, rejecting the first (2^L mod bound) values of the low part, which are the ones too many (Lemire 2019):
    every result then has floor(2^L / bound) of the 2^L inputs.
    """
    words = -(-bound.bit_length() // WORD)
    space = 1 << (WORD * words)
    surplus = space % bound
    while True:
        drawn = 0
        for _ in range(words):
            drawn = drawn << WORD | word(source)
        high, low = divmod(drawn * bound, space)
        if low >= surplus:
            return high


def coin(exponent: Fraction, source: BitSource, first: int | None = None) -> bool:
    """True with probability e^(-exponent), exponent >= 0.

    Args:
        exponent: Exact.
        source: The source of random words.
        first: The first word, where a faster filter has drawn it and could not decide.
    """
    digits, words = word(source) if first is None else first, 1
    while True:
        with precision(WORD * (words + 2)):
            chance = (-ball(exponent)).exp()
            space = fmpz(1) << (WORD * words)
            if chance * space >= digits + 1:
                return True
            if chance * space <= digits:
                return False
        digits, words = digits << WORD | word(source), words + 1


def level(distances: Sequence[int], counts: Sequence[int], rate: Fraction, first: int, source: BitSource) -> int:
    """Index of a level, drawn with probability proportional to count * e^(-rate * distance).

    Args:
        distances: The distance of each level from the best one; at least one level.
        counts: Candidates in each level, above 0.
        rate: Exact, above 0.
        first: The first word of U.
        source: The source of further words.
    """
    digits, words = first, 1
    while True:
        with precision(WORD * (words + 2) + max(counts).bit_length()):
            slope = -ball(rate)
            bounds = [(slope * distances[0]).exp() * counts[0]]
            for distance, count in zip(distances[1:], counts[1:], strict=True):
                bounds.append(bounds[-1] + (slope * distance).exp() * count)
            unit = bounds[-1] / (fmpz(1) << (WORD * words))
            place = _bracket(bounds, unit * digits, unit * (digits + 1))
        if place is not None:
            return place
        digits, words = digits << WORD | word(source), words + 1


def _bracket(bounds: list[arb], low: arb, high: arb) -> int | None:
    """The level whose half-open interval certainly holds [low, high), or None; the last bound is the end of everything."""
    for index, bound in enumerate(bounds[:-1]):
        if high <= bound:
            return index
        if not low >= bound:
            return None
    return len(bounds) - 1


def decays(step: Fraction, count: int) -> npt.NDArray[np.float64]:
    """e^(-step * i) for i = 0..count-1 as doubles, each within a relative 2^-50 of the truth; i = 0 is exactly 1.

    Each is a product of two table entries, i = 64 a + b: an entry is a ball of relative radius below 2^-100 rounded once
    (2^-53), the product rounds once more: (1 + 2^-53)^3 (1 + 2^-99) - 1 < 2^-51. Where e^(-step * i) is below 2^-1000 the
    bound does not hold (underflow); callers stay above.
    """
    with precision(2 * WORD):
        slope = -ball(step)
        fine = np.array([float((slope * i).exp()) for i in range(min(count, WORD))])
        coarse = np.array([float((slope * i).exp()) for i in range(0, count, WORD)])
    table: npt.NDArray[np.float64] = np.outer(coarse, fine).ravel()
    return table[:count]
