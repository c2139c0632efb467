"""Typical errors: what they are made of, and that they hold most errors of invented releases."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.generate.worlds import gathered, squares
from starling.places.measurements import MeasuredCoefficients, MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.postprocess import estimate
from starling.places.postprocess.least_squares import merged
from starling.places.typical import errors, typical_errors
from starling.places.typical.errors import RERUNS
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


@pytest.mark.parametrize("method", ["adaptive", "singular", "privlet"])
def test_most_errors_are_smaller(method: str) -> None:
    chosen = plan(GRID, {"method": {"name": method}})
    grid = released(chosen)
    result = typical_errors(chosen, grid, ask)
    assert result is not None
    true = ask(ReleasedGrid(chosen.grid, CELLS.astype(np.float64), ())).counts
    off = np.abs(ask(grid).counts - true)
    # About nine of ten are; six of ten would be a defect, and so would errors that are a hundred times too large.
    assert (off <= result).mean() > 0.6
    assert np.median(result) < 100 * np.median(off)


def test_the_same_release_has_the_same_typical_errors_and_another_has_others() -> None:
    chosen = plan(GRID, {"method": {"name": "adaptive"}})
    one, other = released(chosen), released(chosen)
    again = ReleasedGrid(chosen.grid, one.table.grid, one.parts)
    first = typical_errors(chosen, one, ask)
    assert first is not None
    assert first.tolist() == typical_errors(chosen, again, ask).tolist()  # type: ignore[union-attr]
    assert first.tolist() != typical_errors(chosen, other, ask).tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("stays", [True, False])
def test_a_small_grid_is_measured_again_once(monkeypatch: pytest.MonkeyPatch, *, stays: bool) -> None:
    chosen = plan(GRID)
    grid = released(chosen)
    monkeypatch.setattr(errors, "REPEATED_CELLS", 64 * 64 - (not stays))
    with mock.patch.object(errors, "estimate", wraps=estimate) as estimating:
        first, again = (typical_errors(chosen, grid, ask) for _ in range(2))
    assert first.tolist() == again.tolist()  # type: ignore[union-attr]
    assert estimating.call_count == RERUNS * (1 if stays else 2)


def test_it_is_reruns_and_the_noise_of_a_box() -> None:
    chosen = plan(GRID)
    grid = released(chosen)
    # Every cell was measured once.
    [(measured, _)] = grid.parts
    assert isinstance(measured, MeasuredTree)
    box = np.sqrt(merged(measured).variance[1])
    assert errors.deviations(grid, ask) == pytest.approx(box)
    squares = (errors.rerun_errors(chosen, grid, ask) ** 2).mean(axis=0)
    result = typical_errors(chosen, grid, ask)
    assert result == pytest.approx(errors.TIMES * np.sqrt(squares + box**2))


def test_a_transform_has_no_boxes_and_a_large_grid_no_typical_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = plan(GRID)
    transform = MeasuredCoefficients((64, 64), CELLS, DiscreteLaplace(Fraction(1)))
    grid = ReleasedGrid(chosen.grid, CELLS.astype(np.float64), [(transform, 1)])
    assert not errors.deviations(grid, ask).any()
    monkeypatch.setattr(errors, "MOST_CELLS", 100)
    assert typical_errors(chosen, grid, ask) is None
