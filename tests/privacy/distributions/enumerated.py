"""How often a weighted sum of independent draws lies beyond a number, by enumeration."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

Floats = npt.NDArray[np.float64]
GRID = 1 << 10
"""Steps of 1 in which sums are listed: draws of a weight that is none of them are shared between its two neighbours."""
_LEAST = 1e-12


def masses(noise: Distribution) -> tuple[npt.NDArray[np.int64], Floats]:
    """The values of a draw, and their chances; without tails below a part in 10^12."""
    scale = float(noise.scale) if isinstance(noise, DiscreteLaplace) else sqrt(float(noise.sigma_squared))
    values = np.arange(-ceiled(30 * scale), ceiled(30 * scale) + 1)
    weights = np.exp(-np.abs(values) / scale if isinstance(noise, DiscreteLaplace) else -((values / scale) ** 2) / 2)
    kept = weights > _LEAST
    return values[kept], weights[kept] / weights.sum()


def ceiled(number: float) -> int:
    return int(number) + 2


def beyond(draws: Sequence[tuple[Distribution, float]], most: float) -> float:
    """P(|S| > most) of the sum of draws, each times its weight; where weights are no multiples of 1/GRID at least that of a little more."""
    sums, off = np.ones(1), 0
    for noise, weight in draws:
        values, chances = masses(noise)
        at = np.abs(weight) * values * GRID
        below = np.floor(at + 1e-6)
        part = np.where(at - below < 1e-5, 0.0, at - below)
        off += bool(part.any())
        half = ceiled(np.abs(at).max())
        spread, places = np.zeros(2 * half + 1), (below + half).astype(np.int64)
        np.add.at(spread, places, chances * (1 - part))
        np.add.at(spread, places + 1, chances * part)
        sums = convolved(sums, spread)
    outside = len(sums) // 2 + int(most * GRID + 1e-6) + off + 1
    return 2 * float(sums[outside:].sum())


def convolved(one: Floats, other: Floats) -> Floats:
    """By Fourier's transform, which errs by parts in 10^15."""
    size = len(one) + len(other) - 1
    fast = 1 << (size - 1).bit_length()
    return np.maximum(np.fft.irfft(np.fft.rfft(one, fast) * np.fft.rfft(other, fast), fast)[:size], 0.0)
