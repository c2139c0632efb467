"""Opening a ledger: what is no ledger, or not this one, is refused in one sentence."""

import shutil
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError, PolicyRefused, StarlingError
from starling.ledger import keys
from starling.ledger.opening import create_ledger, open_ledger, read_ledger


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger's file."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    create_ledger(str(tmp_path / "ledger.sqlite")).close()
    return tmp_path / "ledger.sqlite"


def test_a_path_and_a_url_are_the_same_ledger(path: Path) -> None:
    assert open_ledger(str(path)).book.id == open_ledger(f"sqlite:///{path}").book.id


@pytest.mark.parametrize("url", ["mysql://x", "sqlite:///", ""])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(StarlingError):
        open_ledger(url)


def test_a_missing_ledger_is_not_made_and_a_present_one_not_made_anew(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StarlingError, match="ledger create"):
        open_ledger(str(tmp_path / "none.sqlite"))
    assert not (tmp_path / "none.sqlite").exists()
    before = path.read_bytes()
    with pytest.raises(StarlingError):
        create_ledger(str(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "empty", "text"])
def test_a_damaged_file_is_told_as_such(path: Path, damage: str) -> None:
    data = path.read_bytes()
    changed = {
        "truncated": data[: len(data) // 2],
        "overwritten": data[:100] + b"\xff" * 5000 + data[5100:],
        "empty": b"",
        "text": b"no ledger\n" * 100,
    }
    path.write_bytes(changed[damage])
    with pytest.raises(IntegrityError):
        open_ledger(str(path)).reading.verify()


def test_a_newer_version_is_refused(path: Path) -> None:
    ledger = open_ledger(str(path))
    ledger.book.store.atomically(lambda tx: tx.run("UPDATE about SET value = '99' WHERE key = 'version'"))
    with pytest.raises(IntegrityError, match="version"):
        open_ledger(str(path))


def test_another_key_and_no_key_are_refused_and_an_auditor_needs_none(path: Path, tmp_path: Path) -> None:
    shutil.move(tmp_path / "home" / "keys", tmp_path / "home" / "kept")
    with pytest.raises(ParameterError, match="keys new"):
        open_ledger(str(path))
    keys.make()
    with pytest.raises(IntegrityError, match="is signed by"):
        open_ledger(str(path))
    assert read_ledger(str(path)).reading.verify().head.seq == 1


def test_a_key_that_is_refused_leaves_no_file_in_the_way_of_the_next_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    keys.make()
    (tmp_path / "home" / "keys" / "custodian.key").chmod(0o644)
    with pytest.raises(PolicyRefused, match="open to other users"):
        create_ledger(str(tmp_path / "new.sqlite"))
    assert not (tmp_path / "new.sqlite").exists()
