"""Released points of areas as whole numbers, by the public rule of grids (places/answers/whole_numbers.py).

Areas are taken in such an order that those of each node of each level follow each other. So the number of an area is the released one
rounded up or down, none becomes one, and the sum of any node, as of the whole, is off by less than one.
"""

import numpy as np

from starling.places.answers.whole_numbers import whole_numbers
from starling.places.areas.plan.polygons import Areas
from starling.places.arrays import Float64, Int64


def whole_areas(areas: Areas, points: Float64) -> Int64:
    """int64 (areas,): whole numbers of released points, float64 (areas,)."""
    nodes = [np.arange(len(areas), dtype=np.int64)]
    for parent in areas.parents[::-1]:
        nodes.append(parent[nodes[-1]])
    order = np.lexsort(nodes)
    whole = np.empty(len(areas), dtype=np.int64)
    whole[order] = whole_numbers(points[order])
    return whole
