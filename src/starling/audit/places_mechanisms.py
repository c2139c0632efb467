"""Methods for points under the falsifier: what they release of the boxes that hold a unit's points, without and with that unit.

The grid is empty without the unit, whose points all lie in its first cell. Noise of scale 1/e, at or below 0, is likelier by e^e without a
point than with one, so of each value only its sign is kept: together the signs lose nothing of what a path gives away.

Mutants are methods that are not as private as they state, kept for the audit alone; no release path reaches them.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Final

import numpy as np

from starling.audit.case import Case, Draws, Int64, one_by_one
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.adaptive import Adaptive, Streets
from starling.places.mechanism.dawa import Dawa
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.htf import Htf
from starling.places.mechanism.privtree import PrivTree
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.places.mechanism.uniform_grid import LOAD, side
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT

EPSILON: Final = Fraction(3)
"""Large, so that few draws see much of it: these are drawn one by one."""
MUTANTS_EPSILON: Final = Fraction(3, 2)
"""Small, so that what mutants cost is seen too."""
BY_DEPTH: Final = -(1 << 62)
"""From this number of points on, amounts go by depth: always."""
VALUES: Final = 6
"""Values of a path that are looked at, and objectives; a path has no more of them on these grids, or the last ones are left out."""


def coded(measured: MeasuredTree) -> list[int]:
    """A release as a few integers, which is post-processing.

    They are the cells of the leaf that holds the first cell, whether the values of its path are above 0, in their order, and whether
    the first objectives of a search are; -1 stands for none.
    """
    boxes = measured.tree.boxes
    holds = (boxes[:, 0] == 0) & (boxes[:, 2] == 0)
    leaf = int(measured.tree.areas[holds].min())
    return [leaf, *signs(measured.value[holds[measured.node]]), *signs(measured.searched)]


def signs(values: Int64) -> list[int]:
    """Whether the first values are above 0; -1 stands for none."""
    above = (values[:VALUES] > 0).astype(np.int64)
    return [*above.tolist(), *[-1] * (VALUES - len(above))]


def released(shape: tuple[int, int], draw: Callable[[Int64], MeasuredTree]) -> Draws:
    """What releases of grids of a shape, drawn one by one, tell of the first cell: int64 (draws, values); `draw` takes exact counts."""
    return one_by_one(lambda exact, _: coded(draw(exact.reshape(shape))))


def of_a_unit(shape: tuple[int, int], points: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Cells without and with a unit of so many points."""
    rest = (0,) * (shape[0] * shape[1] - 1)
    return (0, *rest), (points, *rest)


def _case(name: str, method: Adaptive | TwoRegimes | Dawa | Htf | PrivTree) -> Case:
    without, with_it = of_a_unit(method.shape, method.points)
    return Case(name, "", None, released(method.shape, method.draw), without, with_it, 800, claim=method.guarantee.cost)


_LINE: Final = (1, 16)

DECLARED: Final[tuple[Case, ...]] = (
    _case("adaptive, for all sizes, two points a person", Adaptive(_LINE, ADD_REMOVE_PERSON, EPSILON, 2)),
    _case("adaptive, for streets, two points a person", Streets(_LINE, ADD_REMOVE_PERSON, EPSILON, 2)),
    _case(
        "adaptive before 0.3, by depth, two points a person", TwoRegimes(_LINE, ADD_REMOVE_PERSON, EPSILON, 2, BY_DEPTH)
    ),
    _case("adaptive before 0.3, by counts, two points a person", TwoRegimes(_LINE, ADD_REMOVE_PERSON, EPSILON, 2)),
    _case(
        "htf",
        Htf((1, 8), ADD_REMOVE_POINT, EPSILON, search=Fraction(1, 4), rounds=1, least_points=0, least_cells=2),
    ),
    _case("privtree", PrivTree(_LINE, ADD_REMOVE_POINT, EPSILON)),
    _case("dawa", Dawa((2, 4), ADD_REMOVE_POINT, EPSILON)),
)
"""Methods that go on by what they measured, depth by depth or interval by interval, with what they declare to cost."""


def with_exact_number(exact: Int64) -> MeasuredTree:
    """A coarse grid as it was published: as many boxes as fit the exact number of points, which it takes as public (UG)."""
    tree = GrowingTree(exact)
    boxes = side(exact.sum() * MUTANTS_EPSILON / LOAD)
    tree.split(tree.every, boxes, boxes)
    tree.measure(MUTANTS_EPSILON, steered=False)
    return tree.measured()


def where_points_lie(exact: Int64) -> MeasuredTree:
    """A quadtree whose leaves alone have noise: a box is cut while there are points in it."""
    tree = GrowingTree(exact)
    while len(tree.boxes):
        cut = (tree.areas > 1) & (tree.exact() > 0)
        tree.measure(MUTANTS_EPSILON, ~cut, steered=False)
        tree.split(cut)
    return tree.measured()


FEW: Final = 6
"""The most points for which the coarse grid is one box."""

_CLAIM: Final = Epsilon(MUTANTS_EPSILON)

MUTANTS: Final[tuple[Case, ...]] = (
    Case(
        "coarse grid, exact number of points",
        "its boxes tell the number of points",
        inf,
        released((2, 2), with_exact_number),
        (FEW, 0, 0, 0),
        (FEW + 1, 0, 0, 0),
        300,
        _CLAIM,
    ),
    Case(
        "quadtree, leaves with noise alone",
        "boxes are cut where points lie",
        inf,
        released((2, 2), where_points_lie),
        *of_a_unit((2, 2), 1),
        300,
        _CLAIM,
    ),
    Case(
        "adaptive, noise for one point",
        "a person has two points",
        2 * float(MUTANTS_EPSILON),
        released((1, 4), Adaptive((1, 4), ADD_REMOVE_POINT, MUTANTS_EPSILON).draw),
        *of_a_unit((1, 4), 2),
        1_000,
        _CLAIM,
    ),
)
"""Methods that cost more than they declare."""
