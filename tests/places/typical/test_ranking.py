"""Hotspots with chances: what they are made of, and that they are near to what happens on invented releases."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.rectangles import Counts, CumulativeGrid
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.arrays import Float64
from starling.places.generate.worlds import gathered
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.postprocess import estimate
from starling.places.typical import errors, likely_hotspots, ranking
from starling.places.typical.errors import RERUNS
from starling.places.typical.ranking import DRAWS, chances
from tests.places.plans import plan

SIDE = 64
CELLS = gathered((SIDE, SIDE), 20_000, 5)
PLAN = plan(
    {"grid": {"box": ["0", "0", "64", "64"], "crs": "plain", "crs_name": "cells", "rows": SIDE, "columns": SIDE}},
    {"method": {"name": "adaptive"}, "privacy": {"epsilon": "0.1"}},
)


def released(chosen: Plan) -> ReleasedGrid:
    measured = mechanism_of(chosen).method.draw(CELLS)
    return ReleasedGrid(chosen.grid, estimate(chosen.method, measured).grid(), [(measured, 1)])


def test_chances_are_those_of_normal_errors() -> None:
    """Two squares of 30 and 20 points, each off by 10: the first has more with a chance of .76; five standard errors of 1,000 draws."""
    likely = chances(np.array([30.0, 20.0, 0.0]), np.array([10.0, 10.0, 0.0]), 1)
    assert likely[0] == pytest.approx(
        0.76, abs=5 * np.sqrt(0.76 * 0.24 / DRAWS) + 0.02
    )  # 0.02: rounding to whole points ties
    assert likely.tolist() == chances(np.array([30.0, 20.0, 0.0]), np.array([10.0, 10.0, 0.0]), 1).tolist()


def test_chances_without_errors_are_certain_and_ties_are_among_them() -> None:
    assert chances(np.array([1.0, 9.0, 5.0]), np.zeros(3), 2).tolist() == [1.0, 1.0]
    # Of four equal squares all have fewer than two others with more points.
    assert chances(np.full(4, 7.0), np.zeros(4), 2).tolist() == [1.0, 1.0]


def test_squares_far_behind_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "RIVALS", 4)
    counts, off = np.array([50.0, 40.0, *np.zeros(98)]), np.full(100, 5.0)
    few = chances(counts, off, 1)
    monkeypatch.setattr(ranking, "RIVALS", 100)
    assert few[0] == pytest.approx(chances(counts, off, 1)[0], abs=0.1)


@pytest.mark.series(1)
@pytest.mark.parametrize(("k", "side"), [(5, 4), (5, 1), (150, 1)])
def test_chances_follow_from_how_far_counts_are_off(k: int, side: int) -> None:
    """Every square is asked here, and rivals alone there."""
    grid = released(PLAN)
    result = likely_hotspots(PLAN, grid, k, side)
    squares = as_rectangles(tiles((SIDE, SIDE), side))

    def ask(of: ReleasedGrid) -> Answers:
        return of.count(squares)

    off = ranking.off_by(errors.rerun_errors(PLAN, grid, ask), errors.deviations(grid, ask))
    likely = chances(grid.count(squares).counts, off, k)
    assert np.array_equal(np.asarray(result.chance), np.where(likely < ranking.LEAST, np.nan, likely), equal_nan=True)
    assert result.boxes.tolist() == grid.hotspots(k, side).boxes.tolist()
    assert np.asarray(result.sure).tolist() == np.asarray(grid.hotspots(k, side).sure).tolist()
    again = likely_hotspots(PLAN, grid, k, side)
    assert np.array_equal(np.asarray(again.chance), np.asarray(result.chance), equal_nan=True)


def test_reruns_are_asked_for_rivals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    grid, query = released(PLAN), []
    count = CumulativeGrid.count

    def counted(table: CumulativeGrid, rectangles: Float64) -> Counts:
        query.append(len(rectangles))
        return count(table, rectangles)

    monkeypatch.setattr(CumulativeGrid, "count", counted)
    likely_hotspots(PLAN, grid, 5)
    # All cells twice, to find the first; then the first 1,000 of the released grid, of the truth, of its reruns and of their noise.
    assert sorted(query) == [ranking.RIVALS] * (RERUNS + 4) + [SIDE * SIDE] * 2


@pytest.mark.slow
@pytest.mark.statistical
def test_squares_of_high_chance_are_mostly_among_the_first_and_those_of_low_chance_less_often() -> None:
    """Of 20 releases. The bounds lie far from what is measured (over .95 and about a half), and a chance that says nothing fails them."""
    squares = as_rectangles(tiles((SIDE, SIDE), 4))
    true = CumulativeGrid(CELLS).count(squares).counts
    enough = np.sort(true)[-20]
    likely, among = [], []
    for _ in range(20):
        result = likely_hotspots(PLAN, released(PLAN), 20, 4)
        likely += np.asarray(result.chance).tolist()
        among += (CumulativeGrid(CELLS).count(as_rectangles(result.boxes)).counts >= enough).tolist()
    high = np.array(likely) >= 0.9
    assert np.array(among)[high].mean() > 0.85
    assert np.array(among)[np.isnan(likely)].mean() < 0.8
    assert 20 < high.sum() < 380


def test_a_large_grid_has_no_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MOST_CELLS", 100)
    result = likely_hotspots(PLAN, released(PLAN), 2, level=Fraction(9, 10))
    assert result.chance is None
    assert result.sure is not None


@pytest.mark.parametrize(("k", "side"), [(0, 1), (1, 0), (257, 4)])
def test_what_makes_no_sense_is_refused_before_anything_is_measured_again(k: int, side: int) -> None:
    grid = ReleasedGrid(PLAN.grid, CELLS.astype(np.float64), ())
    with pytest.raises(ParameterError):
        likely_hotspots(PLAN, grid, k, side)
