"""`starling server`: a home, users and tokens from the command line; `starling serve` is tested in server/test_running.py."""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from starling.cli.server import ROLES
from starling.server import access, logs
from starling.server.home import open_home
from tests.cli.conftest import Call, document
from tests.cli.in_terminal import in_terminal

PASSWORD = "correct horse battery"


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


def test_a_password_is_read_from_a_file_without_a_terminal(call: Call, served: Path) -> None:
    given = call("server", "password", served, "ada", typed=f"{PASSWORD}\nmore\n")
    assert (given.exit_code, given.stdout) == (0, "ada has a new password\n")
    kept = open_home(served).access.password("ada")
    assert kept is not None
    assert PasswordHasher().verify(kept, PASSWORD)
    removed = call("server", "password", served, "ada", "--remove", "--json")
    assert json.loads(removed.stdout) == {"user": "ada", "password": False}
    assert open_home(served).access.password("ada") is None
    assert [each.what for each in open_home(served).access.log(after=1, most=9)] == [
        "password for ada",
        "no password for ada",
    ]


@pytest.mark.slow
def test_a_password_is_asked_for_in_a_terminal_and_not_shown(served: Path) -> None:
    shown = in_terminal(PASSWORD, "server", "password", served, "ada").stdout
    assert "again: " in shown
    assert "ada has a new password" in shown
    assert PASSWORD not in shown
    kept = open_home(served).access.password("ada")
    assert kept is not None
    assert PasswordHasher().verify(kept, PASSWORD)


def test_a_session_is_listed_as_one(call: Call, served: Path) -> None:
    session, _ = open_home(served).access.begin_session("ada", "POST /v1/session", left=None)
    (listed,) = json.loads(call("server", "tokens", served, "--json").stdout)
    assert listed["session"] is True
    assert call("server", "tokens", served).stdout.endswith("session\n")
    assert call("server", "revoke", served, listed["id"]).exit_code == 0
    assert session not in call("server", "tokens", served).stdout


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
    assert call("server", "log", served, "--most", "1").stdout.splitlines() == log.stdout.splitlines()[:1]


@pytest.mark.parametrize("command", ["web", "worker", "job", "notify"])
def test_a_process_of_the_server_logs_in_the_form_that_it_is_told(
    call: Call, served: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """What it runs then is replaced; tests/server/test_logs.py reads lines of both forms."""
    connections, _ = socket.socketpair()
    answered: list[int] = []
    forms: list[logs.Form] = []

    def run(*arguments: Any) -> None:
        answered.extend(each.fileno() for each in arguments if isinstance(each, socket.socket))

    monkeypatch.setattr("starling.server.web.answer", run)
    monkeypatch.setattr("starling.worker.running.Worker.run", run)
    monkeypatch.setattr("starling.worker.children.serve", run)
    monkeypatch.setattr("starling.server.notifying.notify", run)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr(logs, "begin", forms.append)
    for form in ("text", "json"):
        handle = [os.dup(connections.fileno())] if command == "web" else []
        result = call(command, served, *(["--socket", *handle] if handle else []), "--log", form)
        assert (result.exit_code, answered) == (0, handle), result.output
        answered.clear()
    assert forms == ["text", "json"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["user", "{served}", "ada", "--role", "auditor"], 2, "name ada is taken"),
        (["user", "{served}", "bob", "--role", "king"], 2, "Invalid value"),
        (["token", "{served}", "bob", "--days", "1"], 2, "is no user"),
        (["token", "{served}", "ada", "--days", "0"], 2, "is not from 1 to"),
        (["revoke", "{served}", "x"], 2, "names no token"),
        (["password", "{served}", "ada"], 2, "has fewer than 12 letters"),
        (["password", "{served}", "bob", "--remove"], 2, "is no user"),
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
    monkeypatch.setitem(sys.modules, "argon2", None)
    monkeypatch.delitem(sys.modules, "starling.server.passwords", raising=False)
    result = call("server", "password", served, "ada", typed=PASSWORD)
    assert (result.exit_code, "pip install 'starling-dp[server]'" in result.stderr) == (2, True)
    for name in ("starling.server.running", "starling.server.web", "starling.server.app", "starling.server.replies"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = call("serve", served)
    assert result.exit_code == 2
    assert "pip install 'starling-dp[server]'" in result.stderr
