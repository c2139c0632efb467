"""What a map shows of experience is what the typical errors and the hotspots of the release are."""

import numpy as np
import pytest

from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.generate.worlds import gathered
from starling.places.mechanism.table import mechanism_of
from starling.places.pictures import experience as shown
from starling.places.pictures.experience import experience
from starling.places.plan import Plan
from starling.places.postprocess import estimate
from starling.places.typical import likely_hotspots, typical_errors
from starling.places.typical.errors import TIMES
from tests.places.plans import plan

ROWS, COLUMNS = 96, 160
PLAN = plan(
    {"grid": {"box": ["0", "0", "160", "96"], "crs": "plain", "crs_name": "cells", "rows": ROWS, "columns": COLUMNS}},
    {"method": {"name": "adaptive"}, "privacy": {"epsilon": "0.5"}},
)


def released(chosen: Plan) -> ReleasedGrid:
    measured = mechanism_of(chosen).method.draw(gathered((ROWS, COLUMNS), 20_000, 5))
    return ReleasedGrid(chosen.grid, estimate(chosen.method, measured).grid(), [(measured, 1)])


@pytest.mark.slow
def test_tables_give_typical_errors_and_hotspots_are_those_of_the_release() -> None:
    grid = released(PLAN)
    result = experience(PLAN, grid)
    assert result is not None
    assert (result.fold, result.errors.shape, result.boxes.shape) == (2, (10, 48, 80), (48, 80))
    query = np.array([[0.0, 0, COLUMNS, ROWS], [4, 8, 60, 20]])

    def ask(of: ReleasedGrid) -> Answers:
        return of.count(query)

    typical = typical_errors(PLAN, grid, ask)
    assert typical is not None
    for error, (x0, y0, x1, y1) in zip(typical, (query / 2).astype(int), strict=True):
        off, box = result.errors[:, y0:y1, x0:x1].sum(axis=(1, 2)), result.boxes[y0:y1, x0:x1].mean()
        assert error == pytest.approx(TIMES * np.sqrt((off**2).mean() + box**2))
    assert result.side == 3
    expected = likely_hotspots(PLAN, grid, 10, 3)
    assert result.hotspots.boxes.tolist() == expected.boxes.tolist()
    assert np.array_equal(np.asarray(result.hotspots.chance), np.asarray(expected.chance), equal_nan=True)


def test_a_large_grid_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "MOST_CELLS", 100)
    assert experience(PLAN, released(PLAN)) is None
