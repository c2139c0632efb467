"""The folder of a tables release: what is in it, and that it is a function of released values and public choices alone."""

import html
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from starling.privacy.trust import Confidential, Released, publish
from starling.release import contents as release_contents
from starling.tables.artifact.measured import keep_measurements
from starling.tables.measurements import Measured, Measurements
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import tabulate
from starling.tables.publication import TablesPublication
from tests.account import OneCharge
from tests.release.plain import plain
from tests.tables.bundles import Fixed
from tests.tables.small import joined, small_geography, small_plan, whole_levels

FILES = [
    "data/measurements/county-2.parquet",
    "data/measurements/state-2.parquet",
    "data/t1.csv",
    "data/t1.parquet",
    "data/t1.txt",
    "data/t2.csv",
    "data/t2.parquet",
    "data/t2.txt",
    "datapackage.json",
    "plan/plan.json",
    "plan/regions.json",
    "privacy.json",
    "registry.yaml",
    "report.html",
]
REQUEST = "5" * 32


def write(folder: Path, plan: Plan, records: int = 0) -> tuple[Geography, Released[Measurements]]:
    """Write a release of Fixed values; `records` is what the confidential computation gives."""
    geography = small_geography(plan)
    account = OneCharge(plan.cost, REQUEST)
    measurements = publish(Confidential(lambda: records), Fixed(plan), account)
    folder.mkdir()
    remaining = measurements.then(partial(keep_measurements, folder, plain(folder), plan, geography))
    release_contents.write(folder, TablesPublication(plan, geography), remaining)
    return geography, measurements


def contents(folder: Path) -> dict[str, bytes]:
    """Every file by its name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_the_folder_holds_what_is_promised(tmp_path: Path, measure: Any) -> None:
    plan = small_plan(measure)
    write(tmp_path / "out", plan)
    assert sorted(contents(tmp_path / "out")) == FILES
    stated = json.loads((tmp_path / "out" / "privacy.json").read_text())
    assert stated["cost"]["add-remove"][measure] == str(plan.cost.amount)
    assert stated["account"]["request_id"] == REQUEST
    assert stated["mechanism"]["name"] == "SafeTab"
    page = html.unescape((tmp_path / "out" / "report.html").read_text())
    for expected in (plan.title, REQUEST, "Nothing in it limits a second release", "one person"):
        assert expected in page


def test_the_folder_is_a_function_of_released_values_and_the_plan(tmp_path: Path) -> None:
    # So it holds no time, no duration, no host name, no hash or size of the records.
    plan = small_plan()
    for name, records in (("a", 1), ("b", 10**9)):
        write(tmp_path / name, plan, records)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_the_tables_follow_again_from_the_shipped_measurements(tmp_path: Path) -> None:
    plan = small_plan()
    geography, _ = write(tmp_path / "out", plan)
    levels = []
    stated = json.loads((tmp_path / "out" / "privacy.json").read_text())
    for level in stated["mechanism"]["levels"]:
        read = pq.read_table(tmp_path / "out" / level["measurements"]).to_pydict()
        stage1 = np.array([value or 0 for value in read["stage_1"]])
        values = np.concatenate([np.array(each) for each in read["stage_2"]])
        levels.append(Measured(stage1, np.array(read["branch"], dtype=np.int8), values))
    second = joined(tabulate(plan, geography, whole_levels(plan, geography, levels)))
    assert pq.read_table(tmp_path / "out" / "data" / "t1.parquet").equals(second.t1)
    assert pq.read_table(tmp_path / "out" / "data" / "t2.parquet").equals(second.t2)


def test_nothing_but_a_released_value_is_written(tmp_path: Path) -> None:
    plan = small_plan()
    geography = small_geography(plan)
    values = Fixed(plan).draw(0)
    writer: Callable[..., None] = release_contents.write
    with pytest.raises(AttributeError):
        writer(tmp_path, TablesPublication(plan, geography), values)
