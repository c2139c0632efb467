"""Discrete Gaussian noise of a large sigma: a small table, a uniform offset, and an exact rejection.

Let s2 be sigma squared and B = 2^s, s the largest integer with B <= sigma/32, found from s2 by integer arithmetic. A proposal is

- h = 0, 1, ... with probability proportional to e^(-(B h)^2/(2 s2)), by table inversion: the distribution of parameter s2/B^2, some 600
entries;
- l uniform on 0..B-1 and a fair sign, from one word.

(negative, h = 0, l = 0) is rejected: zero has one representation. Otherwise it is accepted with probability e^(-t),
t = (2 B h l + l^2)/(2 s2), and then X = +-(B h + l). So P(X = x) is proportional to
e^(-(B h)^2/(2 s2)) e^(-(2 B h l + l^2)/(2 s2)) = e^(-x^2/(2 s2)): exact, whatever B is. B decides only how often a proposal is accepted
(97.5 % or more). How many are rejected does not depend on any data.

Accepting. V is a word, u = V/2^64 to 53 bits; accept if U < e^(-t) for the real number U of which V is the first word. The kernel
computes p ~ e^(-t) in doubles and decides when u lies outside p -+ 2^-40; what lies inside (once in 5 * 10^11 proposals) is decided by
Arb (exact_draws.coin), from the same word on. The kernel decides for t <= 1/2 alone (else it reports), where

- t in doubles has a relative error below 2^-50: l and 2 B h + l <= 2^53 are exact, one rounding for their product, one for 1/(2 s2), one
  for the last product;
- the Taylor polynomial of degree 12 is off by less than (1/2)^13/13! < 2^-45; Horner's rule has 12 steps of two roundings of numbers
  up to 1, and 13 rounded coefficients up to 1: less than 40 * 2^-53 < 2^-47; converting V costs 2^-53.

All together less than 2^-44. No library's exp is trusted, and fused multiply-adds would only round less.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled
from starling.privacy.sampling.certified import GaussianMagnitude
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.exact_draws import coin
from starling.privacy.sampling.inversion import CHUNK, Int64, Inversion, Search, inversion

_SLACK: Final = 2.0**-40
_MOST: Final = 0.5
_TAYLOR: Final = tuple(1 / factorial(i) for i in range(13))
_SIGN_BIT: Final = np.uint64(63)


@dataclass(frozen=True, slots=True, eq=False)
class WideGaussian:
    """The proposal for one parameter. Make one with `wide_gaussian`.

    Attributes:
        sigma_squared: s2, exact.
        offset_bits: s.
        blocks: The distribution of h.
    """

    sigma_squared: Fraction
    offset_bits: int
    blocks: Inversion

    def fill(self, out: Int64, source: BitSource, *, search: Search) -> None:
        """Independent draws into `out`, contiguous and of one dimension."""
        proposals = np.empty(CHUNK, dtype=np.int64)
        words = np.empty(2 * CHUNK, dtype=np.uint64)
        gaps = np.empty(CHUNK, dtype=np.float64)
        half_rate = float(1 / (2 * self.sigma_squared))
        filled = 0
        while filled < out.size:
            # A few more than are needed, as a few will be rejected. What is left over was never looked at.
            count = min(CHUNK, (missing := out.size - filled) + missing // 32 + 8)
            chunk, offsets, chances = proposals[:count], words[:count], words[count : 2 * count]
            self.blocks.fill(chunk, source, signed=False, search=search)
            source.fill(words[: 2 * count])
            propose(chunk, offsets, chances, self.offset_bits, half_rate, gaps)
            at = 0
            while at < count and filled < out.size:
                filled, at, is_open = accept(chunk, gaps, at, out, filled)
                if is_open:
                    filled += self._decide(int(chunk[at]), int(chances[at]), out, filled, source)
                    at += 1

    def _decide(self, proposal: int, chance: int, out: Int64, filled: int, source: BitSource) -> bool:
        """Whether an open proposal is accepted; if so its draw is written at `filled`."""
        magnitude = proposal if proposal >= 0 else -1 - proposal
        start = magnitude >> self.offset_bits << self.offset_bits
        accepted = coin(Fraction(magnitude**2 - start**2) / (2 * self.sigma_squared), source, chance)
        if accepted and proposal != -1:
            out[filled] = magnitude if proposal >= 0 else -magnitude
            return True
        return False


@compiled
def propose(
    blocks: Int64,
    offsets: npt.NDArray[np.uint64],
    chances: npt.NDArray[np.uint64],
    offset_bits: int,
    half_rate: float,
    gaps: npt.NDArray[np.float64],
) -> None:
    """Proposals, from h, and how far each is from being accepted. In place; no branches, so that the processor does eight at once.

    Args:
        blocks: h in, the proposal out; -1 - x for -x, so that the negative zero is -1.
        offsets: Words: the last `offset_bits` bits are l, the first is the sign.
        chances: V of each proposal.
        offset_bits: s.
        half_rate: 1/(2 s2), rounded once.
        gaps: Out: V/2^64 - e^(-t) within 2^-44, or 0 where t > 1/2: below 0 is accepted, near 0 is open.
    """
    mask = (np.uint64(1) << np.uint64(offset_bits)) - np.uint64(1)
    for place in range(blocks.size):
        offset = np.int64(offsets[place] & mask)
        start = blocks[place] << offset_bits
        t = np.float64(offset) * np.float64(2 * start + offset) * half_rate
        p = _TAYLOR[12]
        for i in range(11, -1, -1):
            p = _TAYLOR[i] - t * p
        gaps[place] = np.float64(chances[place]) * 2.0**-64 - p if t <= _MOST else 0.0
        blocks[place] = (start + offset) ^ -np.int64(offsets[place] >> _SIGN_BIT)


@compiled
def accept(proposals: Int64, gaps: npt.NDArray[np.float64], at: int, out: Int64, filled: int) -> tuple[int, int, bool]:
    """Write accepted proposals, from `at` on, into `out` from `filled` on, until either ends or one is left open.

    Returns:
        How many draws `out` now holds, the next proposal, and whether that one is open.
    """
    for place in range(at, proposals.size):
        if filled == out.size:
            return filled, place, False
        if abs(gaps[place]) <= _SLACK:
            return filled, place, True
        x = proposals[place]
        out[filled] = x + np.int64(x < 0)
        filled += int(gaps[place] < 0.0) & int(x != -1)
    return filled, proposals.size, False


@lru_cache(maxsize=16)
def wide_gaussian(sigma_squared: Fraction) -> WideGaussian:
    """The proposal for sigma squared from 2^10 up to `LARGEST_SIGMA_SQUARED`."""
    bits = 0
    while sigma_squared >= 4 ** (bits + 6):
        bits += 1
    return WideGaussian(sigma_squared, bits, inversion(GaussianMagnitude(sigma_squared / 4**bits, 1)))
