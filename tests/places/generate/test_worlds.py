"""Invented worlds of points, and the squares that are asked for."""

import numpy as np
import pytest

from starling.places.generate.worlds import OCCUPIED, city, everywhere, gathered, squares, whole


@pytest.mark.parametrize("shape", [(64, 64), (50, 33), (1, 9)])
def test_invented_points_are_as_many_as_asked_for_and_come_again(shape: tuple[int, int]) -> None:
    for world in (gathered, everywhere, city):
        cells = world(shape, 20_000, 7)
        assert cells.shape == shape
        # A Poisson number: ten standard deviations are never seen.
        assert abs(int(cells.sum()) - 20_000) < 10 * 20_000**0.5
        assert cells.tolist() == world(shape, 20_000, 7).tolist()
    empty = [(world((64, 64), 4_000, 7) == 0).mean() for world in (gathered, everywhere)]
    assert empty[0] > empty[1]


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("shape", [(256, 256), (512, 300)])
def test_a_city_occupies_as_many_cells_as_a_city_does(shape: tuple[int, int], seed: int) -> None:
    """End points of taxis in Beijing, 4,268,780: 18.9 % of 256 x 256 cells have some, half of them lie in 1.3 %, nine tenths in 5.4 %."""
    cells = np.sort(city(shape, 4_000_000, seed).reshape(-1))[::-1]
    half, most = (np.searchsorted(cells.cumsum(), share * cells.sum()) / cells.size for share in (0.5, 0.9))
    assert 0.9 * OCCUPIED < (cells > 0).mean() <= OCCUPIED + 0.001
    assert 0.005 < half < 0.02
    assert 0.03 < most < 0.09
    # Of as many invented points that gather, half lie in a few cells, and the others in more.
    other = np.sort(gathered(shape, 4_000_000, seed).reshape(-1))[::-1]
    assert np.searchsorted(other.cumsum(), 0.5 * other.sum()) / other.size < half / 2
    assert (other > 0).mean() > OCCUPIED


def test_squares_have_their_side_lie_around_points_and_are_cut_at_the_grid() -> None:
    cells = np.zeros((40, 20), dtype=np.int64)
    cells[39, 10] = 3
    result = squares(cells, 10, 1)
    assert (result[:, 3] == 40).sum() > 400
    assert np.allclose(result[:, 2] - result[:, 0], 2)
    assert (abs(result[:, 0] + 1 - 10.5) <= 0.5).all()
    assert len(squares(np.zeros((4, 4), dtype=np.int64), 10, 1)) == 1000


def test_whole_points_keep_the_sum_and_are_never_below_nothing() -> None:
    grid = np.full((100, 100), 0.25)
    grid[0] = -3.0
    result = whole(grid, 1)
    assert set(result.ravel().tolist()) == {0, 1}
    assert not result[0].any()
    # 9,900 cells with a chance of a quarter each: 300 is seven standard deviations.
    assert abs(int(result.sum()) - 2475) < 300
