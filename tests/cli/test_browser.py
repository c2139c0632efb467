"""Pages are opened in the browser; where there is none, it is said what to open."""

import tempfile
import webbrowser
from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.cli.browser import has_browser, page_folder, show
from tests.groups.worlds import write_world
from tests.places.plans import write_world as write_points


def test_a_page_without_a_place_has_a_folder_that_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
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


@pytest.mark.series(1)
@pytest.mark.parametrize("named", [True, False])
def test_a_preview_is_opened(named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of tables without a place: pages on this machine, until they are left."""
    opened: list[str] = []
    monkeypatch.setattr("starling.cli.browser.show", opened.append)
    monkeypatch.setattr("starling.cli.opening.site.IDLE", 0.001)
    words = ["--out", str(tmp_path / "named")] if named else []
    result = CliRunner().invoke(main, ["tables", "preview", "demo", "--open", *words])
    assert result.exit_code == 0, result.output
    page = tmp_path / "named" / "preview.html"
    assert page.is_file() == named
    assert opened == [page.as_uri()] if named else opened[0].startswith("http://127.0.0.1:")


def test_a_page_of_another_domain_without_a_place_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("starling.cli.browser.show", opened.append)
    monkeypatch.setattr("starling.cli.browser.mkdtemp", lambda **_: str(tmp_path / "other"))
    write_world(tmp_path)
    result = CliRunner().invoke(main, ["groups", "preview", str(tmp_path / "plan.toml"), "--open"])
    assert (result.exit_code, opened) == (0, [(tmp_path / "other" / "preview.html").as_uri()])


@pytest.mark.parametrize("domain", ["groups", "places", "genome"])
def test_a_preview_of_each_domain_is_opened(
    domain: str, tmp_path: Path, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("starling.cli.browser.show", opened.append)
    write_world(tmp_path)
    (tmp_path / "points").mkdir()
    write_points(tmp_path / "points")
    words = {
        "groups": [str(tmp_path / "plan.toml")],
        "places": [str(tmp_path / "points" / "plan.toml"), "--expected", "9", "--trials", "1", "--world", "gather"],
        "genome": [str(study / "plan.toml"), "--question", "num-sig", "--epsilon", "1"],
    }
    words[domain] += ["--open", "--out", str(tmp_path / "page")]
    result = CliRunner().invoke(main, [domain, "preview", *words[domain]])
    assert result.exit_code == 0, result.output
    assert opened == [(tmp_path / "page" / "preview.html").as_uri()]


@pytest.mark.parametrize(
    ("platform", "variables", "known", "expected"),
    [
        ("linux", {}, True, False),
        ("linux", {"DISPLAY": ":0"}, True, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, False, False),
        ("linux", {"BROWSER": "firefox"}, True, True),
        ("darwin", {}, True, True),
    ],
)
def test_a_browser_has_windows(
    platform: str, variables: dict[str, str], known: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def get() -> object:
        if not known:
            raise webbrowser.Error
        return object()

    monkeypatch.setattr("webbrowser.get", get)
    monkeypatch.setattr("sys.platform", platform)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_browser() is expected
