"""Public files of releases of all kinds: what was written is read, and nothing else."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import IntegrityError
from starling.places.artifact.plan_files import AREAS, has_nulls, read_plan, read_rows, sheet, write_plan
from starling.places.flows.plan import Plan
from starling.release.checks import InvalidRelease
from tests.places.flows import worlds

SCHEMA = pa.schema([("part", pa.int8()), ("value", pa.int64())])


def test_a_plan_is_read_with_its_areas_as_they_were_written(tmp_path: Path) -> None:
    plan = worlds.plan(tmp_path)
    release = tmp_path / "release"
    release.mkdir()
    write_plan(release, plan)
    assert read_plan(release, Plan).digest == plan.digest
    # The same areas in another text.
    (release / AREAS).write_bytes((release / AREAS).read_bytes() + b"\n")
    with pytest.raises(IntegrityError, match=r"areas\.geojson.*is not as Starling writes it"):
        read_plan(release, Plan)


def test_measurements_have_the_columns_that_are_written(tmp_path: Path) -> None:
    pq.write_table(table := pa.table({"part": [1, 2], "value": [3, None]}, SCHEMA), tmp_path / "rows.parquet")
    rows = read_rows(tmp_path, "rows.parquet", SCHEMA)
    assert (rows.equals(table), has_nulls(rows), has_nulls(rows.select(["part"]))) == (True, True, False)
    with pytest.raises(InvalidRelease, match="has other columns than a release writes"):
        read_rows(tmp_path, "rows.parquet", SCHEMA.remove(0))
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    with pytest.raises(InvalidRelease, match="cannot be read as Parquet"):
        read_rows(tmp_path, "rows.parquet", SCHEMA)


def test_a_sheet_says_what_each_column_holds() -> None:
    told = sheet("rows.parquet", "Rows", SCHEMA, {"part": "Of what", "value": "How much"})
    assert [each.description for each in told.columns] == ["Of what", "How much"]
