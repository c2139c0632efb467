"""DuckDB and Spark count custom records alike, to the last person: groups, cells, sums, classes, and which records are kept."""

import sys
import tempfile
from collections import Counter
from contextlib import closing, nullcontext
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from starling.engine import duck
from starling.engine.spark import Spark
from starling.errors import ParameterError, SourceError
from starling.privacy.trust import inspect
from starling.release.payment import PaymentOptions
from starling.tables.counts import count
from starling.tables.plan import read_regions
from starling.tables.plan.counting_sql import custom_answer_sql
from starling.tables.publish import release
from starling.tables.source import open_records
from starling.verification import verify
from tests.tables.aggregate_worlds import aggregate_worlds
from tests.tables.counts.test_cross_counting import counted as count_cells
from tests.tables.counts.test_custom_counting import cells_of, counted
from tests.tables.counts.test_custom_counting_persons import worlds_of_persons
from tests.tables.counts.test_spread_records import exact, numbers_of
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.custom_worlds import Group, World, expected

pytestmark = pytest.mark.slow


def assert_alike(spark: Spark, world: World) -> dict[Group, Counter[tuple[int, ...]]]:
    """From both forms of files, of which each engine counts each once; the key of the hash is the same for both. Gives Spark's cells."""
    plan, cells = world.plan, {}
    geography = read_regions(plan)
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch("starling.tables.counts.counting.fresh_bytes", bytes),
        # So that there are several parts.
        mock.patch("starling.engine.delimited.CHUNK", 60),
        mock.patch("starling.engine.record_parts.PART_ROWS", 2),
    ):
        for path in (world.csv(Path(name)), world.parquet(Path(name))):
            records = open_records(path, plan)
            here, there = (inspect(count(plan, geography, records, cluster=each)).value for each in (None, spark))
            assert numbers_of(plan, geography, there) == numbers_of(plan, geography, here)
            if plan.levels:
                cells = cells_of(plan, geography, there)
                assert cells == cells_of(plan, geography, here)
    return cells


@settings(max_examples=4, deadline=None)
@given(aggregate_worlds())
def test_any_world_is_counted_alike(spark: Spark, world: World) -> None:
    cells = assert_alike(spark, world)
    if world.plan.levels:
        assert cells == expected(world)


@settings(max_examples=4, deadline=None)
@given(worlds_of_persons())
def test_of_a_person_the_same_records_are_kept(spark: Spark, world: World) -> None:
    assert_alike(spark, world)


VALUES = {
    "title": "Released by Spark",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
    "records": {"of-a-person": 1},
    "columns": [{"name": "colour", "values": ["red", "blue"]}, {"name": "amount", "from": 0, "to": 9}],
    "groups": [{"name": "colours", "columns": ["colour"]}],
    "publication": {"negative-counts": True},
    "levels": [{"groups": "colours", "budget": "1"}],
    "sums": [{"of": "amount", "groups": "colours", "budget": "1"}],
}
WORLD = World(VALUES, ({"colour": "red", "amount": "2"}, {"colour": "blue", "amount": "7"}))


def test_a_release_by_spark_and_what_it_does_not_reach(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Spark that runs stands for the one that `engine` would start."""
    monkeypatch.setattr(sys.modules["starling.tables.publish"], "cluster_for", lambda *_: nullcontext(spark))
    payment = PaymentOptions(unvalidated=True)
    with pytest.raises(ParameterError, match="engine does not reach records in this session"):
        release(WORLD.plan, WORLD.table(), out=tmp_path / "none", engine="spark://local", payment=payment)
    done = release(WORLD.plan, WORLD.csv(tmp_path), out=tmp_path / "out", engine="spark://local", payment=payment)
    assert not verify(done.folder).findings


def test_a_frame_of_spark_is_read_like_a_table(spark: Spark, tmp_path: Path) -> None:
    """It is read part by part once the counting begins; a plan is run no sooner."""
    session = spark._session
    frame = session.createDataFrame(WORLD.table().append_column("more", pa.array([1, 2])))
    assert exact(WORLD.plan, frame) == exact(WORLD.plan, WORLD.table())
    assert counted(WORLD.plan, frame) == counted(WORLD.plan, WORLD.table())
    payment = PaymentOptions(unvalidated=True)
    assert not verify(release(WORLD.plan, frame, out=tmp_path / "out", payment=payment).folder).findings
    failing = session.range(2).selectExpr("CAST(raise_error('read') AS string) AS colour", "id AS amount")
    records = open_records(failing, WORLD.plan)
    with pytest.raises(SourceError, match="are not what was checked"):
        inspect(count(WORLD.plan, read_regions(WORLD.plan), records))


def test_sums_of_either_engine_have_128_bits(spark: Spark) -> None:
    rows = pa.table(
        {
            "unit": pa.array([0] * 9, pa.int32()),
            "groups": [b""] * 9,
            "cell": pa.array([0] * 9, pa.int16()),
            "n0": [2**62] * 9,
        }
    )
    text = custom_answer_sql("records", "", (True,))
    for answer in (duck.run(text, {"records": rows}), spark.run(text, {"records": rows})):
        with closing(answer):
            (row,) = pa.Table.from_batches(answer).to_pylist()
        assert int(row["sum0"]) == 9 * 2**62
        assert row["given0"] == row["persons"] == 9


def test_cross_tables_are_counted_alike(spark: Spark, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    values = {
        "sex": ["f", "m", "x"],
        "age": [str(age) for age in range(11)],
        "colour": ["red", "green", "blue"],
        "district": ["a1", "a2", "b1", "?"],
        "id": [str(each) for each in range(150)],
    }
    table = pa.table({name: random.choice(each, 400) for name, each in values.items()})
    pq.write_table(table, tmp_path / "records.parquet", row_group_size=50)
    for plan in (cross_plan(levels=LEVELS), cross_plan(levels=LEVELS, records=2)):
        with mock.patch("starling.tables.counts.counting.fresh_bytes", bytes):
            here, there = (count_cells(plan, tmp_path / "records.parquet", each) for each in (None, spark))
        for level in range(2):
            for part in plan.cross_shape.parts:
                assert np.array_equal(here.part(level, part), there.part(level, part))
