"""The files of cross tables: measurements come back as they were drawn, and what is declared of a table is what it has."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from starling.tables.artifact.cross import SCHEMA, cross_path, keep_cross, parameters, part_name, sheets, tables
from starling.tables.mechanism.residuals import Residuals
from starling.tables.plan import read_regions
from starling.tables.postprocess.cross import margin, tabulate_cross
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.mechanism.test_residuals import Counts

PLAN = cross_plan(levels=LEVELS)


def created(folder: Path) -> object:
    (folder / "data/measurements").mkdir(parents=True)
    return lambda name: (folder / name).open("xb")


def test_measurements_come_back_as_they_were_drawn_as_often_as_they_are_read(tmp_path: Path) -> None:
    regions, drawn = read_regions(PLAN), tuple(Residuals(PLAN).draw(Counts(PLAN.cross_shape)))
    kept = keep_cross(tmp_path, created(tmp_path), PLAN, regions, drawn)  # type: ignore[arg-type]
    for _ in range(2):
        read = list(kept)
        assert [each[:2] for each in read] == [each[:2] for each in drawn]
        assert all(np.array_equal(one[2], other[2]) for one, other in zip(read, drawn, strict=True))
    with pytest.raises(FileExistsError):
        keep_cross(tmp_path, lambda name: (tmp_path / name).open("xb"), PLAN, regions, drawn)  # type: ignore[arg-type,return-value]
    stored = pq.ParquetFile(tmp_path / cross_path(1))
    assert stored.num_row_groups == len(PLAN.cross_shape.parts)
    assert stored.schema_arrow.equals(SCHEMA)


def test_tables_have_the_rows_and_the_columns_that_are_declared() -> None:
    regions, drawn = read_regions(PLAN), tuple(Residuals(PLAN).draw(Counts(PLAN.cross_shape)))
    assert PLAN.cross is not None
    declared = dict(zip(PLAN.cross.tables, tables(PLAN), strict=True))
    rows = dict.fromkeys(declared, 0)
    for _, table, each in tabulate_cross(PLAN, regions, drawn):
        rows[table] += len(each)
        assert each.column_names == declared[table].schema.names
        assert set(each.column_names) <= declared[table].words.keys()
        keys = [tuple(row[name] for name in declared[table].key) for row in each.to_pylist()]
        assert len(set(keys)) == len(keys)
    assert rows == {table: each.rows for table, each in declared.items()}
    assert [column.name for column in sheets(PLAN)[0].columns] == SCHEMA.names


def test_stated_margins_are_those_of_the_rows() -> None:
    one_level = cross_plan()
    assert one_level.cross is not None
    stated = parameters(one_level)["levels"][0]["margins_of_error"]  # type: ignore[index,call-overload]
    drawn = tuple(Residuals(one_level).draw(Counts(one_level.cross_shape)))
    for _, table, rows in tabulate_cross(one_level, read_regions(one_level), drawn):
        row = rows.slice(0, 1).to_pylist()[0]
        name = "_by_".join(one_level.cross.columns[column] for column in table) or "everybody"
        assert stated[name] == pytest.approx(row["upper"] - row["count"])  # type: ignore[index,call-overload]
        expected = margin(one_level.cross, one_level.cross_shape, table, row["standard_deviation"])
        assert stated[name] == pytest.approx(expected)  # type: ignore[index,call-overload]
    assert part_name(one_level.cross, (0, 2)) == "sex,colour"
