"""Points, sums and means of a value in areas, from the two layers of a plan that sums a column.

Of n points with values v in public [a, b] the first layer has A = sum (v - a) units, the second B = sum (b - v): n = (A + B)/(b - a), the
sum is (b A + a B)/(b - a), and the mean a + (b - a) s, s = A/(A + B). Estimates of both layers have independent noise of one variance, so
that points and sums have exact deviations, and add up over areas.

The interval of a mean holds every s in [0, 1] for which (1 - s) A - s B, whose expectation is 0 at the true one, is no farther from 0 than
so many of its own deviations, and a step of what is drawn (Fieller 1954): no ratio is approximated, and it holds the true mean as often as
such a sum is within them. The step is that of the deviations too, sqrt((1 - s)^2 + s^2), which is no less than the larger weight.
Its ends solve a quadratic; where that has no bounded interval, all of [a, b] is left.
"""

from typing import Final

import numpy as np

from starling.hierarchy.trees import Estimated, Floats
from starling.places.areas.plan.model import AreasPlan
from starling.places.plan.choices import Value
from starling.privacy.distributions.deviations import UNIT

ROUNDING: Final = 2.0**-40
"""Of a mean, relative to the bounds, by which its interval is wider."""


def factors_of_points(value: Value | None) -> tuple[float, ...]:
    """What each layer of a slice counts for in its points."""
    return (1.0,) if value is None else (1 / value.width, 1 / value.width)


def factors_of_sum(value: Value) -> tuple[float, float]:
    """What each layer of a slice counts for in its sum."""
    return value.upper / value.width, value.lower / value.width


def possible_sums(value: Value, ends: Floats) -> Floats:
    """Ends of intervals of sums, cut where no sum can lie: below 0 of a value that is never below, above 0 of one that is never above.

    >>> possible_sums(Value(0, 60), np.array([-103.0, 12.0])).tolist(), possible_sums(Value(-1, 3), np.array([-103.0, 12.0])).tolist()
    ([0.0, 12.0], [-103.0, 12.0])
    """
    return np.clip(ends, 0 if value.lower >= 0 else None, 0 if value.upper <= 0 else None)


def layers_of(plan: AreasPlan, estimated: Estimated, slice: int) -> Floats:
    """float64 (nodes, layers): what is released of each node in a slice, from the estimates of a level."""
    return estimated.count[:, slice * plan.layers : (slice + 1) * plan.layers]


def points_of(plan: AreasPlan, estimated: Estimated) -> Estimated:
    """The points of each node and slice, float64 (nodes, slices), from the estimates of a level, (nodes, slices * layers)."""
    return estimated if plan.value is None else _combined(estimated, factors_of_points(plan.value))


def sums_of(value: Value, estimated: Estimated) -> Estimated:
    """The sum of a value of each node and slice, as `points_of`."""
    return _combined(estimated, factors_of_sum(value))


def _combined(estimated: Estimated, factors: tuple[float, ...]) -> Estimated:
    layers = len(factors)
    count = sum(factor * estimated.count[:, at::layers] for at, factor in enumerate(factors))
    variance = sum(factor**2 * estimated.variance[:, at::layers] for at, factor in enumerate(factors))
    return Estimated(np.asarray(count), np.asarray(variance))


def means_of(
    value: Value, estimated: Estimated, deviations: float, step: float = UNIT
) -> tuple[Floats, Floats, Floats]:
    """The mean of a value of each node and slice, float64 (nodes, slices), with the ends of its interval.

    Args:
        value: The public bounds.
        estimated: Both layers, (nodes, slices * layers), of equal variance.
        deviations: So many that hold all but the wanted part of a sum of their noise,
        step: and by how much it may be off more: by default that of draws that are not looked at, of a weight of 1.

    Returns:
        The mean, no number where less than half a point is released, and the ends, rounded outwards.
    """
    above, below, variance = estimated.count[:, ::2], estimated.count[:, 1::2], estimated.variance[:, ::2]
    units, slack = above + below, (deviations * np.sqrt(variance) + step) ** 2
    share = np.divide(above, units, out=np.full_like(units, np.nan), where=2 * units >= value.width)
    leading, middle = units**2 - 2 * slack, above * units - slack
    root = np.sqrt(np.maximum(slack * (above**2 + below**2 - slack), 0))
    # Units may be negative with a square that is large: then no share from 0 to 1 is near, and all are left.
    bounded = (leading > 0) & (units > 0)
    low = np.divide(middle - root, leading, out=np.zeros_like(units), where=bounded)
    high = np.divide(middle + root, leading, out=np.ones_like(units), where=bounded)
    off = ROUNDING * (abs(value.lower) + value.width)
    least, most = (value.lower + value.width * np.clip(each, 0, 1) for each in (low, high))
    return (
        value.lower + value.width * np.clip(share, 0, 1),
        np.maximum(least - off, value.lower),
        np.minimum(most + off, value.upper),
    )
