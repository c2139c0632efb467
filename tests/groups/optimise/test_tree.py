"""Trees of regions: what is accepted, and the children of each region."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.groups.optimise import tree as trees
from starling.groups.optimise.tree import Tree, squares
from tests.groups.optimise.random_trees import parents_of_trees


@settings(max_examples=50, deadline=None)
@given(parents=parents_of_trees())
def test_children_are_those_who_name_the_region_as_parent(parents: list[list[int]]) -> None:
    tree = Tree.of(parents)
    assert tree.levels == len(parents) + 1
    assert tree.regions == (1, *map(len, parents))
    for level in range(tree.levels):
        for row, region in enumerate(range(tree.starts[level], tree.starts[level + 1])):
            result = tree.children[tree.offsets[region] : tree.offsets[region + 1]].tolist()
            below = parents[level] if level < len(parents) else []
            assert result == [
                int(tree.starts[level + 1]) + child for child, parent in enumerate(below) if parent == row
            ]


def test_a_root_alone_is_a_tree() -> None:
    tree = Tree.of([])
    assert (tree.levels, tree.regions, tree.children.size, tree.rows(0)) == (1, (1,), 0, slice(0, 1))


@pytest.mark.parametrize(
    ("parents", "field"),
    [
        ([[0, 1]], "parents[0]"),
        ([[0, -1]], "parents[0]"),
        ([[]], "parents[0]"),
        ([[0, 0], [0]], "parents[1]"),
        ([[0, 0], [[0, 1]]], "parents[1]"),
        ([[0, 0.5]], "parents[0]"),
        ([0], "parents[0]"),
    ],
)
def test_what_is_no_tree_is_refused(parents: list[list[int]], field: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Tree.of(parents)
    assert refused.value.problems[0].field == field


def test_arrays_of_a_tree_are_read_only_and_its_own() -> None:
    given_rows = np.array([0, 0])
    tree = Tree.of([given_rows])
    given_rows[0] = 7
    assert tree.parents[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        tree.offsets[0] = 1


def test_cells_keep_what_fits() -> None:
    tree = Tree.of([[0, 0]])
    root, leaves = np.arange(3, dtype=np.int64).reshape(1, 3), np.arange(6, dtype=np.int32).reshape(2, 3)
    result = tree.cells([root, leaves])
    assert result[0] is root
    assert result[1].dtype == np.int64
    assert result[1].tolist() == leaves.tolist()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ([[[1, 2]]], "noisy"),
        ([[[1, 2]], [[1, 2]]], "noisy[1]"),
        ([[[1, 2]], [[1], [2]]], "noisy[1]"),
        ([[1, 2], [[1, 2], [3, 4]]], "noisy[0]"),
        ([[[]], [[], []]], "noisy[0]"),
        ([[[1.0]], [[1.0], [2.0]]], "noisy[0]"),
        ([3, [[1], [2]]], "noisy[0]"),
        ([np.array([[1]], dtype=np.uint64), [[1], [2]]], "noisy[0]"),
    ],
)
def test_cells_that_do_not_fit_are_refused(values: list[list[list[int]]], field: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Tree.of([[0, 0]]).cells(values)
    assert refused.value.problems[0].field == field


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_rows_of_a_level_follow_those_of_the_level_above(data: st.DataObject) -> None:
    tree = Tree.of(data.draw(parents_of_trees()))
    assert [tree.rows(level).stop - tree.rows(level).start for level in range(tree.levels)] == list(tree.regions)


@pytest.mark.parametrize("block", [4, 1 << 20])
@pytest.mark.parametrize("most", [9, 1 << 31, 1 << 40, 1 << 62])
@pytest.mark.parametrize("shape", [(3, 4), (0, 4), (3, 0), (40, 7)])
def test_squares_are_exact_whatever_their_magnitude(
    shape: tuple[int, int], most: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "_BLOCK", block)
    numbers = np.random.default_rng(most % 97)
    counts, noisy = numbers.integers(-most, most, (2, *shape))
    columns = zip(counts.T.tolist(), noisy.T.tolist(), strict=True)
    assert squares(counts, noisy) == [sum((a - b) ** 2 for a, b in zip(*each, strict=True)) for each in columns]


def test_squares_of_numbers_at_the_ends_of_64_bits_are_exact() -> None:
    counts = np.full((2, 1), -(1 << 63))
    assert squares(counts, -(counts + 1)) == [2 * ((1 << 64) - 1) ** 2]
