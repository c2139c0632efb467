"""Water levels and the children above them against plain Python."""

import numpy as np

from starling.groups.optimise import water_kernels as kernels


def test_active_counts_say_whether_anything_changed() -> None:
    cells = np.array([[1, 5], [3, -2], [2, 2]], dtype=np.int32)
    families = kernels.Families(np.array([0, 2, 1]), np.array([0, 2, 3]))
    counts, sums = np.zeros((2, 2), dtype=np.int64), np.zeros((2, 2), dtype=np.int64)
    above = np.array([[1, 1], [0, 0]], dtype=np.int32)
    assert kernels.active(cells, families, above, counts, sums)
    assert counts.tolist() == [[1, 2], [1, 0]]
    assert sums.tolist() == [[2, 7], [3, 0]]
    assert not kernels.active(cells, families, above, counts, sums)
