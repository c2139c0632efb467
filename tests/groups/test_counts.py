"""Exact counts of every kind of records, by both engines; and counts that have the public totals, whatever the records say."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine import duck
from starling.engine.spark import Spark, check_seen
from starling.errors import SourceError
from starling.groups import counts
from starling.groups.counts import apportioned, fitted, public_tables, tally
from starling.groups.plan import Plan
from starling.groups.source import open_records
from tests.groups.worlds import CELLS, GROUPS, world

KINDS = ("groups", "counts", "persons", "events")
ODD = {
    "groups": "region,size\ne1,3\ne1,-2\nx,1\ne2\ne2,99\nw1,2.9\n",
    "counts": "region,size,groups\ne1,3,2\ne1,3,1\nx,1,5\ne2,99,-4\nw1,2.9,3.5\n",
    "persons": "person,group\na,e1-0\na,e1-0\nb,e2-1\nb,e1-0\n,e1-0\nc,e9-9\nd,w1-0\n",
    "events": "group\ne1-0\ne1-0\ne2-1\ne9-9\n\nw1-2\n",
}
"""Records of each kind that break the rules in every way."""


def counted(plan: Plan, folder: Path) -> list[list[int]]:
    result: list[list[int]] = tally(plan, open_records(folder / "records.csv", plan), public_tables(plan))[0].tolist()
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_records_counts_the_same_world(kind: str, tmp_path: Path) -> None:
    assert counted(world(tmp_path, kind, groups=GROUPS), tmp_path) == CELLS


def test_a_person_counts_once_in_the_first_of_its_groups(tmp_path: Path) -> None:
    plan = world(tmp_path, "persons", groups="")
    (tmp_path / "records.csv").write_text(ODD["persons"])
    # a and b are in e1-0, d in w1-0.
    assert counted(plan, tmp_path) == [[3, 0, 1, 0, 0], [2, 0, 0, 0, 0], [2, 1, 0, 0, 0]]


def test_what_a_person_brings_is_added_up_and_held_at_q(tmp_path: Path) -> None:
    plan = world(tmp_path, "persons", groups="", quantity=3)
    (tmp_path / "records.csv").write_text("person,group,quantity\na,e1-0,1\na,e1-0,1\nb,e1-1,2\nb,e1-1,2\nc,e1-1,99\n")
    assert counted(plan, tmp_path)[0] == [2, 0, 1, 0, 1]


def test_a_register_that_changed_is_refused(tmp_path: Path) -> None:
    plan = world(tmp_path, "events", groups="")
    with (tmp_path / "register.csv").open("a") as file:
        file.write("e1-9,e1\n")
    with pytest.raises(SourceError, match="is no longer what the plan was made with"):
        counted(plan, tmp_path)


LARGE = pa.record_batch({"leaf": [0, 0, 0, 1], "size": [1, 1, 2, 3], "groups": [2**62, 2**62, 2**62, 5]})
"""More groups than 64 bits hold."""


def test_no_number_of_groups_can_leave_64_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell is cut at G; the number of groups of a leaf is cut where sizes play no part, so that no member moves it."""
    plan = world(tmp_path, "counts", groups=1 << 40)
    monkeypatch.setattr(counts, "counted", lambda *_: iter([LARGE]))
    cells, totals = tally(plan, open_records(tmp_path / "records.csv", plan), public_tables(plan))
    assert (cells.tolist(), totals.tolist()) == (
        [[0, 2**40, 2**40, 0, 0], [0, 0, 0, 5, 0], [0, 0, 0, 0, 0]],
        [2**62, 5, 0],
    )
    created = fitted(plan, cells, totals)
    assert (int(created.sum()), int(created.min())) == (1 << 40, 0)


def fits(plan: Plan, cells: list[list[int]]) -> list[list[int]]:
    result: list[list[int]] = fitted(plan, np.array(cells), np.array(cells).sum(axis=1)).tolist()
    return result


def test_too_few_groups_are_filled_up_and_too_many_are_cut(tmp_path: Path) -> None:
    plan = world(tmp_path, groups=6)
    assert fits(plan, CELLS) == [[0, 2, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 2, 0, 0]]
    assert fits(plan, [[0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]]) == [
        [1, 1, 0, 0, 0],
        [1, 0, 0, 0, 1],
        [1, 0, 0, 0, 1],
    ]
    assert fits(plan, [[0] * 5] * 3) == [[2, 0, 0, 0, 0]] * 3


MATRIX = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=2)


@pytest.mark.slow
@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(0, 100))
def test_shares_of_a_total_add_up(found: list[int], total: int) -> None:
    created = apportioned(np.array(found), total)
    assert created.sum() == total
    assert (created >= 0).all()


@given(MATRIX, st.integers(0, 12), st.integers(0, 1), st.integers(0, 1))
def test_fitting_moves_a_member_by_no_more_than_before(
    cells: list[list[int]], total: int, leaf: int, size: int
) -> None:
    """A group moves from a size to the next: after the fit to any public total at most one cumulative count differs, by 1."""
    moved = [list(row) for row in cells]
    if not moved[leaf][size]:
        return
    moved[leaf][size] -= 1
    moved[leaf][size + 1] += 1
    wanted = apportioned(np.array(cells).sum(axis=1), total)
    assert np.array_equal(wanted, apportioned(np.array(moved).sum(axis=1), total))
    both = [np.minimum(np.cumsum(each, axis=1), wanted[:, None]) for each in (cells, moved)]
    assert np.abs(both[0] - both[1]).sum() <= 1


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: tmp_path_factory.mktemp(kind) for kind in KINDS}


@pytest.mark.slow
def test_spark_counts_what_duckdb_counts(spark: Spark, worlds: dict[str, Path]) -> None:
    for kind, folder in worlds.items():
        plan = world(folder, kind, groups=GROUPS)
        header, odd = ODD[kind].split("\n", 1)
        records = (folder / "records.csv").read_text()
        assert records.startswith(f"{header}\n")
        (folder / "records.csv").write_text(records + odd)
        opened, public = open_records(folder / "records.csv", plan), public_tables(plan)
        if kind == KINDS[0]:
            check_seen(spark, opened.files, opened.sizes)
        for there, here in zip(tally(plan, opened, public, spark), tally(plan, opened, public), strict=True):
            assert np.array_equal(there, here)
    bounds = pa.table({"largest": [4], "quantity": [1], "groups": [1 << 40], "most": [counts.MOST]})
    register = pa.table({"name": [b"a", b"b"], "leaf": [0, 1]})
    events = pa.record_batch({"name": [b"a"] * 3, "quantity": [2**62] * 3})
    for text, records in ((counts.COUNTING["counts"], LARGE), (counts.COUNTING["events"], events)):
        tables = {"records": pa.Table.from_batches([records]), "bounds": bounds, "register": register}
        both = [pa.Table.from_batches(run(text, tables)).to_pylist() for run in (spark.run, duck.run)]
        assert sorted(map(str, both[0])) == sorted(map(str, both[1]))
