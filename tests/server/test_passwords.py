"""Passwords: kept as argon2id alone, checked with the same work and words whoever is named, and slow to guess."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.low_level import Type

from starling.errors import ParameterError
from starling.server import passwords
from starling.server.access import Access, NotSignedIn, SignInRefused
from starling.server.passwords import BURST_OF_NAME, LEAST, MOST, WAITING, Passwords, hashed
from starling.server.rates import TooOften
from tests.server.conftest import CHEAP

PASSWORD = "correct horse battery"


@pytest.fixture
def access(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Access:
    """Ada has a password, bob has none; what is hashed is hashed fast."""
    made = Access(tmp_path / "access.sqlite")
    made.create()
    for name in ("ada", "bob"):
        made.add_user(name, "analyst")
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)
    made.set_password("ada", hashed(PASSWORD))
    return made


def sign_in(access: Access, name: str, password: str) -> str:
    """The session of who gives this password."""
    return asyncio.run(Passwords(access).sign_in(name, password, "POST /v1/session", left=None))[0]


def test_what_is_kept_is_argon2id_with_the_memory_and_passes_that_owasp_asks_for() -> None:
    kept = hashed(PASSWORD)
    found = extract_parameters(kept)
    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (Type.ID, 19 * 1024, 2, 1)
    assert kept != hashed(PASSWORD), "each has a salt of its own"


@pytest.mark.parametrize(
    ("password", "problem"),
    [
        ("", "fewer"),
        ("a" * (LEAST - 1), "fewer"),
        ("a" * (MOST + 1), "more than"),
        ("\u00e9" * (MOST // 2 + 1), "more"),
    ],
    ids=["none", "short", "long", "long in bytes"],
)
def test_a_password_has_its_bounds(password: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem) as refused:
        hashed(password)
    assert not password or password not in str(refused.value)


def test_half_a_letter_is_no_password() -> None:
    with pytest.raises(ParameterError, match="no text"):
        hashed("\ud800" * LEAST)


def test_the_right_password_begins_a_session(access: Access) -> None:
    session = sign_in(access, "ada", PASSWORD)
    assert asyncio.run(access.enter(session, "GET /v1/me", lambda: None, session=True)).name == "ada"


def test_it_fits_however_a_keyboard_spells_a_letter(access: Access) -> None:
    access.set_password("bob", hashed("caf\u00e9 caf\u00e9 caf\u00e9"))
    assert sign_in(access, "bob", "cafe\u0301 cafe\u0301 cafe\u0301")


@pytest.mark.parametrize(
    ("name", "password"),
    [("ada", "wrong"), ("bob", PASSWORD), ("eve", PASSWORD), ("", ""), ("ada", PASSWORD.upper())],
)
def test_a_refusal_has_the_same_words_and_the_same_work_whoever_is_named(
    access: Access, monkeypatch: pytest.MonkeyPatch, name: str, password: str
) -> None:
    worked = []

    class Counted:
        def hash(self, text: bytes) -> str:
            worked.append(text)
            return CHEAP.hash(text)

        def verify(self, kept: str, text: bytes) -> bool:
            worked.append(text)
            return CHEAP.verify(kept, text)

    monkeypatch.setattr(passwords, "_HASHER", Counted())
    with pytest.raises(SignInRefused, match="password does not fit the name"):
        sign_in(access, name, password)
    assert len(worked) == 1


def test_the_log_names_whoever_is_known_and_nobody_else(access: Access) -> None:
    sign_in(access, "ada", PASSWORD)
    for name in ("ada", "my secret password", "command line"):
        with pytest.raises(SignInRefused):
            sign_in(access, name, "wrong")
    said = [(each.user, each.what) for each in access.log(after=3, most=10)]
    assert said == [
        ("ada", "POST /v1/session"),
        ("ada", "POST /v1/session refused"),
        ("nobody known", "POST /v1/session refused"),
        ("nobody known", "POST /v1/session refused"),
    ]


def test_the_file_holds_no_password(access: Access, tmp_path: Path) -> None:
    sign_in(access, "ada", PASSWORD)
    with pytest.raises(SignInRefused):
        sign_in(access, PASSWORD, PASSWORD)
    assert all(PASSWORD.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_another_password_or_none_is_refused_and_ends_the_sessions(access: Access) -> None:
    for change in (hashed("another horse battery"), None):
        access.set_password("ada", hashed(PASSWORD))
        session = sign_in(access, "ada", PASSWORD)
        token, _ = access.issue("ada", days=1)
        access.set_password("ada", change)
        with pytest.raises(NotSignedIn):
            asyncio.run(access.enter(session, "GET /v1/me", lambda: None, session=True))
        with pytest.raises(SignInRefused):
            sign_in(access, "ada", PASSWORD)
        assert access.admit(token).name == "ada", "tokens of programs are revoked by themselves"


def test_a_password_that_changes_while_it_is_checked_begins_nothing(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow:
        def verify(self, kept: str, text: bytes) -> bool:
            access.set_password("ada", CHEAP.hash(b"another horse battery"))
            return CHEAP.verify(kept, text)

    monkeypatch.setattr(passwords, "_HASHER", Slow())
    with pytest.raises(SignInRefused, match="was changed just now"):
        sign_in(access, "ada", PASSWORD)
    assert not [each for each in access.tokens() if each.session and not each.revoked]


def test_it_is_hashed_anew_when_the_parameters_have_changed(access: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    before = access.password("ada")
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    sign_in(access, "ada", PASSWORD)
    after = access.password("ada")
    assert before is not None
    assert after is not None
    assert (extract_parameters(before).memory_cost, extract_parameters(after).memory_cost) == (8, 16)
    sign_in(access, "ada", PASSWORD)
    assert access.password("ada") == after


def test_attack_guessing_one_name_is_slow_and_holds_up_no_other(access: Access) -> None:
    signing_in = Passwords(access)

    async def attack() -> list[TooOften]:
        refused = []
        for number in range(int(BURST_OF_NAME) + 5):
            try:
                await signing_in.sign_in("ada", f"guess {number}", "POST /v1/session", left=None)
            except TooOften as error:
                refused.append(error)
            except SignInRefused:
                continue
        with pytest.raises(SignInRefused):
            await signing_in.sign_in("bob", "guess", "POST /v1/session", left=None)
        return refused

    refused = asyncio.run(attack())
    assert len(refused) == 5
    assert 30 < refused[0].seconds <= 60
    assert len([each for each in access.log(after=0, most=100) if "refused" in each.what]) == BURST_OF_NAME + 1


def test_attack_guessing_many_names_is_bounded_in_all(access: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "BURST", 20.0)
    monkeypatch.setattr(passwords, "PER_SECOND", 0.001)
    signing_in = Passwords(access)

    async def attack() -> int:
        tried = 0
        for number in range(30):
            with suppress(TooOften):
                try:
                    await signing_in.sign_in(f"user{number}", "guess", "POST /v1/session", left=None)
                except SignInRefused:
                    tried += 1
        return tried

    assert asyncio.run(attack()) == 20


def test_attack_many_at_once_are_hashed_one_after_the_other_and_too_many_are_refused(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, running, most = threading.Event(), [0], [0]

    class Held:
        def hash(self, text: bytes) -> str:
            running[0] += 1
            most[0] = max(most[0], running[0])
            gate.wait()
            running[0] -= 1
            return CHEAP.hash(text)

    monkeypatch.setattr(passwords, "_HASHER", Held())
    signing_in = Passwords(access)

    async def attack() -> list[Any]:
        tries = [
            asyncio.create_task(signing_in.sign_in(f"user{number}", "guess", "POST /v1/session", left=None))
            for number in range(WAITING + 4)
        ]
        await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(*tries, return_exceptions=True)

    outcomes = [type(each) for each in asyncio.run(attack())]
    assert outcomes == [SignInRefused] * WAITING + [TooOften] * 4
    assert most == [1]
