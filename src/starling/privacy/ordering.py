"""A stable order of few numbers within kernels: NumPy's own sort takes Numba long to compile, again in each kernel that calls it."""

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled


@compiled
def stable_order(keys: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64 (keys,): the places of finite numbers in ascending order, equal ones in theirs: runs are merged, from one number on.

    >>> stable_order(np.array([2.0, 1.0, 2.0, 0.0])).tolist()
    [3, 1, 0, 2]
    """
    order, merged = np.arange(keys.size), np.empty(keys.size, dtype=np.int64)
    run = 1
    while run < keys.size:
        for start in range(0, keys.size, 2 * run):
            one, two = start, min(start + run, keys.size)
            middle, end = two, min(start + 2 * run, keys.size)
            for place in range(start, end):
                if two >= end or (one < middle and keys[order[one]] <= keys[order[two]]):
                    merged[place] = order[one]
                    one += 1
                else:
                    merged[place] = order[two]
                    two += 1
        order, merged = merged, order
        run *= 2
    return order
