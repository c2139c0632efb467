"""The files of a scan are read as they were written, or refused; its tables have the rows of the list."""

from collections.abc import Callable
from io import RawIOBase
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import IntegrityError
from starling.genome.artifact import scans
from starling.genome.artifact.files import DRAWN
from starling.genome.measurements import Scanned
from tests.genome.inference.test_scans import scanned


def create(folder: Path) -> Callable[[str], RawIOBase]:
    def opened(name: str) -> RawIOBase:
        (folder / name).parent.mkdir(exist_ok=True)
        return (folder / name).open("wb", buffering=0)

    return opened


def test_a_scan_is_read_as_it_was_written(tmp_path: Path) -> None:
    drawn = scanned([1.0, -2.0, 0.0])
    scans.write_scan(create(tmp_path), DRAWN, drawn)
    again = scans.read_scan(tmp_path, DRAWN)
    assert isinstance(again, Scanned)
    assert (again.ones, again.tests.adjusted) == (500, 2)
    for one, other in zip(drawn.tests[1:], again.tests[1:], strict=True):
        np.testing.assert_array_equal(one, other)


def without_a_column(file: Path) -> None:
    pq.write_table(pq.read_table(file).drop_columns(["V"]), file)


def with_nothing(file: Path) -> None:
    pq.write_table(pq.read_table(file).slice(0, 0), file)


def with_no_number(file: Path) -> None:
    table = pq.read_table(file)
    columns = {name: table[name] for name in table.column_names}
    columns["U"] = pa.array([None, 1.0, 2.0], pa.float64())
    pq.write_table(pa.table(columns), file)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


@pytest.mark.parametrize("spoil", [without_a_column, with_nothing, with_no_number, cut, Path.unlink])
def test_what_is_none_is_refused(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    scans.write_scan(create(tmp_path), DRAWN, scanned([1.0, -2.0, 0.0]))
    spoil(tmp_path / scans.SCORES)
    with pytest.raises(IntegrityError, match="is not as Starling writes it"):
        scans.read_scan(tmp_path, DRAWN)


@pytest.mark.parametrize("text", ["{}", '{"ones": 1, "adjusted": -1}', '{"ones": true, "adjusted": 1}', "[]"])
def test_so_are_other_numbers(tmp_path: Path, text: str) -> None:
    scans.write_scan(create(tmp_path), DRAWN, scanned([1.0]))
    (tmp_path / DRAWN).write_text(text)
    with pytest.raises(IntegrityError):
        scans.read_scan(tmp_path, DRAWN)


def test_equal_scans_give_equal_files(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        scans.write_scan(create(tmp_path / name), DRAWN, scanned([1.0, -2.0]))
        contents.append([(tmp_path / name / file).read_bytes() for file in (DRAWN, scans.SCORES)])
    assert contents[0] == contents[1]
