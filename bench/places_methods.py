"""Methods for points on a grid as studies compare them, by name: what is measured, and the grid that is made of the measurements."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.places_baselines import DpCube, ExactAdaptiveGrid, ExactUniformGrid, HtfOfHeight, Margins, product
from starling.places.arrays import Int64
from starling.places.measurements import Measured, MeasuredTree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.htf import Htf
from starling.places.mechanism.privtree import PrivTree
from starling.places.mechanism.singular import Singular, Uniform
from starling.places.mechanism.table import MECHANISMS
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.places.mechanism.uniform_grid import UniformGrid
from starling.places.postprocess import estimate
from starling.places.postprocess.leaves import spread
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed
from starling.privacy.neighbours import ADD_REMOVE_POINT

Float64: TypeAlias = npt.NDArray[np.float64]
Shape: TypeAlias = tuple[int, int]

STAR: Final = "*"
"""Ends the name of what is NOT PRIVATE."""


class Draws(Protocol):
    """What measures a grid."""

    def draw(self, exact: Int64, /) -> Any:
        """Measurements, which the rival's grid is made of."""
        ...


@dataclass(frozen=True, slots=True)
class Rival:
    """A method with its post-processing.

    Attributes:
        method: The method for a grid of this shape, at this epsilon for one point.
        grid: float64 (rows, columns), made of its measurements.
        often: Whether it gets many runs of a study, or few.
    """

    method: Callable[[Shape, Fraction], Draws]
    grid: Callable[[Any], Float64]
    often: bool = False


def leaves(measured: Measured) -> Float64:
    """Each leaf's last measurement, spread evenly over its cells."""
    assert isinstance(measured, MeasuredTree)
    tree = measured.tree
    values = np.zeros(len(tree.parents))
    values[measured.node] = measured.value
    return spread(tree.shape, tree.boxes[tree.leaves], values[tree.leaves])


def pieces(measured: Measured) -> Float64:
    """Even pieces alone, spread smoothly, as in the spec's steps 4a to 4d."""
    assert isinstance(measured, MeasuredTree)
    return smoothed(piecewise(measured)).grid()


def own_leaves(method: Callable[..., Draws], *, often: bool = False, **chosen: object) -> Rival:
    """A method as it was published, or as a control: leaves alone, each spread evenly."""
    return Rival(lambda shape, epsilon: method(shape, ADD_REMOVE_POINT, epsilon, **chosen), leaves, often)


def released(name: str, *, often: bool = False, **chosen: object) -> Rival:
    """A method as a release publishes it, with the post-processing that belongs to it."""
    return Rival(
        lambda shape, epsilon: MECHANISMS[name](shape, ADD_REMOVE_POINT, epsilon, **chosen),
        lambda measured: estimate(name, measured).grid(),
        often,
    )


def added_up(measured: Measured) -> Float64:
    """Weighted least squares over the tree, spread evenly."""
    return estimate("quadtree", measured).grid()


QUADTREES: Final = {f"Quad {levels}": levels for levels in ("geometric", "uniform", "steep")}
KD_TREES: Final = {f"kd {levels}": levels for levels in ("geometric", "uniform")}
BEST: Final[dict[str, tuple[str, ...]]] = {
    **{f"{name}, best height{STAR}": tuple(f"{name}, height {h}" for h in (6, 7, 8)) for name in QUADTREES},
    **{f"{name}, best height{STAR}": tuple(f"{name}, height {h}" for h in (8, 10, 13)) for name in KD_TREES},
    f"HTF 5e-4, best height{STAR}": tuple(f"HTF 5e-4, height {h}" for h in (8, 10, 12, 14)),
}
"""Oracles: of each family the height with the least mean error, chosen for each data set, budget and kind of query."""


def family(best: str, name: str) -> Rival:
    """A member of an oracle's family."""
    kind, height = best.split(",", maxsplit=1)[0], int(name.rsplit(maxsplit=1)[-1])
    if kind in QUADTREES:
        return released("quadtree", height=height, levels=QUADTREES[kind])
    if kind in KD_TREES:
        return released("kd_tree", height=height, levels=KD_TREES[kind])
    return own_leaves(HtfOfHeight, chosen=height)


RIVALS: Final[dict[str, Rival]] = {
    "Uniform": own_leaves(Uniform),
    "Singular": own_leaves(Singular),
    "Privlet": released("privlet"),
    "UG": own_leaves(UniformGrid),
    f"UG, n public{STAR}": Rival(ExactUniformGrid, leaves),
    "AG": released("adaptive_grid", often=True),
    f"AG, n public{STAR}": Rival(ExactAdaptiveGrid, added_up),
    **{name: family(best, name) for best, names in BEST.items() for name in names},
    "HB": released("hierarchical"),
    "DAWA on the Hilbert order": released("dawa"),
    "DPCube": Rival(DpCube, added_up),
    "One-way marginals": Rival(Margins, product),
    "HTF 5e-4": own_leaves(Htf, often=True),
    "HTF 1e-3": own_leaves(Htf, often=True, search=Fraction(1, 1000)),
    "HTF midpoints": own_leaves(Htf, often=True, cuts="middle"),
    "HTF random cuts": own_leaves(Htf, often=True, cuts="random"),
    "PrivTree": own_leaves(PrivTree, often=True),
    "PrivTree, smoothed": Rival(
        lambda shape, epsilon: PrivTree(shape, ADD_REMOVE_POINT, epsilon, total=Fraction(3, 100), cuts=Fraction(3, 10)),
        pieces,
        often=True,
    ),
    "Adaptive, leaves alone": own_leaves(Adaptive),
    "Adaptive as in the spec": Rival(
        lambda shape, epsilon: TwoRegimes(shape, ADD_REMOVE_POINT, epsilon, many=-(1 << 62)),
        pieces,
        often=True,
    ),
    "Adaptive": released("adaptive", often=True),
}
"""UG and AG without a star pay for the number of points. "Leaves alone" is a control without the post-processing that belongs to it."""
