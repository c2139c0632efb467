"""A home is made in an empty folder and opened only where other users of the machine cannot reach it."""

import re
from contextlib import closing
from pathlib import Path

import pytest

import starling
from starling.errors import OutputError, ParameterError, PlanError, PolicyRefused
from starling.ledger.opening import create_ledger, read_ledger
from starling.server.home import make_home, open_home
from starling.server.ledger_checks import LedgerChecks


@pytest.mark.parametrize("there", [False, True])
def test_a_home_is_made_and_opened(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "home"
    if there:
        folder.mkdir(mode=0o755)
    made = make_home(folder)
    assert open_home(folder).settings == made.settings
    assert made.settings.ledger == f"sqlite:///{folder}/ledger.sqlite"
    assert made.access.log(after=0, most=1) == []
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(ParameterError, match="holds something"):
        make_home(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


def test_a_wrong_ledger_leaves_no_home(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="ledger is not a whole URL"):
        make_home(tmp_path / "home", ledger="ledger.sqlite")
    assert make_home(tmp_path / "home").settings.port == 8470


@pytest.mark.parametrize("name", [".", "server.toml", "access.sqlite", "server.key"])
def test_what_is_missing_is_said(tmp_path: Path, name: str) -> None:
    make_home(tmp_path / "home")
    path = tmp_path / "home" / name
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(ParameterError, match=f"home has no {'home' if name == '.' else name}"):
        open_home(tmp_path / "home")


@pytest.mark.parametrize(("name", "mode"), [(".", 0o750), (".", 0o701), ("access.sqlite", 0o640)])
def test_a_home_open_to_others_is_refused(tmp_path: Path, name: str, mode: int) -> None:
    make_home(tmp_path / "home")
    (tmp_path / "home" / name).chmod(mode)
    with pytest.raises(PolicyRefused, match="is open to other users"):
        open_home(tmp_path / "home")


def test_a_server_reads_its_ledger_though_its_accounts_own_folder_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home(tmp_path / "home")
    create_ledger(home.settings.ledger).close()
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "heads").write_text("no folder, so that nothing below it can be opened, by root neither")
    monkeypatch.setenv("STARLING_HOME", str(closed))
    with pytest.raises(OutputError, match="witness"):
        read_ledger(home.settings.ledger)
    with closing(home.read_ledger()) as ledger:
        assert ledger.reading.head().seq == 1
    assert LedgerChecks(home, seconds=60).latest().outcome["problem"] is None


def test_processes_of_a_server_read_its_ledger_by_its_home_alone() -> None:
    """But where a custodian's own command does."""
    package = Path(starling.__file__).parent
    found = {
        path.relative_to(package).as_posix()
        for folder in ("server", "worker", "screens")
        for path in (package / folder).rglob("*.py")
        if re.search(r"(?<![.\w])read_ledger\(", path.read_text(encoding="utf-8"))
    }
    assert found == {"server/home.py", "server/ledger_checks.py", "server/backup.py"}
