"""Opened records, of the Census or custom, in every form: they have a name and sizes, and are refused once their shape is another."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import SourceError
from starling.tables.plan.columns import RecordColumns
from starling.tables.source.census_records import open_persons
from starling.tables.source.declared_records import open_declared
from starling.tables.source.opened import OpenedRecords
from tests.tables.source.declared_twin import SEX
from tests.tables.source.records import GOOD, PLAN
from tests.tables.worlds import COLUMNS, HEADER


def opened(folder: Path, kind: str) -> OpenedRecords:
    """Records of a kind, in one file or in a folder of two parts."""
    of, form = kind.split()
    names = COLUMNS if of == "Census" else ("sex",)
    path = folder / f"records.{form}"
    if form == "folder":
        path.mkdir()
        for part in ("a", "b"):
            pq.write_table(pa.table({name: ["1"] for name in names}), path / f"{part}.parquet")
    else:
        path.write_bytes(HEADER + b"\n" + GOOD + b"\n" if of == "Census" else b"sex\nF\n")
    return open_persons(path, PLAN) if of == "Census" else open_declared(path, RecordColumns(None, (), (SEX,)))


@pytest.mark.parametrize("kind", ["Census txt", "Census folder", "custom csv", "custom folder"])
def test_records_are_what_was_checked_until_a_file_is_another(tmp_path: Path, kind: str) -> None:
    records = opened(tmp_path, kind)
    assert records.name == f"records.{kind.split()[1]}"
    assert records.sizes == tuple(file.stat().st_size for file in records.files)
    records.check_unchanged()
    file = records.files[-1]
    content = file.read_bytes()
    for change in (content + b"\n", content[:-1], content.replace(b"QAGE", b"QAGX").replace(b"sex", b"sxe")):
        file.write_bytes(change)
        with pytest.raises(SourceError, match="are not what was checked"):
            records.check_unchanged()
    file.unlink()
    with pytest.raises(SourceError, match="are not what was checked"):
        records.check_unchanged()


def test_what_a_session_holds_stays_as_it_is() -> None:
    records = open_declared({"sex": ["F"]}, RecordColumns(None, (), (SEX,)))
    records.check_unchanged()
    assert (records.name, records.files) == ("records", ())
