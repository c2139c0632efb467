"""A release as the frame publishes and verifies it: from records to a verified folder, and what does not belong together is found."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import starling
from starling.groups import release
from starling.groups.plan import METHODS, Plan
from starling.release.payment import PaymentOptions
from tests.groups.worlds import write_world
from tests.release.forging import Forged

PAYMENT = PaymentOptions(unvalidated=True)


def published(folder: Path, **changed: object) -> Path:
    records = write_world(folder, **changed)  # type: ignore[arg-type]
    return release(Plan.load(folder / "plan.toml"), records, folder / "out", payment=PAYMENT).folder


@pytest.mark.series(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", ['epsilon = "1"', 'rho = "1/10"'])
def test_a_release_verifies_and_adds_up(method: str, budget: str, tmp_path: Path) -> None:
    out = published(tmp_path, more=f'method = "{method}"', budget=budget)
    result = starling.verify(out)
    assert result.findings == ()
    names = [check.name for check in result.checks]
    assert names == [
        "bundle",
        "key",
        "privacy",
        "measurements",
        "conditions",
        "intervals",
        "tables",
        "forms",
        "pages",
        "charge",
    ]
    table = pq.read_table(out / "data" / "land.parquet")
    if method != "h_relaxed":
        assert sum(table["groups"].to_pylist()) == 9
        assert sum(pq.read_table(out / "data" / "county.parquet")["groups"].to_pylist()) == 9
    assert (out / "data" / "county.csv").read_text().count("\n") == 16
    assert (
        pq.read_table(out / "data" / "regions.parquet")["level"].to_pylist()
        == ["land", "state", "state"] + ["county"] * 3
    )


CHANGES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "privacy": ("plan/plan.json", lambda plan: plan["budget"].update(amounts=[["1/2", "1/4", "1/4"]])),
    "forms": ("plan/plan.json", lambda plan: plan.update(more=1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_plan_is_found(name: str, tmp_path: Path) -> None:
    out = published(tmp_path, more='method = "h"')
    path, change = CHANGES[name]
    forged = Forged(out)
    forged.edit(path, change)
    forged.resign()
    assert name in {check.name for check in starling.verify(out).checks if check.state == "fails"}


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("column", "check"),
    [("groups", "conditions"), ("lower", "intervals"), ("at_least", "conditions"), ("size", "tables")],
)
def test_a_changed_number_breaks_its_check(column: str, check: str, tmp_path: Path) -> None:
    out = published(tmp_path, more='method = "h"')
    path = out / "data" / "county.parquet"
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[3] += 1
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, table.schema.field(column), [values]), path, compression="zstd")
    Forged(out).resign()
    failing = {each.name for each in starling.verify(out).checks if each.state == "fails"}
    assert check in failing
    assert "privacy" not in failing
