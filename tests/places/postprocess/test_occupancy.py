"""The occupancy model: what its grid keeps, when it is taken, and that it resolves points that lie in few places."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.measurements import Int64, MeasuredTree, Tree
from starling.places.mechanism.dynamic import Dynamic
from starling.places.mechanism.singular import of_cells
from starling.places.postprocess.occupancy import fits, gathered, of_gathered
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_POINT


def quadtree(height: int, seed: int, largest: int, lowest: int) -> MeasuredTree:
    """A quadtree of random shape in which every box but some inner ones is measured once, by values in the given range."""
    random = np.random.default_rng(seed)
    boxes, parents, node = [[0, 1 << height, 0, 1 << height]], [-1], 0
    while node < len(boxes):
        south, north, west, east = boxes[node]
        if north - south > 1 and (node == 0 or random.random() < 0.6):
            row, column = (south + north) // 2, (west + east) // 2
            boxes += [[south, row, west, column], [south, row, column, east], [row, north, west, column]]
            boxes += [[row, north, column, east]]
            parents += [node] * 4
        node += 1
    tree = Tree((1 << height, 1 << height), np.array(boxes, dtype=np.int32), np.array(parents))
    tree.check()
    nodes = np.flatnonzero(tree.leaves | (random.random(len(boxes)) < 0.7))
    noises = (DiscreteLaplace(Fraction(3)), DiscreteLaplace(Fraction(20)))
    return MeasuredTree(
        tree,
        nodes,
        random.integers(lowest, largest, len(nodes), endpoint=True),
        random.integers(0, 2, len(nodes)).astype(np.int16),
        noises,
        np.zeros(len(nodes), dtype=np.bool_),
    )


@given(
    st.integers(0, 4),
    st.integers(0, 2**32),
    st.sampled_from([(60, -20), (10**6, 0), (9 * 10**18, -9 * 10**18), (-1, -50)]),
)
def test_points_are_finite_not_negative_add_up_at_leaves_and_come_again(
    height: int, seed: int, ends: tuple[int, int]
) -> None:
    made = quadtree(height, seed, *ends)
    found = of_gathered(made)
    grid = found.grid()
    assert np.isfinite(grid).all()
    assert (grid >= 0).all()
    assert grid.sum() == pytest.approx(found.counts.sum(), rel=1e-9)
    for (south, north, west, east), count in zip(found.leaves, found.counts, strict=True):
        assert grid[south:north, west:east].sum() == pytest.approx(count, rel=1e-9)
    assert grid.tobytes() == of_gathered(made).grid().tobytes()


def clusters() -> Int64:
    """20,000 points in 40 of 128 x 128 cells."""
    random = np.random.default_rng(11)
    cells = np.zeros((128, 128), dtype=np.int64)
    places = random.integers(0, 128, (40, 2))
    np.add.at(cells, (places[:, 0], places[:, 1]), 500)
    return cells


def test_points_in_few_cells_are_resolved_better_than_by_even_pieces() -> None:
    exact = clusters()
    method = Dynamic(exact.shape, ADD_REMOVE_POINT, Fraction(1, 10))
    drawn = [method.draw(exact) for _ in range(5)]
    assert all(gathered(each) for each in drawn)
    model = np.mean([np.abs(of_gathered(each).grid() - exact).sum() for each in drawn])
    even = np.mean([np.abs(smoothed(piecewise(each)).grid() - exact).sum() for each in drawn])
    assert model < even


@pytest.mark.parametrize(("shape", "expected"), [((4, 4), True), ((1, 1), True), ((4, 8), False), ((6, 6), False)])
def test_only_squares_of_a_power_of_two_are_quartered_to_squares(shape: tuple[int, int], expected: bool) -> None:
    made = of_cells(shape, np.zeros(shape[0] * shape[1], dtype=np.int64), DiscreteLaplace(Fraction(1)))
    assert fits(made) is expected


def test_negative_counts_of_a_seventh_of_the_leaves_say_that_points_lie_in_few_places() -> None:
    noise = DiscreteLaplace(Fraction(1))
    values = np.arange(1, 101)
    assert not gathered(of_cells((10, 10), np.where(values <= 13, -values, values), noise))
    assert gathered(of_cells((10, 10), np.where(values <= 14, -values, values), noise))
