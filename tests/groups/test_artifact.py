"""The public plan and the measurements in a folder: what is read is what was written, and nothing else is read."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import IntegrityError, StarlingError
from starling.groups.artifact import (
    PLAN,
    REGIONS,
    measurements_path,
    read_measurements,
    read_plan,
    write_measurements,
    write_plan,
)
from starling.release.checks import InvalidRelease
from tests.groups.worlds import world

NOISY = tuple(np.arange(5 * regions).reshape(regions, 5) - 7 for regions in (1, 2, 3))


@pytest.mark.parametrize("kind", ["groups", "events"])
def test_a_plan_is_read_as_it_was_written(kind: str, tmp_path: Path) -> None:
    plan = world(tmp_path, kind, groups=9)
    (tmp_path / "out").mkdir()
    write_plan(tmp_path / "out", plan)
    again = read_plan(tmp_path / "out")
    assert (again.digest, again.title, again.regions.ids) == (plan.digest, plan.title, plan.regions.ids)
    assert again.guarantee == plan.guarantee


SHARES = """shares = [{ size = 1, share = "0.7" }, { size = 4, share = "0.3" }]
importance = ["50", "5", "1"]"""


def test_shares_are_kept_and_the_budget_is_derived_again(tmp_path: Path) -> None:
    plan = world(tmp_path, groups=90_000, more=SHARES)
    (tmp_path / "out").mkdir()
    write_plan(tmp_path / "out", plan)
    assert len(plan.budget.bands) > 1
    again = read_plan(tmp_path / "out")
    assert (again.shares, again.budget) == (plan.shares, plan.budget)
    # The bands are a budget by themselves, but not the one that follows from what is stated.
    text = (tmp_path / "out" / PLAN).read_text()
    assert text.count('"50"') == 1
    (tmp_path / "out" / PLAN).write_text(text.replace('"50"', '"500"'))
    with pytest.raises(StarlingError, match="do not give the budget of the plan"):
        read_plan(tmp_path / "out")


def test_public_totals_are_kept(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    plan = world(tmp_path, "events", groups="", public="region") if "c_joint" in _methods() else world(tmp_path)
    write_plan(tmp_path / "out", plan)
    assert read_plan(tmp_path / "out").regions.totals == plan.regions.totals


def _methods() -> tuple[str, ...]:
    from starling.groups.plan import METHODS

    return tuple(METHODS)


@pytest.mark.parametrize(
    "change", [{"region": "e9"}, {"parent": "west"}, {"groups": 3}, {"region": "a\x1b"}, {"parent": None}]
)
def test_regions_that_were_changed_are_refused(change: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_plan(tmp_path / "out", world(tmp_path))
    table = pq.read_table(tmp_path / "out" / REGIONS)
    rows = table.to_pylist()
    rows[3] |= change
    pq.write_table(pa.Table.from_pylist(rows, table.schema), tmp_path / "out" / REGIONS)
    with pytest.raises(IntegrityError):
        read_plan(tmp_path / "out")


def test_a_plan_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_plan(tmp_path / "out", world(tmp_path))
    text = (tmp_path / "out" / PLAN).read_text()
    (tmp_path / "out" / PLAN).write_text(text.replace('"largest": 4', '"largest": 5, "more": 1'))
    with pytest.raises(IntegrityError):
        read_plan(tmp_path / "out")


def written(folder: Path) -> None:
    def create(name: str) -> object:
        (folder / name).parent.mkdir(exist_ok=True)
        return (folder / name).open("wb")

    write_measurements(create, world(folder), NOISY)  # type: ignore[arg-type]


def test_measurements_are_read_as_they_were_written(tmp_path: Path) -> None:
    written(tmp_path)
    assert all(np.array_equal(*pair) for pair in zip(read_measurements(tmp_path, world(tmp_path)), NOISY, strict=True))


@pytest.mark.parametrize("change", ["fewer", "other", "order", "type", "null", "text"])
def test_other_measurements_are_refused(change: str, tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / measurements_path("state")
    table = pq.read_table(path, read_dictionary=["region"])
    rows = table.to_pylist()
    if change == "fewer":
        rows.pop()
    elif change == "other":
        rows[0]["region"] = "north"
    elif change == "order":
        rows[0], rows[1] = rows[1], rows[0]
    elif change == "null":
        rows[0]["noisy"] = None
    kinds = table.schema if change != "type" else table.schema.set(2, pa.field("noisy", pa.float64()))
    pq.write_table(pa.Table.from_pylist(rows, kinds), path)
    if change == "text":
        path.write_text("none")
    with pytest.raises(InvalidRelease):
        read_measurements(tmp_path, world(tmp_path))
