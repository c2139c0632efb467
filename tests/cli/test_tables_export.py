"""`starling tables export`: from a release to files of other programs, mistakes told in a line."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Call, Inputs


@pytest.mark.slow
def test_forms_are_written_and_mistakes_are_told_in_a_line(inputs: Inputs, call: Call, tmp_path: Path) -> None:
    release = tmp_path / "release"
    paid = ("--yes", "--unvalidated")
    made = call("tables", "release", "demo", *inputs.options, "--out", release, *paid)
    assert made.exit_code == 0, made.output
    done = call("tables", "export", release, "--format", "wide", "--out", tmp_path / "wide.csv", "--json")
    assert json.loads(done.stdout)["written"] == str(tmp_path / "wide.csv")
    assert "male, all ages" in (tmp_path / "wide.csv").read_text().splitlines()[0]
    options = ("--table", "usa_regional", "--table", "usa_detailed", "--across", "sex", "--round", "5")
    rules = ("--hide-below", "6", "--hide-wider", "1000")
    tables = call("tables", "export", release, "--format", "csv", "--out", tmp_path / "tables", *options, *rules)
    assert tables.exit_code == 0, tables.output
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        "README.txt",
        "datapackage.json",
        "usa_regional.csv",
        "usa_detailed.csv",
    }
    assert "Rounded to multiples of 5" in (tmp_path / "tables" / "README.txt").read_text()
    whole = call("tables", "export", release, "--format", "parquet", "--out", tmp_path / "whole")
    assert whole.exit_code == 0, whole.output
    parts = [pd.read_parquet(path) for path in (tmp_path / "whole").glob("*.parquet")]
    assert {"usa", "iteration", "sex", "age"} <= set(pd.concat(parts).columns)
    totals = sum(
        part[(part.get("age", "_T") == "_T") & (part.get("sex", "_T") == "_T")]["count"].sum() for part in parts
    )
    t1, t2 = (pd.read_parquet(release / "data" / f"{name}.parquet") for name in ("t1", "t2"))
    assert totals == t1["count"].sum()
    assert sum(part["count"].sum() for part in parts) == t1["count"].sum() + t2["count"].sum()
    again = call("tables", "export", release, "--format", "wide", "--out", tmp_path / "wide.csv")
    assert (again.exit_code, "exists" in again.stderr) == (74, True)
    wrong = call("tables", "export", release, "--format", "excel", "--out", tmp_path / "wide.csv")
    assert (wrong.exit_code, "does not end in .xlsx" in wrong.stderr) == (2, True)
    none = call("tables", "export", tmp_path, "--format", "wide", "--out", tmp_path / "other.csv")
    assert none.exit_code in {5, 65}
    assert "Traceback" not in none.output
