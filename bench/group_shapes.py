"""Noisy histograms of households over a nation, 52 states or fewer, and counties, invented from a public seed. Uses NumPy alone."""

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]

SHARES = (0.0, 0.267, 0.328, 0.161, 0.134, 0.065, 0.025, 0.021)
"""Households by size from 0 on, in the nation of 2010; the last are spread over all larger sizes."""
STATES = 52


def problem(counties: int, sizes: int, groups: int) -> tuple[list[Int64], list[Int64], int]:
    """Noisy histograms at epsilon 1, a third for each level, the parents of each level, and how many groups there are."""
    numbers = np.random.default_rng(16)
    states = min(STATES, counties)
    shares = np.zeros(max(sizes, len(SHARES)))
    shares[: len(SHARES)] = SHARES
    tail = 0.84 ** np.arange(len(shares) - len(SHARES) + 1)
    shares[len(SHARES) - 1 :] = SHARES[-1] * tail / tail.sum()
    households = numbers.multinomial(groups, numbers.dirichlet(np.full(counties, 0.5)))
    leaves = numbers.multinomial(households, shares[:sizes] / shares[:sizes].sum()).astype(np.int64)
    above = np.concatenate([np.arange(states), numbers.integers(0, states, counties - states)])
    middle = np.zeros((states, sizes), dtype=np.int64)
    np.add.at(middle, above, leaves)
    stop = 1 - np.exp(-1 / 6)
    noisy = [
        counts + numbers.geometric(stop, counts.shape) - numbers.geometric(stop, counts.shape)
        for counts in (middle.sum(axis=0, keepdims=True), middle, leaves)
    ]
    return noisy, [np.zeros(states, dtype=np.int64), above], groups
