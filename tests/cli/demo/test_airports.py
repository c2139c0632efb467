"""The airports of the demo: what is written is what is in the package, and a package that is missing is named."""

from pathlib import Path

import numpy as np
import pytest

from starling.cli.demo import airports
from starling.errors import ParameterError
from starling.places.counts import tally
from starling.places.plan import Plan
from starling.places.source import open_records


def test_the_plan_counts_what_is_written(tmp_path: Path) -> None:
    written = airports.write(tmp_path / "out", airports.data())
    plan = Plan.load(tmp_path / "out" / "plan.toml")
    cells = tally(plan, open_records(tmp_path / "out" / "airports.parquet", plan), b"")
    assert cells.shape == (1, 512, 1024)
    assert cells.sum() == len(written) > 25_000
    # Reykjavik's two airports and more lie in these cells of the box's grid.
    west, south, east, north = airports.RECTANGLES["Iceland"]
    lon, lat = (written[name].to_numpy() for name in ("lon", "lat"))
    inside = int(((lon >= west) & (lon < east) & (lat >= south) & (lat < north)).sum())
    rows = slice(round((south + 90) / 180 * 512), round((north + 90) / 180 * 512))
    columns = slice(round((west + 180) / 360 * 1024), round((east + 180) / 360 * 1024))
    assert abs(int(cells[0, rows, columns].sum()) - inside) < 10
    assert np.all(cells >= 0)


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.cli.demo.chapter.find_spec", lambda _: None)
    with pytest.raises(ParameterError, match="airportsdata"):
        airports.data()
