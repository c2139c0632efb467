"""DuckDB, Spark and the flat twin count alike, cell by cell; on Spark, too, no record fails a run, and a run that fails tells nothing."""

import os
import sys
import tempfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Literal
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

from starling.engine import delimited
from starling.engine.spark import Spark, check_seen, cluster_for
from starling.errors import SourceError
from starling.privacy.trust import inspect
from starling.release.payment import PaymentOptions
from starling.tables.counts import GroupCounts, count
from starling.tables.evaluate import evaluate
from starling.tables.generate import generate
from starling.tables.plan import Geography, Plan, read_geography
from starling.tables.publish import release
from starling.tables.source import open_persons
from starling.tables.source.opened import OpenedRecords
from tests.tables.counts.test_counting import everything, toy
from tests.tables.counts.test_counting_failures import FAILED, HOSTILE, persons, published
from tests.tables.flat_twin import dense, flat_counts
from tests.tables.small import whole, with_records
from tests.tables.source.records import GEOGRAPHY, GOOD, PLAN
from tests.tables.worlds import World, worlds

pytestmark = pytest.mark.slow


def both(spark: Spark, plan: Plan, geography: Geography, path: Path, chunk: int) -> tuple[GroupCounts, GroupCounts]:
    """DuckDB's counts and Spark's, for the test's own eyes."""
    with mock.patch("starling.engine.delimited.CHUNK", chunk):
        opened = open_persons(path, plan)
        here = inspect(count(plan, geography, opened)).value
        return here, inspect(count(plan, geography, opened, cluster=spark)).value


def assert_alike(plan: Plan, geography: Geography, here: GroupCounts, there: GroupCounts) -> int:
    """Every total and every cell of each level; gives the sum of all totals."""
    persons = 0
    for piece in (whole(plan, geography, level) for level in range(len(plan.levels))):
        totals = here.totals(piece)
        assert np.array_equal(totals, there.totals(piece))
        some = np.flatnonzero(totals)
        assert np.array_equal(here.cells(piece, some), there.cells(piece, some))
        persons += int(totals.sum())
    return persons


def test_an_evaluation_finds_the_same_errors(
    spark: Spark, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Spark that runs stands for the one that `engine` would start."""
    plan, geography, path = toy(shared_data, "input_dir_zcdp")
    release(plan, path, path.with_name("GRF-C.txt"), tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    opened = open_persons(path, plan)
    here = evaluate(plan, geography, opened, tmp_path / "out").value
    monkeypatch.setattr(sys.modules["starling.tables.evaluate"], "cluster_for", lambda *_: nullcontext(spark))
    assert evaluate(plan, geography, opened, tmp_path / "out", engine="spark://local").value == here


@pytest.mark.parametrize("config", ["input_dir_puredp", "input_dir_zcdp"])
def test_toy_data_set_is_counted_alike(spark: Spark, shared_data: Path, config: str) -> None:
    """By DuckDB, by Spark in parts of a few records each, and by the flat twin."""
    plan, geography, path = toy(shared_data, config)
    here, there = both(spark, plan, geography, path, chunk=240)
    flat = flat_counts(plan, shared_data / "tables" / "toy_dataset" / "GRF-C.txt", path)
    assert assert_alike(plan, geography, here, there) > 20
    for level, cells in enumerate(everything(plan, geography, there)):
        assert np.array_equal(cells, dense(flat, plan, geography, level))


@pytest.mark.parametrize("kind", ["text", "parquet"])
def test_fifty_thousand_persons_of_the_production_definitions(
    spark: Spark, shared_data: Path, tmp_path: Path, kind: Literal["text", "parquet"]
) -> None:
    plan = with_records(Plan.load(shared_data / "tables" / "NMFv7-2020"), states=frozenset({"02"}))
    output = generate(plan, persons=50_000, seed=4, out=tmp_path / "made", format=kind)
    geography = read_geography(output.files["geography"], plan)
    here, there = both(spark, plan, geography, output.records, chunk=1_000_000)
    assert assert_alike(plan, geography, here, there) > 50_000


@settings(max_examples=5)
@given(worlds())
def test_any_world_is_counted_like_the_flat_twin(spark: Spark, world: World) -> None:
    """Worlds with odd records among them; few, since each takes seconds. The reader has its own properties in tests/tables/source."""
    with tempfile.TemporaryDirectory() as name:
        plan, geography = world.public(Path(name))
        path = world.records(Path(name))
        _, there = both(spark, plan, geography, path, chunk=480)
        flat = flat_counts(plan, Path(name) / "blocks.txt", path)
        for level, cells in enumerate(everything(plan, geography, there)):
            assert np.array_equal(cells, dense(flat, plan, geography, level))


def test_attack_a08_no_record_makes_a_run_on_spark_fail_or_speak(
    spark: Spark,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = persons(tmp_path, [line for bad in HOSTILE for line in (GOOD, bad)])
    monkeypatch.setattr(delimited, "CHUNK", 8000)
    opened = open_persons(path, PLAN)
    expected = published(count(PLAN, GEOGRAPHY, opened))
    assert published(count(PLAN, GEOGRAPHY, opened, cluster=spark)) == expected
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_attack_a08_a_task_that_fails_keeps_the_charge(
    spark: Spark,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file cut off after it was checked: workers fail, what leaves is the constant error, and one charge stands."""
    path = persons(tmp_path, [GOOD] * 400)
    monkeypatch.setattr(delimited, "CHUNK", 4000)
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN), cluster=spark)
    os.truncate(path, 300)
    # It is cut after the driver looked at it, so that it is workers that fail.
    monkeypatch.setattr(OpenedRecords, "check_unchanged", lambda _: None)
    assert published(computation) == FAILED
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_workers_without_the_file_are_found_before_a_charge(spark: Spark, tmp_path: Path) -> None:
    path = persons(tmp_path, [GOOD] * 9)
    opened = open_persons(path, PLAN)
    check_seen(spark, opened.files, opened.sizes)
    for change in (partial(os.truncate, path, 50), path.unlink):
        change()
        with pytest.raises(SourceError, match="where the workers of the cluster look for them"):
            check_seen(spark, opened.files, opened.sizes)


def test_duckdb_needs_no_cluster(tmp_path: Path) -> None:
    opened = open_persons(persons(tmp_path, [GOOD]), PLAN)
    with cluster_for("duckdb", opened.files, opened.sizes) as cluster:
        assert cluster is None
