"""Where an unpublished draw lies is remembered by its request, and nothing else is."""

from pathlib import Path

import pytest

from starling.release.commitment import forget, remember, remembered


def test_what_is_remembered_is_found_until_it_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    assert remembered("ledger ann r-1") is None
    forget("ledger ann r-1")
    remember("ledger ann r-1", tmp_path / ".out.partial-a")
    remember("ledger ann r-1", tmp_path / ".ö.partial-b")
    assert remembered("ledger ann r-1") == tmp_path / ".ö.partial-b"
    assert remembered("ledger ann r-2") is None
    # Neither who asked nor for what can be read from the name of the note, and nobody else may look.
    (note,) = (tmp_path / "home" / "draws").iterdir()
    assert "ann" not in note.name
    assert (tmp_path / "home" / "draws").stat().st_mode & 0o077 == 0
    forget("ledger ann r-1")
    assert remembered("ledger ann r-1") is None
