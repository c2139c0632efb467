"""A release of trips verifies, and numbers that it cannot have measured are found."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.places.trips.artifact.public_plan import TRIPS, read_measurements, read_plan
from starling.release.checks import InvalidRelease


def test_a_release_verifies(released: Path) -> None:
    assert starling.verify(released).findings == ()


def test_numbers_of_other_boxes_are_found(released: Path, tmp_path: Path) -> None:
    plan, table = read_plan(released), pq.read_table(released / TRIPS)
    (tmp_path / "measurements").mkdir()
    more = pa.concat_tables([table, table.slice(len(table) - 1)])
    others = (table.slice(1), more, table.slice(0, len(table) - 1), table.take([*range(1, len(table)), 0]))
    for other in (*others, table.select(["value"]), table.slice(0, 0)):
        pq.write_table(other, tmp_path / TRIPS)
        with pytest.raises(InvalidRelease):
            read_measurements(tmp_path, plan)
    (tmp_path / TRIPS).write_bytes(b"PAR1")
    with pytest.raises(InvalidRelease, match="cannot be read"):
        read_measurements(tmp_path, plan)
