"""The occupancy model: what its grid keeps on grids of any shape, and that it resolves points that lie in few places."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree, Tree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.boxes import parts
from starling.places.mechanism.singular import of_cells
from starling.places.postprocess.occupancy import levels_of, occupied, scattered
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_POINT


def quadtree(shape: tuple[int, int], seed: int, largest: int, lowest: int) -> MeasuredTree:
    """A quadtree of random shape in which every box but some inner ones is measured once, by values in the given range."""
    random = np.random.default_rng(seed)
    boxes, parents, node = [[0, shape[0], 0, shape[1]]], [-1], 0
    while node < len(boxes):
        if (node == 0 or random.random() < 0.6) and boxes[node] != [0, 1, 0, 1]:
            two = np.full(1, 2)
            created, _ = parts(np.array(boxes[node : node + 1], dtype=np.int32), two, two)
            if len(created) > 1:
                boxes += created.tolist()
                parents += [node] * len(created)
        node += 1
    tree = Tree(shape, np.array(boxes, dtype=np.int32), np.array(parents))
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


@pytest.mark.examples(30)
@given(
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.integers(0, 2**32),
    st.sampled_from([(60, -20), (10**6, 0), (9 * 10**18, -9 * 10**18), (-1, -50)]),
)
def test_points_are_finite_not_negative_add_up_at_leaves_and_come_again(
    shape: tuple[int, int], seed: int, ends: tuple[int, int]
) -> None:
    created = quadtree(shape, seed, *ends)
    result = occupied(created)
    grid = result.grid()
    assert grid.shape == shape
    assert np.isfinite(grid).all()
    assert (grid >= 0).all()
    assert grid.sum() == pytest.approx(result.counts.sum(), rel=1e-9)
    for (south, north, west, east), count in zip(result.leaves, result.counts, strict=True):
        assert grid[south:north, west:east].sum() == pytest.approx(count, rel=1e-9)
    assert grid.tobytes() == occupied(created).grid().tobytes()


@pytest.mark.examples(30)
@given(st.tuples(st.integers(1, 20), st.integers(1, 20)), st.integers(0, 2**32))
def test_every_box_has_one_place_and_boxes_without_cells_have_none(shape: tuple[int, int], seed: int) -> None:
    created = quadtree(shape, seed, 60, 1)
    pyramid = levels_of(created)
    assert sum(np.count_nonzero(each) for each in pyramid.values) == len(created.node)
    for value, high, wide in zip(pyramid.values, pyramid.heights, pyramid.widths, strict=True):
        assert (high.sum(), wide.sum()) == shape
        assert not value[np.outer(high, wide) == 0].any()
    areas = [np.outer(high, wide) for high, wide in zip(pyramid.heights, pyramid.widths, strict=True)]
    result = [areas[depth][row, column] for depth, row, column in pyramid.leaves]
    assert result == created.tree.areas[created.tree.leaves].tolist()


def clusters() -> Int64:
    """20,000 points in 40 of 128 x 128 cells."""
    random = np.random.default_rng(11)
    cells = np.zeros((128, 128), dtype=np.int64)
    places = random.integers(0, 128, (40, 2))
    np.add.at(cells, (places[:, 0], places[:, 1]), 500)
    return cells


def test_points_in_few_cells_are_resolved_better_than_by_even_pieces() -> None:
    exact = clusters()
    method = Adaptive(exact.shape, ADD_REMOVE_POINT, Fraction(1, 10))
    drawn = [method.draw(exact) for _ in range(5)]
    assert all(scattered(each) == 1 for each in drawn)
    model = np.mean([np.abs(occupied(each).grid() - exact).sum() for each in drawn])
    even = np.mean([np.abs(smoothed(piecewise(each)).grid() - exact).sum() for each in drawn])
    assert model < even


def test_the_share_of_negative_counts_says_how_far_points_lie_in_few_places() -> None:
    noise = DiscreteLaplace(Fraction(1))
    values = np.arange(1, 101)
    result = [
        scattered(of_cells((10, 10), np.where(values <= negative, -values, values), noise))
        for negative in (4, 5, 15, 30, 60)
    ]
    assert result == pytest.approx([0, 0, 0.4, 1, 1])
