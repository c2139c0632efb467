"""Score vectors of benchmarks of selection, from a public seed. Needs NumPy alone: peers make the same vectors."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

SHAPES: Final = ("all equal", "all distinct", "one far winner", "huge spread", "normal")


def scores(shape: str, candidates: int) -> npt.NDArray[np.int64]:
    """int64 scores of shape (candidates,)."""
    generator = np.random.default_rng(1)
    if shape == "all equal":
        return np.zeros(candidates, dtype=np.int64)
    if shape == "all distinct":
        return generator.permutation(candidates)
    if shape == "one far winner":
        far = np.zeros(candidates, dtype=np.int64)
        far[candidates // 3] = 10**6
        return far
    if shape == "huge spread":
        return generator.integers(-(2**40), 2**40, candidates)
    normal: npt.NDArray[Any] = np.rint(generator.normal(0, 1000, candidates))
    return normal.astype(np.int64)
