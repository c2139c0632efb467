"""How an adaptive quadtree grows where points are few: box by box it is decided what part of the budget the children get.

Privacy. What a path may spend is 48 equal units. The boxes of the first measured depth use five; the units of the children of a box follow
from its noisy count, from the units that its path has left, and from its depth: from released values alone. A leaf is measured afresh
with all units that its path has left. So every path spends 48 units, whatever the shape (growing.py).

Why units. A path may spend any amounts that add up, but each scale of noise needs a table of its own, which takes some milliseconds to make
and is kept for 64 scales; 48 are kept all together.
"""

from fractions import Fraction
from math import floor
from typing import Final

import numpy as np

from starling.places.arrays import Int64
from starling.places.mechanism.growing import GrowingTree

UNITS: Final = 48
FIRST: Final = 3
"""The first depth that is measured; above it every box is cut."""
FIRST_UNITS: Final = 5
"""About a tenth of the units."""
THRESHOLD: Final = Fraction(5, 2)
"""A box is cut if its noisy count is above this many scales of its noise."""
CHILDREN: Final = 24
"""Children are measured with noise of a scale of one 24th of the count of their box, so far as the bounds allow."""


def grow(tree: GrowingTree, levels: int, amount: Fraction) -> None:
    """Cut and measure below a root whose noisy count is known, by units that follow noisy counts; the leaves of all `levels` are cells."""
    unit = amount / UNITS
    first = min(FIRST, levels)
    own = np.full(1, UNITS if first == levels else FIRST_UNITS)
    left = np.full(1, UNITS)
    # Children of a box whose count is at most the j-th of these numbers get j units or more, before bounds.
    most, scales = floor(2 * CHILDREN / unit), floor(THRESHOLD / unit)
    counts = np.array([most // (2 * j - 1) for j in range(UNITS, 0, -1)])
    thresholds = np.array([0] + [scales // units for units in range(1, UNITS + 1)])
    for depth in range(levels + 1):
        cut = (tree.areas > 1) & (depth < levels)
        values = np.zeros(len(cut), dtype=np.int64)
        if depth >= first:
            left = left - own
            cut &= left > 0
            for units in np.unique(own).tolist():
                here = own == units
                values[here] = tree.measure(units * unit, here, steered=cut[here])
            cut &= tree.above(values, thresholds[own])
        for units in np.unique(left[~cut & (left > 0)]).tolist():
            tree.measure(units * unit, ~cut & (left == units), steered=False)
        parents = tree.split(cut)
        if depth >= first:
            own = children_units(values, left, levels - depth, counts)
        own, left = own[parents], left[parents]


def children_units(values: Int64, left: Int64, levels: int, counts: Int64) -> Int64:
    """Units of the children of each box: nearest to 24 scales a count, at least .3 of an even share, at most half of what is left.

    From noisy counts and the units that each path has left, int64 (boxes,), the levels below the boxes, of which the last gets all that is
    left, and the ascending `counts` of `grow`, int64 (48,).
    """
    if levels <= 1:
        return left
    wanted = UNITS - np.searchsorted(counts, np.maximum(values, 1))
    share = (3 * left + 5 * levels) // (10 * levels)
    return np.maximum(np.minimum(np.maximum(wanted, share), left // 2), 1)
