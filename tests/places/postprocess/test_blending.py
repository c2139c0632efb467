"""The weighted mean of both models: consistent, and never one model where released counts say the other."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.measurements import MeasuredTree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.postprocess.blending import blended
from starling.places.postprocess.occupancy import occupied, scattered
from starling.privacy.neighbours import ADD_REMOVE_POINT
from tests.places.postprocess.test_occupancy import clusters


def drawn(exact: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> MeasuredTree:
    return Adaptive((exact.shape[0], exact.shape[1]), ADD_REMOVE_POINT, Fraction(1, 10)).draw(exact)


@pytest.mark.parametrize("shape", [(64, 64), (50, 33), (1, 70)])
def test_cells_are_not_negative_and_add_up_at_every_leaf(shape: tuple[int, int]) -> None:
    exact = np.random.default_rng(5).pareto(0.8, shape).clip(0, 500).astype(np.int64)
    measured = drawn(exact)
    made = blended(measured)
    assert made.leaves.tolist() == measured.tree.boxes[measured.tree.leaves].tolist()
    grid = made.grid()
    assert (grid >= 0).all()
    for (south, north, west, east), count in zip(made.leaves, made.counts, strict=True):
        assert grid[south:north, west:east].sum() == pytest.approx(count, rel=1e-9, abs=1e-12)
    assert grid.tobytes() == blended(measured).grid().tobytes()


def test_points_in_few_places_get_the_model_of_occupied_boxes_alone() -> None:
    measured = drawn(clusters())
    assert scattered(measured) == 1
    assert blended(measured).grid().tobytes() == occupied(measured).grid().tobytes()


def test_points_everywhere_are_nearer_to_the_mean_than_to_occupied_boxes() -> None:
    row, column = np.mgrid[0:128, 0:128]
    exact = np.floor(400 * np.exp(-((row - 60) ** 2 + (column - 70) ** 2) / 1800)).astype(np.int64)
    runs = [drawn(exact) for _ in range(5)]
    assert all(scattered(each) < 1 for each in runs)
    both, one = (np.mean([np.abs(model(each).grid() - exact).sum() for each in runs]) for model in (blended, occupied))
    assert both < one
