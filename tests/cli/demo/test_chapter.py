"""What chapters share: data are found in a package without importing it, and a reader is told where to look."""

import sys
from pathlib import Path

import pytest

from starling.cli.demo.chapter import packaged, written
from starling.errors import ParameterError


def test_public_data_are_found_without_importing_their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_birds").mkdir()
    (tmp_path / "of_birds" / "__init__.py").write_text("raise RuntimeError")
    (tmp_path / "of_birds" / "birds.csv").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert packaged("of_birds", "birds.csv", "birds") == tmp_path / "of_birds" / "birds.csv"
    assert "of_birds" not in sys.modules
    for package, file in (("of_birds", "eggs.csv"), ("of_eggs", "eggs.csv")):
        with pytest.raises(ParameterError, match=f"needs the eggs of {package}.*starling-dp.demo"):
            packaged(package, file, "eggs")


def test_a_reader_is_told_where_report_and_tables_are() -> None:
    assert written(Path("out")).split() == ["report", "out/report.html", "tables", "out/data"]
