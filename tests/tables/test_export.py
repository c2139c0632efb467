"""An export is one new file, or nothing."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import OutputError, ParameterError
from starling.tables.analysis import open_release


def test_no_file_is_overwritten_and_none_is_left_behind(detailed_release: Path, tmp_path: Path) -> None:
    opened = open_release(detailed_release)
    opened.export(tmp_path / "a.csv", "wide")
    with pytest.raises(OutputError, match="exists"):
        opened.export(tmp_path / "a.csv", "wide")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        opened.export(tmp_path / "file" / "b.csv", "wide")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "file"]


@pytest.mark.series(3)
@pytest.mark.parametrize(
    ("name", "form", "options", "problem"),
    [
        ("a.txt", "wide", {}, "does not end in .csv or .parquet"),
        ("a.csv", "excel", {}, "does not end in .xlsx"),
        ("a.csv", "csv", {}, "ends in .csv, and csv is a folder of files"),
        ("a.xml", "sdmx", {}, "does not end in .csv"),
        ("a.csv", "sdmx", {}, "structure is of SDMX"),
        ("a.csv", "wide", {"structure": "A:B(1.0)"}, "structure is of SDMX"),
        ("a.csv", "wide", {"across": "age"}, "wide is one layout"),
        ("a.csv", "wide", {"round_to": 5}, "wide is one layout"),
        ("a", "sdmx", {"structure": "A:B(1.0)", "across": "age"}, "does not go with sdmx"),
        ("a.csv", "sdmx", {"structure": "A:B(1.0)", "round_to": 5}, "has no place for what the rules do"),
        ("a", "csv", {"tables": ["ward_by_sex", "other"]}, "tables have no other; take some of ward_by_sex, "),
        ("a", "csv", {"across": "age"}, "is no column of town_by_sex_statistics"),
        ("a", "parquet", {"round_to": 5}, r"hold statistics \(town_by_sex_statistics\), and rules are for counts"),
        ("a", "csv", {"hide_below": 0}, "hide_below is not 1 to"),
    ],
)
def test_what_does_not_go_together_is_refused_and_nothing_is_written(
    detailed_release: Path, tmp_path: Path, name: str, form: str, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ParameterError, match=problem):
        open_release(detailed_release).export(tmp_path / name, form, **options)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
