"""Group sizes in a session."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from starling import groups
from starling.errors import ParameterError, SourceError
from starling.verification import Outcome
from tests.genome.pictures.studies import lines
from tests.groups.worlds import CELLS, SIZES, write_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("groups")
    write_world(folder, budget='epsilon = "200"')
    return folder


def test_a_plan_is_previewed_validated_and_described(world: Path) -> None:
    plan = groups.Plan.load(world / "plan.toml")
    assert plan.preview().plan is plan
    assert plan.validate(world / "records.csv").read.startswith("9")
    assert "sizes 0 to 4" in repr(plan)


@pytest.mark.parametrize("form", [dict, pa.table, pd.DataFrame, pl.DataFrame])
def test_every_form_of_records_is_validated_and_released(world: Path, form: Callable[[Any], Any]) -> None:
    plan = groups.Plan.load(world / "plan.toml")
    rows = [(region, size) for region, sizes in SIZES.items() for size in sizes]
    data = form({"region": [region for region, _ in rows], "size": [size for _, size in rows]})
    assert plan.validate(data).read == plan.validate(world / "records.csv").read
    release = plan.release(data)
    assert [release.number("e1", size).exact for size in range(5)] == CELLS[0]


@pytest.mark.parametrize("data", [None, {"region": ["e1"]}, {"region": [1.5], "size": [1]}, [("e1", 1)]])
def test_what_is_no_records_is_refused_before_a_charge(world: Path, data: Any) -> None:
    with pytest.raises(SourceError):
        groups.Plan.load(world / "plan.toml").release(data)


def test_a_release_is_opened_verified_and_asked(world: Path) -> None:
    release = groups.Plan.load(world / "plan.toml").release(world / "records.csv")
    assert release.number("e1", 1).exact == 2
    assert release.verify().outcome is Outcome.CONSISTENT


def test_a_short_way_is_the_plan_of_the_file(world: Path) -> None:
    of_file = groups.Plan.load(world / "plan.toml")
    nested = {"land": {"east": ["e1", "e2"], "west": ["w1"]}}
    for regions in (nested, world / "regions.csv"):
        plan = groups.plan(regions, ["land", "state", "county"], largest=4, groups=9, epsilon=200)
        assert plan.digest == of_file.digest
    prices: list[Any] = [{}, {"epsilon": 1, "rho": 1}]
    for price in prices:
        with pytest.raises(ParameterError, match="price"):
            groups.plan(nested, ["land", "state", "county"], largest=4, groups=9, **price)


def test_invented_records_of_a_plan_are_released(world: Path, tmp_path: Path) -> None:
    plan = groups.Plan.load(world / "plan.toml")
    invented = plan.generate(tmp_path / "invented")
    release = plan.release(invented.records)
    assert release.number_of_sizes("land", 0).exact == 9
    groups_of = release.rows("county", region="e1")["groups"].to_pylist()
    heights = [
        abs(bar[0][1] - bar[2][1]) for bar in lines(release.plot("e1").pictures["sizes-1"].pictures[0].draw(), "bars")
    ]
    assert [height * max(groups_of) for height in heights] == pytest.approx(
        [count * max(heights) for count in groups_of[: len(heights)]], abs=0.1
    )
    assert "Sizes in e1" in release.plot("e1").save(tmp_path / "drawn")[0].read_text()
