"""Invented points: the paper's, the same from the same seed, with a plan that reads them."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import OutputError
from starling.places.counts import tally
from starling.places.generate import gaussian, write
from starling.places.plan import Plan
from starling.places.source import open_records


def test_points_are_those_of_the_paper() -> None:
    x, y = gaussian(20, 1)
    centre = np.random.default_rng(1).uniform(0, 1024, 2)
    assert len(x) == len(y) == 1_000_000
    assert np.abs([x.mean() - centre[0], y.mean() - centre[1]]).max() < 0.2
    assert np.abs([x.std() - 20, y.std() - 20]).max() < 0.1
    assert np.array_equal(gaussian(20, 1)[0], x)


def test_a_plan_reads_them(tmp_path: Path) -> None:
    created = write(tmp_path / "new", sigma=50, seed=2, points=1000)
    assert created.plan is not None
    chosen = Plan.load(created.plan)
    counts = tally(chosen, open_records(created.records, chosen), b"")
    assert (counts.shape, chosen.expected) == ((1, 1024, 1024), 1000)
    assert 0 < counts.sum() <= 1000
    assert "Invented data" in created.note.read_text()
    with pytest.raises(OutputError, match="exists"):
        write(tmp_path / "new", sigma=50, seed=2)
