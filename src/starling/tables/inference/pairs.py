"""Sums, sizes and means from the noisy pair of a group (plan/aggregates.py), with intervals.

With A = sum of (high - x) + Z and B = sum of (x - low) + Z', Z and Z' independent and of one known distribution, size, sum and mean are
linear in A and B, or their ratio. Intervals of size and sum are those of the noise in them. The mean of a group whose share of B is p
lies at low + p W; and B - p (A + B) = (1 - p) Z' - p Z is noise alone. So the means are all those with |B - p (A + B)| <= q(p), q(p)
being a margin of that noise at p (Fieller 1954): the true one is among them with the stated probability, however small the group is.
Where the interval of the size reaches 0, the group may be empty and have no mean: its interval is then that of all numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.two_draws import weighted_margin
from starling.tables.measurements import GroupNumbers
from starling.tables.plan import Aggregate

Float64: TypeAlias = npt.NDArray[np.float64]

_SHARES: Final = 1024
"""Parts of the shares from 0 to 1 at whose ends q is computed; between them it is convex, so that the line between two ends lies above
it.
"""
_STEPS: Final = 40
"""Halvings that find where a mean leaves its interval."""
_ROUNDING: Final = 2.0**-48
"""A bound on the relative errors of doubles."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Estimates of any number of groups with their intervals, float64 of one length; lower and upper end are included."""

    value: Float64
    lower: Float64
    upper: Float64


@dataclass(frozen=True, slots=True)
class PairErrors:
    """The standard deviations of the size, in records, and of the sum, in units of the last place, that follow from a pair, and half the
    widths of their intervals.
    """

    size: float
    sum: float
    size_margin: float
    sum_margin: float


def pair_errors(aggregate: Aggregate, noise: Distribution, missing: Fraction) -> PairErrors:
    """The errors of sizes and sums; intervals miss with a chance of at most `missing`."""
    width, deviation = aggregate.width, standard_deviation(noise)
    of_sum = (aggregate.high / width, aggregate.low / width)
    return PairErrors(
        float(np.hypot(1, 1)) * deviation / width,
        float(np.hypot(*of_sum)) * deviation,
        weighted_margin(noise, 1 / width, 1 / width, missing),
        weighted_margin(noise, *of_sum, missing),
    )


def sizes_and_sums(
    aggregate: Aggregate, pairs: GroupNumbers, noise: Distribution, missing: Fraction
) -> tuple[Interval, Interval]:
    """The sizes, in records, and the sums, in units of the last place, of groups, from A and B of each, (groups, 2), and the noise in them;
    an interval misses with a chance of `missing`.
    """
    errors = pair_errors(aggregate, noise, missing)
    size, whole = linear(aggregate, pairs)
    return _whole(size, errors.size_margin), _whole(whole, errors.sum_margin)


def linear(aggregate: Aggregate, pairs: GroupNumbers) -> tuple[Float64, Float64]:
    """The sizes and the sums, in units of the last place, that follow from pairs."""
    # Integers of Python are divided exactly, and rounded once.
    below, above = (pairs[:, at] if aggregate.wide else pairs[:, at].astype(np.float64) for at in (0, 1))
    size = (below + above) / aggregate.width
    whole = (aggregate.high * above + aggregate.low * below) / aggregate.width
    return size.astype(np.float64), whole.astype(np.float64)


def _whole(value: Float64, half: float) -> Interval:
    """An interval of a number that is whole: the whole numbers within the margin, where there is one."""
    slack = np.abs(value) * _ROUNDING
    lower, upper = np.ceil(value - half - slack), np.floor(value + half + slack)
    # Where there is none, the noise is less than half a unit.
    return Interval(value, np.minimum(lower, np.floor(value)), np.maximum(upper, np.ceil(value)))


def means(
    aggregate: Aggregate, pairs: GroupNumbers, noise: Distribution, missing: Fraction, *, hidden: bool = True
) -> Interval:
    """The means of groups, in units of the last place; NaN, in an interval of all numbers, where the noisy size is not above 0.

    Args: as of `sizes_and_sums`, and
        hidden: Whether the interval is of all numbers wherever that of the size reaches 0; releases made before have narrower ones.
    """
    below, above = pairs[:, 0].astype(np.float64), pairs[:, 1].astype(np.float64)
    size = below + above
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(size > 0, np.clip(above / size, 0, 1), np.nan)
    lower = _first_share(below, above, noise, missing)
    # Seen from the other end, A and B change places.
    upper = 1 - _first_share(above, below, noise, missing)
    known = np.where(np.isnan(share), (lower + upper) / 2, share)
    lower, upper = np.minimum(lower, known), np.maximum(upper, known)
    if hidden:
        empty = size <= weighted_margin(noise, 1, 1, missing)
        lower, upper = np.where(empty, 0.0, lower), np.where(empty, 1.0, upper)
    return Interval(*(aggregate.low + aggregate.width * each for each in (share, lower, upper)))


def _first_share(below: Float64, above: Float64, noise: Distribution, missing: Fraction) -> Float64:
    """The least share p of each group with |B - p (A + B)| <= q(p), 1 where there is none."""
    ends, margins = _margins(noise, missing)
    slack = (np.abs(below) + np.abs(above)) * _ROUNDING

    def outside(share: Float64) -> npt.NDArray[np.bool_]:
        # A line less a convex function is concave: what is outside at 0 on one side is left once.
        off = sign * (above - share * (below + above))
        return np.asarray(off > np.interp(share, ends, margins) + slack)

    sign = np.where(above < 0, -1.0, 1.0)
    low, high = np.zeros_like(above), np.ones_like(above)
    inside_at_0 = ~outside(low)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        out = outside(middle)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return np.where(inside_at_0, 0.0, low)


@lru_cache(maxsize=64)
def _margins(noise: Distribution, missing: Fraction) -> tuple[Float64, Float64]:
    ends = np.linspace(0, 1, _SHARES + 1)
    half = [weighted_margin(noise, 1 - share, share, missing) for share in ends[: _SHARES // 2 + 1]]
    return ends, np.array(half + half[-2::-1])
