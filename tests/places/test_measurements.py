"""Trees of boxes: what is refused."""

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.measurements import Tree

SHAPE = (4, 3)
BOXES = [[0, 4, 0, 3], [0, 2, 0, 3], [2, 4, 0, 3], [2, 4, 0, 1], [2, 4, 1, 3]]
PARENTS = [-1, 0, 0, 2, 2]


def tree(boxes: list[list[int]], parents: list[int]) -> Tree:
    return Tree(SHAPE, np.array(boxes, dtype=np.int32), np.array(parents, dtype=np.int64))


def test_leaves_and_areas() -> None:
    result = tree(BOXES, PARENTS)
    result.check()
    assert result.leaves.tolist() == [False, True, False, True, True]
    assert result.areas.tolist() == [12, 6, 6, 2, 4]


@pytest.mark.parametrize(
    ("boxes", "parents"),
    [
        pytest.param(BOXES[1:3], [-1, 0], id="no root"),
        pytest.param(BOXES, [-1, 0, 0, 4, 2], id="a parent behind its child"),
        pytest.param(BOXES[:4], PARENTS[:4], id="a gap"),
        pytest.param([*BOXES[:4], [2, 4, 0, 2]], PARENTS, id="an overlap beside a gap"),
        pytest.param([*BOXES[:4], [1, 3, 1, 3]], PARENTS, id="outside the parent"),
        pytest.param([*BOXES[:4], [2, 2, 1, 3]], PARENTS, id="an empty box"),
        pytest.param([[0, 4, 0, 3], [0, 4, 0, 2], [0, 2, 1, 3]], [-1, 0, 0], id="children that share cells"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_what_is_no_tree_is_refused(boxes: list[list[int]], parents: list[int]) -> None:
    stated = Tree(SHAPE, np.array(boxes, dtype=np.int32).reshape(-1, 4), np.array(parents, dtype=np.int64))
    with pytest.raises(ParameterError):
        stated.check()


def test_other_types_are_refused() -> None:
    with pytest.raises(ParameterError):
        Tree(SHAPE, np.array(BOXES), np.array(PARENTS)).check()


MANY = [[row, row + 1, column, column + 1] for row in range(4) for column in range(3)]


def test_many_children_that_tile_their_parent_are_taken() -> None:
    tree([BOXES[0], *MANY], [-1] + [0] * 12).check()
    tree([BOXES[0], *BOXES[1:3], *MANY[6:], *MANY[:6]], [-1, 0, 0, *[2] * 6, *[1] * 6]).check()


@pytest.mark.parametrize("at", [0, 5, 11])
def test_many_children_of_which_two_are_one_box_are_refused(at: int) -> None:
    """Their areas add up, and a gap is as large as the overlap."""
    doubled = [*MANY[:at], MANY[(at + 4) % 12], *MANY[at + 1 :]]
    with pytest.raises(ParameterError, match="do not tile"):
        tree([BOXES[0], *doubled], [-1] + [0] * 12).check()
