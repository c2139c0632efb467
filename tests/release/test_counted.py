"""Records that an engine counts: which files are named, and that nothing is counted before it is asked for."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from starling.engine.held_records import hold
from starling.engine.record_parts import text_records
from starling.engine.spark import DUCKDB, Spark
from starling.errors import ParameterError
from starling.privacy.trust import Confidential, inspect
from starling.release.counted import CountedRecords


def test_files_are_those_of_the_records_and_the_public_ones(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text("a\n1\n")

    def count(cluster: Spark | None) -> Confidential[int]:
        return Confidential(lambda: 1)

    records = text_records(path, ("a",), "")
    assert CountedRecords(records, count, DUCKDB, (tmp_path / "register.csv",)).files() == (
        path,
        tmp_path / "register.csv",
    )
    assert CountedRecords(hold({"a": [1]}, ("a",)), count, DUCKDB).files() == ()


def test_nothing_is_counted_and_nothing_started_before_it_is_asked_for() -> None:
    asked: list[Spark | None] = []

    def count(cluster: Spark | None) -> Confidential[int]:
        asked.append(cluster)
        return Confidential(lambda: 7)

    held = hold({"a": [1]}, ("a",))
    counted = CountedRecords(held, count, DUCKDB).open()
    assert asked == []
    with ExitStack() as work:
        assert inspect(counted(work)).value == 7
    assert asked == [None]
    elsewhere = CountedRecords(held, count, "no engine").open()
    with pytest.raises(ParameterError, match="engine"), ExitStack() as work:
        elsewhere(work)
    assert asked == [None]
