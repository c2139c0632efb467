"""An export is one new file, or nothing."""

from pathlib import Path

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


@pytest.mark.parametrize(
    ("name", "form", "structure", "problem"),
    [
        ("a.txt", "wide", None, "does not end in .csv or .parquet"),
        ("a.csv", "excel", None, "does not end in .xlsx"),
        ("a.csv", "sdmx", None, "structure is of SDMX"),
        ("a.csv", "wide", "A:B(1.0)", "structure is of SDMX"),
    ],
)
def test_what_does_not_go_together_is_refused(
    detailed_release: Path, tmp_path: Path, name: str, form: str, structure: str | None, problem: str
) -> None:
    with pytest.raises(ParameterError, match=problem):
        open_release(detailed_release).export(tmp_path / name, form, structure=structure)  # type: ignore[arg-type]
