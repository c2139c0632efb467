"""Group sizes in a session."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from starling import groups
from starling.errors import SourceError
from starling.verification import Outcome
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
    assert "3 of level county" in repr(plan)


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
