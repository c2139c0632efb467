"""What is measured: the numbers of groups of every region and size, or of groups of at most each size. Nothing here draws.

Noisy counts are public, and shipped with a release as they were drawn, before any post-processing.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.privacy.distributions.discrete import Distribution

Measured: TypeAlias = tuple[Int64, ...]
"""For each level, root first, int64 (regions, sizes): noisy numbers of groups of each size, or of at most each size."""
AddNoise: TypeAlias = Callable[[Int64, Distribution], Int64]
"""Adds an independent draw of a distribution to each number of an array."""


def measured(plan: Plan, leaves: Int64, add: AddNoise) -> Measured:
    """The counts of every level with the plan's noise, of int64 (leaves, sizes) that have the public totals; `add` adds noise."""
    levels = []
    for level, counts in enumerate(plan.regions.sums(leaves)):
        values = np.cumsum(counts, axis=1) if plan.cumulative else counts
        noisy = np.empty_like(values)
        for distribution, sizes in zip(plan.noise(level), plan.bands, strict=True):
            noisy[:, sizes] = add(np.ascontiguousarray(values[:, sizes]), distribution)
        if plan.cumulative and (level == 0 or plan.totals == "region"):
            # A public total, which moves for no member.
            noisy[:, -1] = values[:, -1]
        levels.append(noisy)
    return tuple(levels)
