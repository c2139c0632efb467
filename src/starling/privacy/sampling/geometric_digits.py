"""Discrete Laplace noise of a large scale, from small tables: a geometric variable drawn digit by digit.

Let q = e^(-1/b), B = 2^10, and k the least with b/B^k <= 2^10.

- Sign. X = G if N = 0 and X = -(1 + G) if N = 1, where P(N = 1) = q/(1 + q) and P(G = g) = (1 - q) q^g independently. For x >= 0:
  P(X = x) = (1 - q) q^x/(1 + q); for x < 0: q/(1 + q) (1 - q) q^(-x-1), both as they must be. (A fair sign on G would give 0 twice
  its weight; -(1 + G) has no zero.)
- Digits. g = d_0 + B d_1 + ... + B^(k-1) d_(k-1) + B^k t, so q^g is the product of q_i^(d_i), q_i = q^(B^i), and of q_k^t: the digits and
  the top part are independent, P(d_i = d) = (1 - q_i) q_i^d/(1 - q_i^B), P(t) = (1 - q_k) q_k^t. q_i belongs to scale b/B^i.

Each of the k + 2 parts is drawn by table inversion (inversion.py), with a word of its own.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from starling.privacy.sampling.certified import Digit, Geometric, Negative
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.inversion import CHUNK, Int64, Inversion, Search, inversion

DIGIT_BITS = 10
LARGEST_SCALE = Fraction(2**50)
_MOST_TOP = 1 << 22
"""t below this keeps X within int64 (k <= 4). P(t >= 2^22) < e^-4096."""


@dataclass(frozen=True, slots=True, eq=False)
class GeometricDigits:
    """A discrete Laplace distribution as its independent parts. Make one with `geometric_digits`.

    Attributes:
        negative: N.
        top: t.
        digits: The digits, from the most significant to the least.
    """

    negative: Inversion
    top: Inversion
    digits: tuple[Inversion, ...]

    def fill(self, out: Int64, source: BitSource, *, search: Search) -> None:
        """Independent draws into `out`, contiguous and of one dimension.

        Raises OverflowError where a draw leaves int64, which has a probability below e^-4096.
        """
        part = np.empty(min(out.size, CHUNK), dtype=np.int64)
        for start in range(0, out.size, CHUNK):
            total = out[start : start + CHUNK]
            drawn = part[: total.size]
            self.top.fill(total, source, signed=False, search=search)
            if int(total.max()) >= _MOST_TOP:
                raise OverflowError("a draw of noise leaves the 64-bit integers")
            for digit in self.digits:
                digit.fill(drawn, source, signed=False, search=search)
                total <<= DIGIT_BITS
                total |= drawn
            self.negative.fill(drawn, source, signed=False, search=search)
            # g XOR 0 is g; g XOR -1 is -(1 + g).
            np.negative(drawn, out=drawn)
            total ^= drawn


@lru_cache(maxsize=16)
def geometric_digits(scale: Fraction) -> GeometricDigits:
    """The parts of the discrete Laplace of this scale, at most `LARGEST_SCALE`."""
    base = 2**DIGIT_BITS
    count = 0
    while scale > base ** (count + 1):
        count += 1
    return GeometricDigits(
        inversion(Negative(scale)),
        inversion(Geometric(scale / base**count)),
        tuple(inversion(Digit(scale / base**i, base)) for i in reversed(range(count))),
    )
