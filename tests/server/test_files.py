"""Several processes write one file at the same time: it is whole, and each writer hears what is true."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from starling.errors import OutputError, ParameterError
from starling.server import files


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Lets another writer write all of its file while the next one is at its own."""

    def begin(other: Callable[[], None]) -> None:
        plain = os.fsync

        def fsync(descriptor: int) -> None:
            monkeypatch.setattr(os, "fsync", plain)
            other()
            plain(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)

    return begin


def test_one_of_two_writes_a_new_file(tmp_path: Path, meanwhile: Callable[[Callable[[], None]], None]) -> None:
    path = tmp_path / "data.json"
    meanwhile(lambda: files.write_new(path, "second"))
    with pytest.raises(ParameterError, match="data is taken"):
        files.write_new(path, "first")
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"data.json": "second"}


def test_the_last_of_two_stands_where_a_file_is_replaced(
    tmp_path: Path, meanwhile: Callable[[Callable[[], None]], None]
) -> None:
    path = tmp_path / "data.json"
    meanwhile(lambda: files.write(path, "second"))
    files.write(path, "first")
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"data.json": "first"}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("write", [files.write, files.write_new])
def test_what_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, str], None]
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="cannot be written"):
        write(tmp_path / "data.json", "text")
    assert not list(tmp_path.iterdir())
    with pytest.raises(OutputError, match="cannot be written"):
        write(tmp_path / "missing" / "data.json", "text")
