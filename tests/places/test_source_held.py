"""Points of a session: arrays, Arrow tables and relations count as files do, and are refused by their shape alone."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import starling
from starling.errors import OutputError, ParameterError, SourceError
from starling.places.counts import tally
from starling.places.publish import release
from starling.places.source import open_records
from starling.release.payment import PaymentOptions
from tests.places.plans import PERSON, plan

ARRAYS: dict[str, Any] = {
    "lon": np.array([-0.5, 0.5, 0.5, 9, np.nan]),
    "lat": np.array([0.5, 1.5, 1.5, 0.5, 1]),
    "who": ["a", "a", "a", "a", "a"],
    "more": [1, 2, 3, 4, 5],
}
WANTED = [[1, 0, 0, 0], [0, 2, 0, 0]]


def test_arrays_tables_and_relations_count_alike() -> None:
    table = pa.table(ARRAYS)
    with duckdb.connect() as connection:
        connection.register("points", table)
        for data in (ARRAYS, table, connection.sql("SELECT * FROM points")):
            assert tally(plan(), open_records(data, plan()), b"")[0].tolist() == WANTED
            assert tally(plan(PERSON), open_records(data, plan(PERSON)), bytes(32)).sum() == 2


def test_a_relation_is_not_run_before_it_is_read() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE points (lon DOUBLE, lat DOUBLE)")
        held = open_records(connection.table("points"), plan())
        connection.execute("INSERT INTO points VALUES (0.5, 1.5)")
        assert tally(plan(), held, b"").sum() == 1


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        ({"lon": [1.0]}, "lat is a missing column; there are lon"),
        ({"lon": [1.0], "lat": [1.0, 2.0]}, "cannot be taken as columns"),
        ({"lon": ["1"], "lat": [1.0]}, "lon is of type string, not a number"),
        (5, "of type int names no columns"),
    ],
)
def test_other_shapes_are_refused(data: Any, cause: str) -> None:
    with pytest.raises(SourceError, match=cause):
        open_records(data, plan())


def test_points_of_a_session_are_released_into_a_new_folder(tmp_path: Path) -> None:
    unvalidated = PaymentOptions(unvalidated=True)
    folder = release(plan(), ARRAYS, tmp_path / "out", payment=unvalidated).folder
    assert starling.verify(folder).findings == ()
    with pytest.raises(OutputError, match="exists"):
        release(plan(), ARRAYS, tmp_path / "out", payment=unvalidated)
    with pytest.raises(ParameterError, match="does not reach records in this session"):
        release(plan(), ARRAYS, tmp_path / "new", payment=unvalidated, engine="spark://local")
