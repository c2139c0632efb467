"""Two passes over a tree are the least-squares projection; rounding keeps sums."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.hierarchy.trees import Estimated, least_squares
from starling.tables.inference.trees import most_moved, rounded_below, rounded_evenly, whole
from tests.tables.inference.dense import leaves_of, trees


@given(trees(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_rounding_keeps_sums_and_moves_by_less_than_one(parents: list[np.ndarray], columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    leaves = random.normal(0, 5, (len(parents[-1]), columns))
    output = [each @ leaves for each in leaves_of(parents, int(parents[0].max()) + 1)]
    rounded = whole(output[0])
    for exact, parent in zip(output[1:], parents, strict=True):
        below = rounded_below(exact, rounded, parent)
        sums = np.zeros_like(rounded)
        np.add.at(sums, parent, below)
        assert np.array_equal(sums, rounded)
        assert (np.abs(below - exact) < 1 + 1e-9).all()
        rounded = below


@pytest.mark.examples(20)
@given(trees(), st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 3, 7]))
def test_rounding_evenly_moves_every_run_by_less_than_one(
    parents: list[np.ndarray], columns: int, seed: int, parts: int
) -> None:
    random = np.random.default_rng(seed)
    leaves = random.normal(0, 5, (len(parents[-1]), columns))
    leaves = np.round(leaves * parts) / parts if parts else leaves
    exact = [each @ leaves for each in leaves_of(parents, int(parents[0].max()) + 1)]
    rounded = rounded_evenly(exact, parents)
    for index, parent in enumerate(parents):
        sums = np.zeros_like(rounded[index])
        np.add.at(sums, parent, rounded[index + 1])
        assert np.array_equal(sums, rounded[index])
    for whole_level, level in zip(rounded, exact, strict=True):
        moved = np.cumsum(np.vstack((np.zeros((1, columns)), whole_level - level)), axis=0)
        assert (np.ptp(moved, axis=0) < 1).all(), "that is the furthest that any run is moved"
        assert (np.abs(moved[-1]) <= 0.5 + 1e-9).all()
    for column in range(columns):
        weights = random.integers(-2, 3, len(leaves)).astype(float)
        moved_sum = weights @ (rounded[-1] - exact[-1])[:, column]
        assert abs(moved_sum) <= most_moved(weights) + 1e-9


def test_largest_remainders_move_a_run_by_a_quarter_of_its_neighbours() -> None:
    """The rule of older plans, as a mutant: the test above would reject it."""
    halves = np.full((400, 1), 0.5)
    parent = np.zeros(400, dtype=np.int64)
    older, evenly = (
        rounded_below(halves, np.array([[200]]), parent),
        rounded_evenly([halves[:1] * 400, halves], [parent]),
    )
    assert older[:200].sum() - 100 == 100
    assert evenly[1][:200].sum() == 100
    assert most_moved(np.repeat([1.0, 0.0], 200)) == 1


def test_ties_go_to_the_first_in_plan_order() -> None:
    halves = np.full((4, 1), Fraction(1, 2), dtype=np.float64)
    assert rounded_below(halves, np.array([[2]]), np.zeros(4, dtype=np.int64))[:, 0].tolist() == [1, 1, 0, 0]
    # A parent that lies further off than its children's roundings could reach.
    assert rounded_below(halves, np.array([[7]]), np.zeros(4, dtype=np.int64))[:, 0].tolist() == [2, 2, 2, 1]


@pytest.mark.parametrize("shift", [0, 7])
def test_unbiased_whatever_the_weights(shift: int) -> None:
    """The map is linear: noise-free measurements come back as they are."""
    parents = [np.array([0, 0, 1]), np.array([0, 1, 1, 2])]
    truth = [each @ (np.arange(4.0) + shift)[:, np.newaxis] for each in leaves_of(parents, 2)]
    random = np.random.default_rng(1)
    levels = [Estimated(each, random.uniform(1, 9, each.shape)) for each in truth]
    for level, each in zip(least_squares(levels, parents), truth, strict=True):
        np.testing.assert_allclose(level.count, each, atol=1e-12)
