"""Typical errors: what they are made of, and that they hold most errors of invented releases."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places import typical
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.generate.worlds import gathered, squares
from starling.places.measurements import MeasuredCoefficients, MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.postprocess import estimate
from starling.places.postprocess.least_squares import merged
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.places.plans import plan

GRID = {"grid": {"box": ["0", "0", "64", "64"], "crs": "plain", "crs_name": "cells", "rows": 64, "columns": 64}}
CELLS = gathered((64, 64), 20_000, 5)
ASKED = np.concatenate([squares(CELLS, size, 3)[:200] for size in (5, 25)])


def released(chosen: Plan) -> ReleasedGrid:
    measured = mechanism_of(chosen).method.draw(CELLS)
    return ReleasedGrid(chosen.grid, estimate(chosen.method, measured).grid(), [(measured, 1)])


def ask(grid: ReleasedGrid) -> Answers:
    return grid.count(ASKED)


@pytest.mark.parametrize("method", ["adaptive", "singular"])
def test_most_errors_are_smaller(method: str) -> None:
    chosen = plan(GRID, {"method": {"name": method}})
    grid = released(chosen)
    found = typical.typical_errors(chosen, grid, ask)
    assert found is not None
    true = ask(ReleasedGrid(chosen.grid, CELLS.astype(np.float64), ())).counts
    errors = np.abs(ask(grid).counts - true)
    # About nine of ten are; six of ten would be a defect, and so would errors that are a hundred times too large.
    assert (errors <= found).mean() > 0.6
    assert np.median(found) < 100 * np.median(errors)


def test_it_is_reruns_and_the_noise_of_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = plan(GRID)
    grid = released(chosen)
    monkeypatch.setattr(typical, "TIMES", 0.0)
    found = typical.typical_errors(chosen, grid, ask)
    assert found is not None
    # Every cell was measured once.
    [(measured, _)] = grid.parts
    assert isinstance(measured, MeasuredTree)
    assert found == pytest.approx(np.sqrt(merged(measured).variance[1]))


def test_a_transform_has_no_boxes_and_a_large_grid_no_typical_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = plan(GRID)
    transform = MeasuredCoefficients((64, 64), CELLS, DiscreteLaplace(Fraction(1)))
    grid = ReleasedGrid(chosen.grid, CELLS.astype(np.float64), [(transform, 1)])
    monkeypatch.setattr(typical, "RERUNS", 1)
    found = typical.typical_errors(chosen, grid, ask)
    assert found is not None
    assert (found >= 0).all()
    monkeypatch.setattr(typical, "MOST_CELLS", 100)
    assert typical.typical_errors(chosen, grid, ask) is None
