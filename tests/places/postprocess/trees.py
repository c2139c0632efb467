"""Random trees of boxes with random measurements, for the tests of post-processing."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from starling.places.measurements import ROOT, MeasuredTree, Tree
from starling.places.mechanism.boxes import parts
from starling.privacy.distributions.discrete import DiscreteLaplace

NOISES = tuple(DiscreteLaplace(Fraction(scale)) for scale in (1, 7, 40))
LARGEST = 9 * 10**18


@st.composite
def trees(draw: st.DrawFn, side: int = 6, cells: int = 36) -> Tree:
    """Trees on grids of at most `side` cells a side and `cells` in all, square or not, cut into up to six parts a box."""
    rows = draw(st.integers(1, min(side, cells)))
    shape = (rows, draw(st.integers(1, min(side, cells // rows))))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    boxes, parents, node = [np.array([[0, shape[0], 0, shape[1]]], dtype=np.int32)], [ROOT], 0
    while node < len(parents):
        box = np.concatenate(boxes)[node : node + 1]
        if random.random() < 0.8 or node == 0:
            created, _ = parts(box, random.integers(1, 3, 1), random.integers(1, 4, 1))
            if len(created) > 1:
                boxes.append(created)
                parents += [node] * len(created)
        node += 1
    tree = Tree(shape, np.concatenate(boxes), np.array(parents, dtype=np.int64))
    tree.check()
    return tree


@st.composite
def measured(draw: st.DrawFn, least: int = 0, largest: int = LARGEST, cells: int = 36) -> MeasuredTree:
    """Each box measured up to twice, a leaf at least `least` times; small, huge or negative values up to `largest`."""
    tree = draw(trees(cells=cells))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    times = np.maximum(random.integers(0, 3, len(tree.parents)), np.where(tree.leaves, least, 0))
    node = np.repeat(np.arange(len(tree.parents)), times)
    low, high = draw(st.sampled_from([(-20, 60), (0, 10**6), (-largest, largest), (-50, -1)]))
    low, high = max(low, -largest), min(high, largest)
    return MeasuredTree(
        tree=tree,
        node=node,
        value=random.integers(low, high, len(node), endpoint=True),
        noise=random.integers(0, len(NOISES), len(node)).astype(np.int16),
        noises=NOISES,
        steered=np.zeros(len(node), dtype=np.bool_),
    )
