"""The nearest monotone sequence, by pooling adjacent violators (Hay et al. 2010, Section 3, after Barlow et al. 1972).

Cumulative counts never fall as the size grows; noisy ones do. The nearest sequence that does not fall, in least squares, replaces each
stretch that does by its mean. Bounds on all entries are kept by clipping that sequence: clipping commutes with the projection.

Arithmetic. Additions, multiplications, divisions and comparisons of doubles in a fixed order, so that another machine repeats every bit.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.privacy.compiled import compiled

Float: TypeAlias = npt.NDArray[np.float64]


@compiled
def pool(values: Float, count: int, low: float, high: float, sums: Float, counts: Float, out: Float) -> None:
    """The nearest sequence to the first `count` values that does not fall and lies within [low, high], in `out`; there is room for `count`
    sums of pooled values, and their numbers.
    """
    if count == 0:
        return
    blocks = 0
    block, size = values[0], 1.0
    for index in range(1, count):
        value = values[index]
        # Means are compared without a division: sums of a few thousand doubles and their products lose no more than the means would.
        if value * size > block:
            sums[blocks], counts[blocks] = block, size
            blocks += 1
            block, size = value, 1.0
        else:
            block += value
            size += 1.0
            while blocks > 0 and sums[blocks - 1] * size >= block * counts[blocks - 1]:
                blocks -= 1
                block += sums[blocks]
                size += counts[blocks]
    sums[blocks], counts[blocks] = block, size
    index = 0
    for pooled in range(blocks + 1):
        mean = min(max(sums[pooled] / counts[pooled], low), high)
        for _ in range(int(counts[pooled])):
            out[index] = mean
            index += 1


@compiled
def _pool_rows(values: Float, low: float, high: Float, out: Float) -> None:
    sums, counts = np.empty(values.shape[1]), np.empty(values.shape[1])
    for row in range(values.shape[0]):
        pool(values[row], values.shape[1], low, high[row], sums, counts, out[row])


def isotonic(rows: npt.ArrayLike, low: float = -np.inf, high: float | npt.ArrayLike = np.inf) -> Float:
    """For each row the nearest sequence, in least squares, that does not fall and lies within bounds.

    This is also how an unattributed histogram (sizes of groups in ascending order, noise on each) is made consistent after the noise.

    Args:
        rows: Numbers (rows, entries).
        low: The least value.
        high: The largest value, one for all rows or one for each.

    Returns:
        float64 (rows, entries).

    Raises:
        ParameterError: where `rows` has not two dimensions, a number is not finite, or bounds cross.

    >>> isotonic([[1.0, 4.0, 2.0, 6.0]], high=5).tolist()
    [[1.0, 3.0, 3.0, 5.0]]
    """
    values = np.ascontiguousarray(rows, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ParameterError("rows", "are not finite numbers in rows", "give an array (rows, entries)")
    upper = np.array(np.broadcast_to(np.asarray(high, dtype=np.float64), len(values)))
    if not (upper >= low).all():
        raise ParameterError("high", "is below `low`", "give bounds that hold a number between them")
    out = np.empty_like(values)
    _pool_rows(values, float(low), upper, out)
    return out
