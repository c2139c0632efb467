"""Random trees of regions and noisy counts for the tests of the optimisers."""

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

Int64 = npt.NDArray[np.int64]


@st.composite
def parents_of_trees(draw: st.DrawFn, levels: int = 5, children: int = 3) -> list[list[int]]:
    """Parents of a tree of at most `levels` levels in which a region has at most `children` children, its rows in any order."""
    parents: list[list[int]] = []
    above = 1
    for _ in range(draw(st.integers(0, levels - 1))):
        counts = draw(st.lists(st.integers(1, children), min_size=above, max_size=above))
        rows = [row for row, count in enumerate(counts) for _ in range(count)]
        parents.append(draw(st.permutations(rows)))
        above = len(rows)
    return parents


def random_parents(numbers: np.random.Generator, levels: int, children: int = 3) -> list[Int64]:
    """Parents of a tree of `levels` levels in which a region has up to `children` children, its rows in random order."""
    parents: list[Int64] = []
    above = 1
    for _ in range(levels - 1):
        rows = np.repeat(np.arange(above), numbers.integers(1, children + 1, above))
        parents.append(numbers.permutation(rows))
        above = len(rows)
    return parents
