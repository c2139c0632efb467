import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from starling.planfile.invented import NOTE
from starling.tables.generate import runs
from starling.tables.generate.files import ParquetWriter
from starling.tables.generate.runs import NOTICE, stream, write_note, write_runs


class Recorder(ParquetWriter):
    """A file that remembers what it was given."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.closed = False

    def write(self, encoded: pa.Table) -> None:
        self.rows += encoded["row"].to_pylist()

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("rows", [0, 1, 10, 23])
def test_runs_are_written_in_order_and_the_file_is_closed(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(runs, "RUN", 5)
    remaining = Recorder()
    # Two records of each row.
    many = write_runs(remaining, lambda run: pa.table({"row": [*run, *run]}), rows, 3)
    assert many == len(remaining.rows) == 2 * rows
    assert list(dict.fromkeys(remaining.rows)) == list(range(rows))
    assert remaining.closed


def test_a_file_is_closed_whatever_fails() -> None:
    def fails(run: range) -> pa.Table:
        raise OSError(run)

    remaining = Recorder()
    with pytest.raises(OSError, match="range"):
        write_runs(remaining, fails, 1, 1)
    assert remaining.closed


def test_streams_of_a_seed_are_apart() -> None:
    draws = [stream(*which).random() for which in ((1,), (1, 0), (1, 1), (2, 0))]
    assert len(set(draws)) == len(draws)
    assert stream(1, 0).random() == draws[1]


def test_the_note_names_the_seed_the_plan_and_numpy(tmp_path: Path) -> None:
    write_note(tmp_path, 3, "Birds, été", {"persons": 4}, {"more": [1]})
    note = json.loads((tmp_path / NOTE).read_text())
    assert note == {
        "notice": NOTICE,
        "seed": 3,
        "more": [1],
        "plan": "Birds, été",
        "numpy": np.__version__,
        "sizes": {"persons": 4},
    }
