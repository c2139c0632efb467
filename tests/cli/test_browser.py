"""Pages are opened in the browser; where there is none, it is said what to open."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.cli.browser import page_folder, show


def test_a_page_without_a_place_has_a_folder_that_stays() -> None:
    folder = page_folder()
    assert folder.is_dir()
    assert page_folder() != folder


def test_where_no_browser_is_the_address_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: address == "file:///a.html")
    show("file:///a.html")
    assert capsys.readouterr().err == ""
    show("file:///b.html")
    assert "open file:///b.html" in capsys.readouterr().err


@pytest.mark.parametrize("named", [True, False])
def test_a_preview_is_opened(named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("starling.cli.browser.show", opened.append)
    monkeypatch.setattr("starling.cli.browser.mkdtemp", lambda **_: str(tmp_path / "other"))
    words = ["--out", str(tmp_path / "named")] if named else []
    result = CliRunner().invoke(main, ["tables", "preview", "demo", "--open", *words])
    assert result.exit_code == 0, result.output
    page = tmp_path / ("named" if named else "other") / "preview.html"
    assert opened == [page.as_uri()]
    assert page.is_file()
