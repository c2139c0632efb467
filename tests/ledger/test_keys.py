"""Keys are made once, kept from others, and sign what they sign."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError, PolicyRefused
from starling.ledger import keys
from starling.ledger.keys import Pin, Public


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_key_signs_one_message_and_no_other(home: Path) -> None:
    key = keys.make("ann")
    signature = key.sign(b"this")
    assert key.public.holds(b"this", signature)
    assert not key.public.holds(b"that", signature)
    assert not keys.make("bob").public.holds(b"this", signature)
    assert not key.public.holds(b"this", "no signature")
    assert keys.load("ann").public == key.public
    assert keys.names() == ["ann", "bob"]
    assert stat.S_IMODE((home / "keys" / "ann.key").stat().st_mode) == 0o600
    assert key.secret() not in repr(key)


def test_a_key_is_never_overwritten_and_a_missing_or_broken_one_is_told(home: Path) -> None:
    keys.make("ann")
    with pytest.raises(ParameterError, match="exists"):
        keys.make("ann")
    with pytest.raises(ParameterError, match="keys new"):
        keys.load("nobody")
    with pytest.raises(ParameterError):
        keys.load("../ann")
    (home / "keys" / "ann.key").write_text("not a key")
    with pytest.raises(IntegrityError):
        keys.load("ann")


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "00" * 31])
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Public.parse(text)


def test_a_fingerprint_has_128_bits_and_can_be_read_aloud() -> None:
    fingerprint = Public(bytes(32)).fingerprint
    assert [len(part) for part in fingerprint.split("-")] == [4] * 8


@pytest.mark.parametrize("given", [lambda key: key, lambda key: key.text, lambda key: key.fingerprint])
def test_a_key_is_pinned_by_itself_its_digits_or_its_fingerprint(given: Callable[[Public], str | Public]) -> None:
    key, other = Public(bytes(32)), Public(bytes(31) + b"\1")
    for said in (given(key), Pin.parse(given(key))):
        pin = Pin.parse(said)
        assert (pin.names(key), pin.names(other), pin.fingerprint) == (True, False, key.fingerprint)
    if isinstance(text := given(key), str):
        assert Pin.parse(f" {text.upper()}\n").names(key), "as it is copied from a page"
        assert Pin.parse(text.replace("-", "")).names(key)


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "00" * 31, "0000-0000-0000-0000", "00-" * 15 + "00", "0" * 31])
def test_what_pins_no_key_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="64 hexadecimal digits nor a fingerprint of 32"):
        Pin.parse(text)


@pytest.mark.parametrize(
    ("place", "mode"), [("keys/ann.key", 0o640), ("keys", 0o755), (".", 0o750), ("keys/ann.key", 0o604)]
)
def test_keys_that_others_may_read_are_refused(home: Path, place: str, mode: int) -> None:
    keys.make("ann")
    (home / place).chmod(mode)
    with pytest.raises(PolicyRefused, match=rf"is open to other users \(mode {mode:o}\).* chmod") as refused:
        keys.load("ann")
    assert refused.value.exit_code == 4
    (home / place).chmod(mode & 0o700)
    assert keys.load("ann").public.text


def test_a_home_that_is_open_gets_no_key(home: Path) -> None:
    home.mkdir(mode=0o755)
    with pytest.raises(PolicyRefused, match="is open to other users"):
        keys.make("ann")
    assert not list(home.rglob("*.key"))


def test_a_fresh_home_is_closed_whatever_the_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        keys.make("ann")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (home, home / "keys", home / "keys" / "ann.key")] == [
        0o700,
        0o700,
        0o600,
    ]
