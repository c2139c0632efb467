"""Random trees with measurements, as Hypothesis draws them."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree, Tree
from starling.privacy.distributions.discrete import DiscreteLaplace

NOISES = tuple(DiscreteLaplace(Fraction(scale)) for scale in (1, 3, 20, 3))


@st.composite
def measured_trees(
    draw: st.DrawFn, most: int = 9, *, fresh_leaves: bool = False, middles: bool = False
) -> tuple[Int64, MeasuredTree]:
    """Exact counts int64 (rows, columns), and measurements without noise of the boxes of a tree over them.

    Args:
        draw: Hypothesis's.
        most: Rows and columns of the grid.
        fresh_leaves: Whether each leaf has a fresh measurement; else the root has one, and any other box may.
        middles: Whether boxes are cut into quarters alone, so that those of one depth are cells of a grid.
    """
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    cells = random.poisson(random.choice([0.2, 5.0]), (rows, columns)).astype(np.int64)
    boxes, parents, at = [(0, rows, 0, columns)], [-1], 0
    while at < len(boxes):
        y0, y1, x0, x1 = boxes[at]
        if at == 0 or random.random() < 0.6:
            down = sorted({y0, y1, *random.integers(y0, y1 + 1, random.integers(0, 4)).tolist()})
            across = sorted({x0, x1, *random.integers(x0, x1 + 1, random.integers(0, 4)).tolist()})
            if middles:
                down, across = sorted({y0, (y0 + y1) // 2, y1}), sorted({x0, (x0 + x1) // 2, x1})
            parts = [(*rows_of, *columns_of) for rows_of in pairwise(down) for columns_of in pairwise(across)]
            if len(parts) > 1:
                boxes.extend(parts)
                parents.extend([at] * len(parts))
        at += 1
    tree = Tree((rows, columns), np.array(boxes, dtype=np.int32), np.array(parents, dtype=np.int64))
    node, noise, steered = [], [], []
    for box, leaf in enumerate(tree.leaves.tolist()):
        sure = leaf if fresh_leaves else box == 0
        for number in range(int(random.integers(0, 3)) + sure):
            node.append(box)
            noise.append(int(random.integers(len(NOISES))))
            steered.append(not (sure and number == 0) and bool(random.random() < 0.5))
    exact = [int(cells[y0:y1, x0:x1].sum()) for y0, y1, x0, x1 in boxes]
    measured = MeasuredTree(
        tree,
        np.array(node, dtype=np.int64),
        np.array(exact, dtype=np.int64)[node],
        np.array(noise, dtype=np.int16),
        NOISES,
        np.array(steered),
    )
    return cells, measured
