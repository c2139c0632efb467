"""Every column that is released is declared, with its type and in words."""

import json
from pathlib import Path

import pyarrow as pa

from starling.tables.artifact.columns import CENSUS, MEASURED, measured_sheets, measurements_path, tables, words
from starling.tables.artifact.measured import SCHEMA
from starling.tables.plan import labels
from starling.tables.plan.region_levels import CENSUS_REGIONS
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess import T1_SCHEMA, t2_schema
from tests.tables.bundles import make
from tests.tables.small import small_plan


def test_every_column_has_its_words() -> None:
    columns = t2_schema(SEX_BY_AGE).names
    texts = (each.name for each in labels.text_columns(CENSUS_REGIONS, SEX_BY_AGE, columns))
    assert words(small_plan()).keys() == {*T1_SCHEMA.names, *columns, *MEASURED, *texts}
    assert list(MEASURED) == SCHEMA.names
    assert set(CENSUS) <= set(t2_schema(SEX_BY_AGE).names)


def test_keys_tell_rows_apart(tmp_path: Path) -> None:
    bundle = make(tmp_path)
    package = json.loads((bundle.folder / "datapackage.json").read_text())
    assert {resource["path"] for resource in package["resources"] if resource.get("type") == "table"} == {
        *(f"data/{name}.{suffix}" for name in ("t1", "t2") for suffix in ("parquet", "csv", "txt")),
        *map(measurements_path, bundle.plan.levels),
    }
    for resource in package["resources"]:
        if resource.get("format") == "parquet":
            table = pa.parquet.read_table(bundle.folder / resource["path"])
            key = [table[name].to_pylist() for name in resource["schema"]["primaryKey"]]
            assert len(set(zip(*key, strict=True))) == len(table)


def test_types_are_those_of_a_table_schema() -> None:
    plan = small_plan()
    output = {
        sheet.path: sheet
        for sheet in (
            *(each for table in tables(plan) for each in table.sheets()),
            *measured_sheets(plan),
        )
    }
    assert "data/t1.csv" in output
    types = {column.name: column.type for column in output["data/t2.parquet"].columns}
    assert types["count"] == "integer"
    assert types["standard_deviation"] == "number"
    assert types["post_processed"] == "boolean"
    assert types["sex"] == "string"
    assert [column.name for column in output["data/t1.txt"].columns] == [
        "REGION_ID",
        "REGION_TYPE",
        "ITERATION_CODE",
        "COUNT",
    ]
    assert output["data/t2.txt"].key == ("REGION_TYPE", "REGION_ID", "ITERATION_CODE", "AGESTART", "AGEEND", "SEX")
    measured = output["data/measurements/state-2.parquet"].columns
    assert [column.required for column in measured] == [True, True, False, True, True]
