"""Methods for points on a grid as studies compare them, by name: what is measured, and the grid that is made of the measurements."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.places.measurements import Measured, MeasuredTree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.htf import Htf
from starling.places.mechanism.method import Method
from starling.places.mechanism.privlet import Privlet
from starling.places.mechanism.privtree import PrivTree
from starling.places.mechanism.singular import Singular
from starling.places.mechanism.table import MECHANISMS
from starling.places.mechanism.uniform import Uniform
from starling.places.mechanism.uniform_grid import UniformGrid
from starling.places.postprocess import estimate
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed
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


def pieces(measured: Measured) -> Float64:
    """Even pieces alone, spread smoothly, as in the spec's steps 4a to 4d."""
    assert isinstance(measured, MeasuredTree)
    return smoothed(piecewise(measured)).grid()


def own_leaves(method: Callable[..., Method], **chosen: object) -> Rival:
    """A method as it was published, or as a control: leaves alone, each spread evenly."""
    return Rival(lambda shape, epsilon: method(shape, ADD_REMOVE_POINT, epsilon, **chosen), leaves)


def released(name: str, **chosen: object) -> Rival:
    """A method as a release publishes it, with the post-processing that belongs to it."""
    return Rival(
        lambda shape, epsilon: MECHANISMS[name](shape, ADD_REMOVE_POINT, epsilon, **chosen),
        lambda measured: estimate(name, measured).grid(),
    )


RIVALS: Final[dict[str, Rival]] = {
    "Uniform": own_leaves(Uniform),
    "Singular": own_leaves(Singular),
    "Privlet": Rival(
        lambda shape, epsilon: Privlet(shape, ADD_REMOVE_POINT, epsilon), lambda each: estimate("privlet", each).grid()
    ),
    "UG": own_leaves(UniformGrid),
    "AG": released("adaptive_grid"),
    "Quad geo, height 7": released("quadtree"),
    "kd geo, height 10": released("kd_tree", height=10),
    "HB": released("hierarchical"),
    "DAWA on the Hilbert order": released("dawa"),
    "HTF 5e-4": own_leaves(Htf),
    "HTF 1e-3": own_leaves(Htf, search=Fraction(1, 1000)),
    "HTF midpoints": own_leaves(Htf, cuts="middle"),
    "HTF random cuts": own_leaves(Htf, cuts="random"),
    "PrivTree": own_leaves(PrivTree),
    "Adaptive, leaves alone": own_leaves(Adaptive),
    "Adaptive as in the spec": Rival(
        lambda shape, epsilon: Adaptive(shape, ADD_REMOVE_POINT, epsilon, many=-(1 << 62)),
        pieces,
    ),
    "Adaptive": released("adaptive"),
}
"""UG and AG pay for the number of points. "Leaves alone" is a control without the post-processing that belongs to the method."""
