"""InfTDA on histograms of group sizes: its index is size, region, smaller region, so that its levels are those of the tree of regions.

A person more or less moves one group from one size to the next: one tuple is replaced by another, its relation "bounded" with one tuple
a user. The number of groups is public to it, as it is to Starling.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from InfTDA import inf_tda

from bench.peers.answering import answer


def measure(leaves: str, parents: str, out: str, epsilon: float, delta: float) -> float:
    """Seconds of one release; what it released is written to `out` when the clock has stopped.

    Args:
        leaves: A .npy file: int64 (leaves, sizes), the exact histograms.
        parents: A .npy file: int64 (leaves,), each leaf's region on the level between root and leaves.
        out: The .npy file to write: int64 (leaves, sizes).
        epsilon: The budget, with `delta`.
        delta: Of the budget.
    """
    cells, above = np.load(leaves), np.load(parents)
    regions, sizes = cells.shape
    index = pd.MultiIndex.from_arrays(
        [np.repeat(np.arange(sizes), regions), np.tile(above, sizes), np.tile(np.arange(regions), sizes)]
    )
    # OpenDP takes an int of Python for 32 bits, and no wider column.
    data = pd.Series(cells.T.ravel().astype(np.int32), index=index)
    began = perf_counter()
    found = inf_tda(data, (epsilon, delta), contribution=1)
    took = perf_counter() - began
    released = np.zeros_like(cells)
    released[found.index.get_level_values(2), found.index.get_level_values(0)] = found.to_numpy()
    with Path(out).open("wb") as file:
        np.save(file, released)
    return took


if __name__ == "__main__":
    answer(("inf_tda", "opendp", "pandas", "numpy"), measure)
