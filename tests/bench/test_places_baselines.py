"""Baselines of the study of places: what is public in them, cuts of DPCube, the product of margins."""

from fractions import Fraction

import numpy as np
import pytest

from bench.places_baselines import (
    DpCube,
    ExactAdaptiveGrid,
    ExactUniformGrid,
    HtfOfHeight,
    Margins,
    best_cut,
    partition,
    product,
)
from starling.privacy.neighbours import ADD_REMOVE_POINT

CELLS = np.zeros((32, 32), dtype=np.int64)
CELLS[:16, :8] = 50


def test_grids_follow_from_the_exact_number_of_points() -> None:
    """n epsilon/10 = 640 boxes are 26 along a side, of which AG's coarse grid has a quarter, but 10 at least."""
    assert len(ExactUniformGrid((32, 32), Fraction(1)).draw(CELLS).tree.parents) == 1 + 26 * 26
    measured = ExactAdaptiveGrid((32, 32), Fraction(1)).draw(CELLS)
    assert (measured.tree.parents == 0).sum() == 100


@pytest.mark.parametrize("chosen", [2, 30])
def test_a_chosen_height_is_kept_up_to_that_of_cells(chosen: int) -> None:
    method = HtfOfHeight((32, 32), ADD_REMOVE_POINT, Fraction(1), chosen=chosen)
    assert method.height(10**9) == method.height(-5) == min(chosen, 10)


def test_dpcube_finds_the_box_of_points_and_measures_every_path_with_epsilon() -> None:
    measured = DpCube((32, 32), Fraction(4)).draw(CELLS)
    measured.tree.check()
    top = measured.tree.parents == 0
    assert 2 <= top.sum() < 60
    within = measured.tree.boxes[top] <= [32, 16, 32, 8]
    counts = measured.value[: top.sum()]
    assert counts[within.all(axis=1)].sum() == pytest.approx(6400, rel=0.2)
    scales = np.array([float(noise.scale) for noise in measured.noises])  # type: ignore[union-attr]
    assert (1 / scales).sum() == pytest.approx(4 - 2 / 50)


def test_a_cut_is_where_both_parts_are_even() -> None:
    place, gain = best_cut(np.array([4.0, 4.0, 0.0]), 2)
    assert place == 2
    assert gain == pytest.approx(64 / 4 - 64 / 6)
    assert best_cut(np.array([4.0]), 2) == (0, 0.0)
    assert partition(np.full((5, 7), 3), 0.001).tolist() == [[0] * 7] * 5


def test_margins_say_that_rows_and_columns_are_independent() -> None:
    exact = np.outer([1, 2], [30, 10, 60])
    rows, columns = Margins((2, 3), Fraction(10_000)).draw(exact)
    assert product((rows, columns)) == pytest.approx(exact)
    assert product((np.array([-1, -1]), columns)).tolist() == [[0.0] * 3] * 2
