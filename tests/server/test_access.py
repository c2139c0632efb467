"""Users, tokens and the log: a token lets in its user until it ends or is revoked, and the log only grows."""

import asyncio
import sqlite3
import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from starling.errors import LedgerUnavailable, ParameterError
from starling.ledger.batching import Batches
from starling.server.access import MOST_DAYS, Access, NotSignedIn, User
from starling.server.tokens import fresh
from tests.server.conftest import BEGAN


class Wall:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "access.sqlite"


@pytest.fixture
def access(file: Path, wall: Wall) -> Access:
    made = Access(file, now=wall)
    made.create()
    made.add_user("ada", "analyst")
    return made


def test_a_token_lets_in_its_user(access: Access) -> None:
    token, _ = access.issue("ada", days=1)
    assert access.admit(token) == User("ada", "analyst")


def test_a_token_ends_at_its_second(access: Access, wall: Wall) -> None:
    token, _ = access.issue("ada", days=1)
    wall.now = BEGAN + timedelta(days=1) - timedelta(microseconds=1)
    assert access.admit(token).name == "ada"
    wall.now = BEGAN + timedelta(days=1)
    with pytest.raises(NotSignedIn):
        access.admit(token)


def test_a_revoked_token_is_refused_at_once_by_who_has_the_file_open(access: Access, file: Path, wall: Wall) -> None:
    token, issued = access.issue("ada", days=1)
    another, _ = access.issue("ada", days=1)
    assert access.admit(token).name == "ada"
    Access(file, now=wall).revoke(issued.id)
    with pytest.raises(NotSignedIn):
        access.admit(token)
    assert access.admit(another).name == "ada"
    assert sorted(each.revoked for each in access.tokens()) == [False, True]


def test_a_token_of_a_known_id_and_another_secret_is_refused(access: Access, file: Path) -> None:
    forged, kept = fresh()
    _, issued = access.issue("ada", days=1)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE tokens SET id = ?", (kept.id,))
    assert issued.id != kept.id
    with pytest.raises(NotSignedIn):
        access.admit(forged)


def test_refusals_of_tokens_are_the_same(access: Access) -> None:
    revoked, issued = access.issue("ada", days=1)
    access.revoke(issued.id)
    said = set()
    for token in (revoked, fresh()[0], "", "starling_"):
        with pytest.raises(NotSignedIn) as refused:
            access.admit(token)
        said.add(str(refused.value))
    assert len(said) == 1


def test_the_file_holds_no_token(access: Access, file: Path) -> None:
    token, _ = access.issue("ada", days=1)
    assert token.split("_")[2].encode() not in file.read_bytes()


def test_the_file_is_closed_to_others(access: Access, file: Path) -> None:
    assert access.tokens() == []
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", "Ada", "a b", "../x", "a" * 65, "a\n", "-a"])
def test_what_is_no_name_is_refused(access: Access, name: str) -> None:
    with pytest.raises(ParameterError, match="is not a name"):
        access.add_user(name, "analyst")


def test_a_name_is_given_once(access: Access) -> None:
    with pytest.raises(ParameterError, match="ada is taken"):
        access.add_user("ada", "custodian")


@pytest.mark.parametrize("days", [0, -1, MOST_DAYS + 1])
def test_a_token_has_an_end(access: Access, days: int) -> None:
    with pytest.raises(ParameterError, match="days is not from 1"):
        access.issue("ada", days=days)


def test_nobody_unknown_gets_a_token(access: Access) -> None:
    with pytest.raises(ParameterError, match="is no user"):
        access.issue("bob", days=1)


def test_an_unknown_id_is_not_revoked(access: Access) -> None:
    with pytest.raises(ParameterError, match="names no token"):
        access.revoke("0" * 16)


def test_the_log_says_who_did_what_when_and_only_grows(access: Access, file: Path, wall: Wall) -> None:
    token, issued = access.issue("ada", days=1)
    wall.now += timedelta(hours=1)
    asyncio.run(access.enter(token, "GET /v1/me", lambda: None))
    lines = access.log(after=0, most=10)
    assert [each.number for each in lines] == [1, 2, 3]
    assert [each.what for each in lines] == ["user ada analyst", f"token {issued.id} for ada", "GET /v1/me"]
    assert (lines[2].user, lines[2].at) == ("ada", BEGAN + timedelta(hours=1))
    assert token not in str(lines)
    assert access.log(after=1, most=1) == lines[1:2]
    for statement in ("DELETE FROM log", "UPDATE log SET who = 'bob'"):
        with sqlite3.connect(file) as connection, pytest.raises(sqlite3.IntegrityError, match="only grows"):
            connection.execute(statement)
    assert access.log(after=0, most=10) == lines


def test_what_is_refused_is_not_in_the_log(access: Access) -> None:
    with pytest.raises(ParameterError):
        access.add_user("ada", "auditor")
    assert len(access.log(after=0, most=10)) == 1


def test_a_missing_file_is_not_made(file: Path) -> None:
    with pytest.raises(LedgerUnavailable):
        Access(file).tokens()
    assert not file.exists()


def test_those_who_come_together_share_a_flush_and_each_gets_their_own_outcome(access: Access) -> None:
    access.add_user("bob", "auditor")
    ada, bob = (access.issue(name, days=1)[0] for name in ("ada", "bob"))
    stranger, _ = fresh()
    first, gate = threading.Event(), threading.Event()
    batches: list[int] = []

    def counted(arrived: list[Any]) -> list[User | Exception]:
        batches.append(len(arrived))
        first.set()
        gate.wait()
        return access._entered(arrived)

    def refuse() -> None:
        raise ParameterError("token", "asks too often", "wait")

    def allow() -> None:
        return

    async def everybody() -> None:
        access._entering = Batches(counted)
        begun = asyncio.create_task(access.enter(ada, "GET /first", allow))
        await asyncio.to_thread(first.wait)
        coming = [(ada, allow), (bob, allow), (stranger, allow), (ada, refuse)]
        later = [asyncio.create_task(access.enter(token, "GET /second", each)) for token, each in coming]
        await asyncio.sleep(0)
        gate.set()
        assert (await begun).name == "ada"
        assert [(await each).name for each in later[:2]] == ["ada", "bob"]
        for refused, kind in zip(later[2:], (NotSignedIn, ParameterError), strict=True):
            with pytest.raises(kind):
                await refused

    asyncio.run(everybody())
    assert batches == [1, 4]
    said = [(each.user, each.what) for each in access.log(after=0, most=100) if each.what.startswith("GET")]
    assert sorted(said) == [("ada", "GET /first"), ("ada", "GET /second"), ("bob", "GET /second")]


def test_a_log_that_cannot_be_written_admits_nobody(access: Access, file: Path) -> None:
    token, _ = access.issue("ada", days=1)
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE log")
    with pytest.raises(LedgerUnavailable, match="users cannot be read"):
        asyncio.run(access.enter(token, "GET /v1/me", lambda: None))
    assert access.admit(token).name == "ada"
