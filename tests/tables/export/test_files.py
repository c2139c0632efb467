"""A folder of tables says what is in it, to programs and to people."""

import csv
import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq

from starling.tables.analysis import open_release


def test_a_folder_is_a_data_package_of_its_tables(detailed_release: Path, tmp_path: Path) -> None:
    folder = open_release(detailed_release).export(tmp_path / "a", "csv", tables=["ward_by_sex"], hide_wider=3)
    package = json.loads((folder / "datapackage.json").read_text())
    files = {each["path"]: each for each in package["resources"]}
    assert set(files) == {"README.txt", "ward_by_sex.csv"}
    for name, each in files.items():
        assert each["hash"] == f"sha256:{hashlib.sha256((folder / name).read_bytes()).hexdigest()}"
    fields = files["ward_by_sex.csv"]["schema"]["fields"]
    header = next(csv.reader((folder / "ward_by_sex.csv").read_text().splitlines()))
    assert [each["name"] for each in fields] == header
    assert "half width above 3. Sums of counts that are shown lack them" in (folder / "README.txt").read_text()


def test_parquet_says_what_its_columns_are(detailed_release: Path, tmp_path: Path) -> None:
    folder = open_release(detailed_release).export(tmp_path / "a", "parquet", tables=["ward_by_sex"], round_to=5)
    schema = pq.read_schema(folder / "ward_by_sex.parquet")
    assert "multiples of 5" in schema.metadata[b"notes"].decode()
    assert all(field.metadata[b"description"] for field in schema)
