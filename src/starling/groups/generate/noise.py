"""Invented noise for previews, from a public seed: it shows what a plan's noise does, and protects nobody."""

import numpy as np

from starling.groups.measurements import AddNoise
from starling.groups.optimise.tree import Int64
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution


def inventing(seed: int) -> AddNoise:
    """Adds invented noise, of the same distribution as a release's; of the Gaussian a rounded normal one, which is near to it.

    Args:
        seed: Public, 0 or more.
    """
    rng = np.random.default_rng(seed)

    def add(counts: Int64, noise: Distribution) -> Int64:
        if isinstance(noise, DiscreteLaplace):
            p = -np.expm1(-1 / float(noise.scale))
            return counts + rng.geometric(p, counts.shape) - rng.geometric(p, counts.shape)
        return counts + np.rint(rng.normal(0, float(noise.sigma_squared) ** 0.5, counts.shape)).astype(np.int64)

    return add
