"""The slow twin: generalised least squares with every measurement and every count in one dense system; and trees to try it on."""

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

Floats = npt.NDArray[np.float64]


def projection(design: Floats, values: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """The best linear unbiased estimate x of values = design x + noise, and its covariance."""
    weighted = design.T / variances
    covariance = np.asarray(np.linalg.inv(weighted @ design), dtype=np.float64)
    return covariance @ (weighted @ values), covariance


@st.composite
def trees(draw: st.DrawFn) -> list[np.ndarray]:
    """Parent of each region of 2 or 3 levels below a top of 1 or 2 regions; every parent has a child."""
    sizes, parents = draw(st.integers(1, 2)), []
    for _ in range(draw(st.integers(1, 3))):
        more = draw(st.lists(st.integers(0, sizes - 1), max_size=4))
        parents.append(np.sort(np.array([*range(sizes), *more])))
        sizes = len(parents[-1])
    return parents


def leaves_of(parents: list[np.ndarray], top: int) -> list[np.ndarray]:
    """For each level, (regions, leaves): which leaves a region is made of."""
    below = np.eye(len(parents[-1]))
    result = [below]
    for index in reversed(range(len(parents))):
        regions = len(parents[index - 1]) if index else top
        up = np.zeros((regions, result[0].shape[1]))
        np.add.at(up, parents[index], result[0])
        result.insert(0, up)
    return result
