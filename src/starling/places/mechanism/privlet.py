"""Noisy coefficients of the two-dimensional Haar transform (Privlet).

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The grid is filled up with empty cells to powers of two,
N rows and M columns. Along one axis of N cells the transform is the total and N - 1 differences, each of the sum of the first half of
some interval and that of the second. One point is in the total and in one interval of each of the log2 N lengths: it changes 1 + log2 N
coefficients by 1 or -1. Both axes one after the other: (1 + log2 N)(1 + log2 M) coefficients, by 1 or -1 each. So L1 sensitivity is k times
that, and discrete Laplace noise of scale k (1 + log2 N)(1 + log2 M)/epsilon in every coefficient is epsilon-DP (SafeTab 2022, Lemma 6).

The original divides each sum by the number of its cells, and the noise with it; whole numbers say the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from starling.places.arrays import Int64
from starling.places.measurements import MeasuredCoefficients
from starling.places.mechanism.growing import noisy
from starling.places.mechanism.method import Method
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement


@dataclass(frozen=True, slots=True)
class Privlet(Method):
    """All Haar coefficients measured alike: a `Method`.

    Source: Xiao, Wang and Gehrke 2011, "Differential privacy via wavelet transforms"; HTF (2021), Section 5.5.
    """

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise of each coefficient."""
        return DiscreteLaplace(coefficients_of_a_point(self.shape) / self.amount)

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """One vector of coefficients."""
        changed = self.points * coefficients_of_a_point(self.shape)
        return {"coefficients": [measurement("Haar coefficients", self.relation, self.noise, changed)]}

    def draw(self, exact: Int64, /) -> MeasuredCoefficients:
        """Measure all coefficients, in the order of `haar` along each axis; see `Method.draw`."""
        return MeasuredCoefficients(self.shape, noisy(coefficients(exact), 1 / self.noise.scale), self.noise)


def coefficients(exact: Int64) -> Int64:
    """The coefficients of a grid that is filled up to powers of two, int64 (padded rows, padded columns), without noise."""
    rows, columns = (1 << (side - 1).bit_length() for side in exact.shape)
    whole = np.zeros((rows, columns), dtype=np.int64)
    whole[: exact.shape[0], : exact.shape[1]] = exact
    return np.ascontiguousarray(haar(haar(whole).T).T)


def coefficients_of_a_point(shape: tuple[int, int]) -> int:
    """How many coefficients one point is in: (1 + log2 N)(1 + log2 M), of a grid (rows, columns) that is filled up to powers of two.

    >>> coefficients_of_a_point((1024, 1000))
    121
    """
    rows, columns = ((side - 1).bit_length() for side in shape)
    return (1 + rows) * (1 + columns)


def haar(cells: Int64) -> Int64:
    """Totals and differences along the first axis of int64 (n, ...), n a power of two: at 0 the total; at 2^j + i, for i below 2^j, the
    first half of interval i of 2^j equal ones less its second half.

    >>> haar(np.array([1, 2, 4, 8])).tolist()
    [15, -9, -1, -4]
    """
    out = np.empty_like(cells)
    while len(cells) > 1:
        first, second = cells[::2], cells[1::2]
        out[len(first) : 2 * len(first)] = first - second
        cells = first + second
    out[0] = cells[0]
    return out
