"""`starling open`: it says its address, starts the browser unless it is told not to, and ends when nobody asks."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from tests.four_domains import release, write


@pytest.mark.series(1)
@pytest.mark.parametrize("words", [("--browser",), ("--no-browser",)])
def test_a_release_is_opened(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("starling.cli.browser.show", opened.append)
    monkeypatch.setattr("starling.cli.opening.site.IDLE", 0.001)
    write(tmp_path)
    release(tmp_path, "places")
    result = CliRunner().invoke(main, ["open", str(tmp_path / "places" / "out"), *words])
    assert result.exit_code == 0, result.output
    assert "open http://127.0.0.1:" in result.stderr
    assert len(opened) == (words == ("--browser",))


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["open", str(tmp_path)]).exit_code == 5
    write(tmp_path)
    release(tmp_path, "groups")
    here = str(tmp_path / "groups" / "out")
    assert CliRunner().invoke(main, ["open", here, "--no-browser", "--other", str(tmp_path)]).exit_code == 5
