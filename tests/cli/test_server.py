"""`starling server`: a home, users and tokens from the command line; `starling serve` is tested in server/test_running.py."""

import json
import sys
from pathlib import Path

import pytest

from starling.cli.server import ROLES
from starling.server import access
from starling.server.home import open_home
from tests.cli.conftest import Call, document


@pytest.fixture
def served(call: Call, tmp_path: Path) -> Path:
    """A home with one analyst."""
    made = call("server", "init", tmp_path / "served")
    assert made.exit_code == 0, made.output
    assert call("server", "user", tmp_path / "served", "ada", "--role", "analyst").exit_code == 0
    return tmp_path / "served"


def test_a_token_is_shown_once_lets_in_and_is_revoked(call: Call, served: Path) -> None:
    shown = call("server", "token", served, "ada", "--days", "1")
    assert shown.exit_code == 0
    token = shown.stdout.strip()
    assert open_home(served).access.admit(token).name == "ada"
    (listed,) = json.loads(call("server", "tokens", served, "--json").stdout)
    assert token not in str(listed)
    assert call("server", "revoke", served, listed["id"]).exit_code == 0
    with pytest.raises(access.NotSignedIn):
        open_home(served).access.admit(token)
    assert "revoked" in call("server", "tokens", served).stdout


def test_the_log_says_what_was_done(call: Call, served: Path) -> None:
    made = document(call("server", "token", served, "ada", "--days", "1", "--json"))
    log = call("server", "log", served)
    assert [line.split("  ", 2)[2] for line in log.stdout.splitlines()] == [
        "command line  user ada analyst",
        f"command line  token {made['id']} for ada",
    ]
    assert made["token"] not in log.stdout
    (last,) = json.loads(call("server", "log", served, "--after", "1", "--json").stdout)
    assert (last["number"], last["what"]) == (2, f"token {made['id']} for ada")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["user", "{served}", "ada", "--role", "auditor"], 2, "name ada is taken"),
        (["user", "{served}", "bob", "--role", "king"], 2, "Invalid value"),
        (["token", "{served}", "bob", "--days", "1"], 2, "is no user"),
        (["token", "{served}", "ada", "--days", "0"], 2, "is not from 1 to"),
        (["revoke", "{served}", "x"], 2, "names no token"),
        (["init", "{served}"], 2, "holds something"),
        (["tokens", "{served}/nothing"], 2, "make a home"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(call: Call, served: Path, words: list[str], code: int, said: str) -> None:
    result = call("server", *(word.format(served=served) for word in words))
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stdout == ""


def test_roles_are_those_of_the_server() -> None:
    assert ROLES == access.ROLES


def test_without_its_packages_it_says_what_to_install(
    call: Call, served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("starling.server.running", "starling.server.web", "starling.server.app", "starling.server.replies"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = call("serve", served)
    assert result.exit_code == 2
    assert "pip install 'starling[server]'" in result.stderr
