"""How far numbers of groups by size are from others."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int64: TypeAlias = npt.NDArray[np.int64]


def earth_movers_distance(apart: Int64) -> int:
    """By how many sizes groups must be moved in all, each one size at a time, until both are the same.

    It is the sum, over regions and sizes, of how far the numbers of groups of at most a size are apart. Where a region has more groups in
    one than in the other, those count as moved beyond the largest size.

    Args:
        apart: int64 (regions, sizes): the numbers of groups less the others.

    >>> earth_movers_distance(np.array([[1, 0, -1], [0, -2, 2]]))
    4
    """
    return int(np.abs(np.cumsum(apart, axis=1)).sum())
