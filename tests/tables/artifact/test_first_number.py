"""The headline of a release of tables: the people in all, as a session adds them up, or the largest published total."""

import re
from pathlib import Path

import pyarrow.parquet as pq

from starling import open_release, tables
from starling.release.payment import PaymentOptions
from starling.release.stored_table import StoredTable
from starling.tables.analysis import TablesRelease
from starling.tables.artifact.first_number import FirstNumber
from tests.four_domains import TABLES


def opened(folder: Path, plan: str) -> TablesRelease:
    (folder / "plan.toml").write_text(plan)
    (folder / "records.csv").write_text("sex,age\nF,17\nM,20\nF,\n")
    payment = PaymentOptions(unvalidated=True)
    created = tables.release(
        tables.Plan.load(str(folder / "plan.toml")), folder / "records.csv", out=folder / "out", payment=payment
    )
    result = open_release(created.folder)
    assert isinstance(result, TablesRelease)
    return result


def test_the_people_in_all_are_those_of_a_session(tmp_path: Path) -> None:
    release = opened(tmp_path, TABLES)
    number, headline = release.number(), release.headline()
    assert headline is not None
    low, high = number.interval()
    assert headline.label == "People in all"
    assert (headline.number, headline.interval) == (f"{number.estimate:,}", f"95 % interval: {low:,} to {high:,}")


def test_without_all_groups_of_the_sum_it_is_the_largest_total_whatever_the_pieces(tmp_path: Path) -> None:
    release = opened(tmp_path, TABLES)
    rows = release.table("t1")
    only = rows.filter([code != "sex: M" for code in rows["iteration_code"].to_pylist()])
    top = max(only.to_pylist(), key=lambda row: row["count"])
    headlines = set()
    for size in (1, 2, len(only)):
        first, stored = (FirstNumber(release.plan, release.geography, release.folder) for _ in range(2))
        for begin in range(0, len(only), size):
            first.add(only.slice(begin, size))
        pq.write_table(only, tmp_path / "t1.parquet", row_group_size=size)
        stored.read(StoredTable(tmp_path / "t1.parquet"))
        headlines |= {first.headline(), stored.headline()}
    (headline,) = headlines
    assert headline is not None
    assert headline.number == f"{top['count']:,}"
    assert headline.interval == f"95 % interval: {top['lower']:,} to {top['upper']:,}"
    assert re.match("The largest published total: ", headline.label)
    assert "more often too high" in headline.note


def test_without_a_published_total_there_is_none(tmp_path: Path) -> None:
    release = opened(tmp_path, TABLES)
    first, stored = (FirstNumber(release.plan, release.geography, release.folder) for _ in range(2))
    nothing = release.table("t1").slice(0, 0)
    first.add(nothing)
    pq.write_table(nothing, tmp_path / "t1.parquet")
    stored.read(StoredTable(tmp_path / "t1.parquet"))
    assert first.headline() is None
    assert stored.headline() is None
