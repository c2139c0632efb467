"""A release of flows verifies, and numbers that it cannot have measured are found."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import starling
from starling.places.flows.artifact.public_plan import FLOWS, read_measurements, read_plan
from starling.release.checks import InvalidRelease


def test_a_release_verifies(released: Path) -> None:
    assert starling.verify(released).findings == ()


def test_numbers_of_other_pairs_are_found(released: Path, tmp_path: Path) -> None:
    plan, table = read_plan(released), pq.read_table(released / FLOWS)
    (tmp_path / "measurements").mkdir()
    others = (table.slice(1), table.take([*range(1, len(table)), 0]), table.select(["value"]))
    for other in others:
        pq.write_table(other, tmp_path / FLOWS)
        with pytest.raises(InvalidRelease):
            read_measurements(tmp_path, plan)
    (tmp_path / FLOWS).write_bytes(b"PAR1")
    with pytest.raises(InvalidRelease, match="cannot be read"):
        read_measurements(tmp_path, plan)
