"""What a plan of areas measures: the number of points of each node of each level, in each slice, with noise of the level."""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.places.areas.plan.model import AreasPlan
from starling.places.arrays import Int64
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution

LEAST: Final = 2.0**-64
"""The variance that is stated where the noise is all but sure to be 0, so that least squares never divide by 0."""
AreaMeasurements: TypeAlias = tuple[Int64, ...]
"""Of each level, the whole first, the noisy counts as they were drawn: int64 (nodes, slices * layers); they may be negative."""


def noises(plan: AreasPlan) -> tuple[Distribution, ...]:
    """The noise of each count of each level: of scale k/epsilon, or of variance k^2/(2 rho), for the budget of the level, where k is the
    points of a unit, or the units of their values.
    """
    k = plan.units
    if plan.measure == "epsilon":
        return tuple(DiscreteLaplace(k / amount) for amount in plan.amounts)
    return tuple(DiscreteGaussian(k * k / (2 * amount)) for amount in plan.amounts)


def variances(plan: AreasPlan) -> list[npt.NDArray[np.float64]]:
    """The variance of the noise of each count, float64 (nodes, 1) of each level."""
    spreads = [max(standard_deviation(noise) ** 2, LEAST) for noise in noises(plan)]
    return [np.full((len(nodes), 1), spread) for nodes, spread in zip(plan.areas.nodes, spreads, strict=True)]
