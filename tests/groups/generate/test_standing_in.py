"""Invented records that stand in for those of a plan of group sizes: what a server opens, and nothing of the real ones."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from starling.groups.domain import GROUPS
from starling.groups.generate import standing_in
from starling.groups.plan import Plan
from starling.release.domain import Invented
from tests.groups.test_counts import KINDS
from tests.groups.worlds import write_world

assert GROUPS.delivering is not None
DELIVERING = GROUPS.delivering
SHARES = '[{ size = 1, share = "0.5" }, { size = 3, share = "0.5" }]'


def invented(folder: Path, kind: str, **changed: Any) -> tuple[Plan, Invented]:
    """The plan, and what stands in for records that are not there."""
    write_world(folder, kind, **changed).unlink()
    (folder / "invented").mkdir()
    assert DELIVERING.invent is not None
    result = DELIVERING.invent(str(folder / "plan.toml"), {}, folder / "invented")
    return Plan.load(folder / "plan.toml"), result


@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_as_real_records_and_nothing_is_wrong_with_it(kind: str, tmp_path: Path) -> None:
    plan, result = invented(tmp_path, kind)
    for path in tmp_path.glob("*.*"):
        # Its plan stands for itself: no file of the real one is asked for again.
        path.unlink()
    delivery = DELIVERING.open(result.plan, result.files)
    publication: Any = delivery.publication
    assert publication.title == f"Invented: {plan.title}"
    assert (publication.plan.digest, publication.request) == (plan.digest, publication.request)
    looked = delivery.validate(10)
    assert (looked.problems.total, looked.notes.total) == (0, 0)
    assert {path.parent for path in delivery.source.files()} == {tmp_path / "invented"}


@pytest.mark.parametrize("kind", KINDS)
def test_large_plans_get_no_more_than_so_many_records(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing_in, "MOST", 5)
    plan, result = invented(tmp_path, kind)
    delivery = DELIVERING.open(result.plan, result.files)
    rows = pq.read_metadata(result.files["records"]).num_rows
    assert delivery.validate(10).problems.total == 0
    assert rows <= (plan.cells if kind == "counts" else 3 * 5)


def test_shares_in_a_file_are_taken_along(tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("size,share\n1,0.5\n3,0.5\n")
    plan, result = invented(tmp_path, "groups", more='shares = "theirs.csv"', groups=1000)
    (tmp_path / "theirs.csv").unlink()
    again = Plan.load(result.plan)
    assert (again.shares, again.budget) == (plan.shares, plan.budget)
    assert set(pq.read_table(result.files["records"])["size"].to_pylist()) == {1, 3}


def test_public_totals_of_leaves_are_kept(tmp_path: Path) -> None:
    _, result = invented(tmp_path, "events", public="region", groups="")
    assert DELIVERING.open(result.plan, result.files).validate(10).problems.total == 0
