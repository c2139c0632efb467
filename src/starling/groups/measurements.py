"""What the mechanism hands on: noisy counts of every level, before any post-processing. Public; shipped with a release."""

from typing import TypeAlias

from starling.groups.optimise.tree import Int64

Measured: TypeAlias = tuple[Int64, ...]
"""For each level, root first, int64 (regions, sizes): noisy numbers of groups of each size, or of at most each size."""
