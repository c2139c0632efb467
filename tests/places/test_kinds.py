"""Plans and releases of places are told apart by their public files."""

from pathlib import Path

import pandas as pd

from starling import open_release, places
from starling.places.analysis import PlacesRelease
from starling.places.areas.analysis import AreasRelease
from starling.places.areas.plan.model import AreasPlan
from starling.places.kinds import load, reopened
from starling.places.plan import Plan
from starling.planfile.values import toml_of
from tests.places.areas.worlds import plan, values
from tests.places.plans import write_world


def test_each_kind_is_loaded_and_opened_as_itself(tmp_path: Path) -> None:
    for name in ("grid", "areas"):
        (tmp_path / name).mkdir()
    write_world(tmp_path / "grid")
    plan(tmp_path / "areas")
    (tmp_path / "areas" / "plan.toml").write_text(toml_of(values()))
    assert isinstance(load(tmp_path / "areas" / "plan.toml")[1], AreasPlan)
    assert isinstance(load(tmp_path / "grid" / "plan.toml")[1], Plan)
    places.AreasPlan.load(tmp_path / "areas" / "plan.toml").release(
        pd.DataFrame({"x": [0.5], "y": [0.5]}), tmp_path / "a"
    )
    places.Plan.load(tmp_path / "grid" / "plan.toml").release(tmp_path / "grid" / "records.csv", tmp_path / "g")
    assert isinstance(open_release(tmp_path / "a"), AreasRelease)
    assert isinstance(open_release(tmp_path / "g"), PlacesRelease)
    assert "by area" in reopened(tmp_path / "a").request
    assert "by area" not in reopened(tmp_path / "g").request
