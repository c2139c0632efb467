"""Squares with most points: which they are, and when that is sure."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers import sure
from starling.places.answers.hotspots import as_rectangles, hotspots, tiles
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.sure import LEVEL, Surety
from starling.places.mechanism.singular import Singular, of_cells
from starling.places.mechanism.table import MECHANISMS
from starling.places.postprocess import estimate
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_POINT

CELLS = np.array([[1, 2, 3, 40, 5], [6, 70, 8, 9, 10], [11, 12, 0, 0, 0]], dtype=np.int64)


def test_squares_tile_the_grid() -> None:
    assert tiles((3, 5), 2).tolist() == [
        [0, 2, 0, 2],
        [0, 2, 2, 4],
        [0, 2, 4, 5],
        [2, 3, 0, 2],
        [2, 3, 2, 4],
        [2, 3, 4, 5],
    ]


def test_cells_and_squares_with_most_points() -> None:
    grid = CumulativeGrid(CELLS)
    result = hotspots(grid, 3)
    assert result.boxes.tolist() == [[1, 2, 1, 2], [0, 1, 3, 4], [2, 3, 1, 2]]
    assert result.counts.tolist() == [70, 40, 12]
    assert (result.sure, result.chance) == (None, None)
    wide = hotspots(grid, 2, side=2)
    assert (wide.boxes.tolist(), wide.counts.tolist()) == ([[0, 2, 0, 2], [0, 2, 2, 4]], [79, 60])


def test_of_equal_squares_the_first_comes_first() -> None:
    assert hotspots(CumulativeGrid(np.ones((2, 2))), 2).boxes.tolist() == [[0, 1, 0, 1], [0, 1, 1, 2]]


def test_what_stands_out_of_the_noise_is_sure_and_what_does_not_is_not() -> None:
    noise = DiscreteLaplace(Fraction(1))
    surety = Surety([of_cells((3, 5), CELLS.reshape(-1), noise)])
    # At scale 1 a joint margin of 15 cells is about 6: 70 and 40 stand out, 12 and 11 do not.
    assert hotspots(CumulativeGrid(CELLS), 3, surety=surety).sure is not None
    assert np.asarray(hotspots(CumulativeGrid(CELLS), 3, surety=surety).sure).tolist() == [True, True, False]
    assert np.asarray(hotspots(CumulativeGrid(CELLS), 15, surety=surety).sure).all()
    even = np.ones((3, 5), dtype=np.int64)
    result = hotspots(CumulativeGrid(even), 1, surety=Surety([of_cells((3, 5), even.reshape(-1), noise)]))
    assert not np.asarray(result.sure).any()


@pytest.mark.slow
@pytest.mark.statistical
def test_marks_are_right_together_at_their_level() -> None:
    """At a level of 90 % more than 74 wrong runs of 400 have a chance of less than 10^-7; marks at the level of one square fail 1 of 3."""
    cells = np.full((6, 6), 20, dtype=np.int64)
    cells[0, :4] = 34
    method = Singular((6, 6), ADD_REMOVE_POINT, Fraction(1))
    wrong = marked = 0
    for _ in range(400):
        measured = method.draw(cells)
        result = hotspots(
            CumulativeGrid(measured.value.reshape(6, 6)), 4, surety=Surety([measured]), level=Fraction(9, 10)
        )
        sure = np.asarray(result.sure)
        marked += int(sure.sum())
        wrong += any(row != 0 or column > 3 for row, _, column, _ in result.boxes[sure].tolist())
    assert wrong <= 74
    assert marked > 0


@pytest.mark.parametrize(("k", "side"), [(0, 1), (16, 1), (1, 0)])
def test_what_makes_no_sense_is_refused(k: int, side: int) -> None:
    with pytest.raises(ParameterError):
        hotspots(CumulativeGrid(CELLS), k, side)


@pytest.mark.slow
@pytest.mark.series(1)
@pytest.mark.parametrize("methods", [("adaptive", "quadtree"), ("htf", "adaptive_grid")])
def test_hotspots_are_those_of_a_sort_of_all_squares(methods: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal counts, several parts of rectangles, sides that cut the grid, and any k, on releases by several methods."""
    monkeypatch.setattr(sure, "JOINT", 37)
    random = np.random.default_rng(8)
    marked = 0
    for name in methods:
        cells = random.poisson(random.exponential(9, (24, 20)) ** 1.3).astype(np.int64)
        measured = MECHANISMS[name](cells.shape, ADD_REMOVE_POINT, Fraction(9)).draw(cells)
        grid = CumulativeGrid(np.rint(estimate(name, measured).grid() / 4))
        for side in (1, 3, 7):
            boxes = tiles(cells.shape, side)
            counts = grid.count(as_rectangles(boxes)).counts
            ends = [Surety([measured]).of(each[None], 1 - (1 - LEVEL) / len(boxes)) for each in as_rectangles(boxes)]
            lower, upper = (np.concatenate([getattr(each, end) for each in ends]) for end in ("lower", "upper"))
            for k in {1, 2, len(boxes) // 2, len(boxes) - 1, len(boxes)}:
                result = hotspots(grid, k, side, surety=Surety([measured]))
                order = sorted(range(len(boxes)), key=lambda at: (-counts[at], at))[:k]
                assert result.boxes.tolist() == boxes[order].tolist()
                assert result.counts.tolist() == counts[order].tolist()
                wanted = [bool((upper >= lower[at]).sum() <= k) for at in order]
                assert np.asarray(result.sure).tolist() == wanted
                marked += 0 < sum(wanted) < k
    assert marked
