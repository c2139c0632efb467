"""Methods for points on a grid as studies compare them, by name: what is measured, and the grid that is made of the measurements."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.places.measurements import Measured, MeasuredTree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.method import Method
from starling.places.mechanism.singular import Singular
from starling.places.mechanism.uniform import Uniform
from starling.privacy.neighbours import ADD_REMOVE_POINT

Float64: TypeAlias = npt.NDArray[np.float64]
Shape: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rival:
    """A method with its post-processing.

    Attributes:
        method: The method for a grid of this shape, at this epsilon for one point.
        grid: float64 (rows, columns), made of its measurements.
    """

    method: Callable[[Shape, Fraction], Method]
    grid: Callable[[Measured], Float64]


def leaves(measured: Measured) -> Float64:
    """Each leaf's last measurement, spread evenly over its cells."""
    assert isinstance(measured, MeasuredTree)
    tree = measured.tree
    values = np.zeros(len(tree.parents))
    values[measured.node] = measured.value
    corners = np.zeros((tree.shape[0] + 1, tree.shape[1] + 1))
    south, north, west, east = tree.boxes[tree.leaves].T
    density = (values / tree.areas)[tree.leaves]
    for row, column, sign in ((south, west, 1), (north, east, 1), (south, east, -1), (north, west, -1)):
        np.add.at(corners, (row, column), sign * density)
    return np.asarray(corners.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


RIVALS: Final[dict[str, Rival]] = {
    "Uniform": Rival(lambda shape, epsilon: Uniform(shape, ADD_REMOVE_POINT, epsilon), leaves),
    "Singular": Rival(lambda shape, epsilon: Singular(shape, ADD_REMOVE_POINT, epsilon), leaves),
    "Adaptive, leaves alone": Rival(lambda shape, epsilon: Adaptive(shape, ADD_REMOVE_POINT, epsilon), leaves),
}
"""Leaves alone: each leaf's own last count, without any post-processing."""
