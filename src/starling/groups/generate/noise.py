"""Invented noise for previews, from a public seed: it shows what a plan's noise does, and protects nobody."""

import numpy as np

from starling.groups.measurements import AddNoise
from starling.groups.optimise.tree import Int64
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution


def inventing(seed: int) -> AddNoise:
    """Adds invented noise, of the same distribution as a release's; of the Gaussian a rounded normal one, which is near to it.

    Each count takes the same draw of the seed, size after size, whatever the distributions: it is scaled to its noise, so that plans of
    different splits and bands that are simulated under one seed meet the same chance.

    Args:
        seed: Public, 0 or more.
    """
    rng = np.random.default_rng(seed)

    def add(counts: Int64, noise: Distribution) -> Int64:
        by_size = counts.shape[::-1]
        if isinstance(noise, DiscreteLaplace):
            # An exponential number that is scaled and rounded down is a geometric one; the noise is the difference of two.
            pairs: Int64 = np.floor(rng.standard_exponential((*by_size, 2)) * float(noise.scale)).astype(np.int64)
            return counts + (pairs[..., 0] - pairs[..., 1]).T
        drawn: Int64 = np.rint(rng.standard_normal(by_size) * float(noise.sigma_squared) ** 0.5).astype(np.int64)
        return counts + drawn.T

    return add
