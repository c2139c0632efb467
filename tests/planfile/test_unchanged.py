"""What was made of a file is kept as long as the file is the same, and of one that was changed just now nothing is kept."""

import os
import time
from pathlib import Path

import pytest

from starling.planfile import unchanged
from starling.planfile.unchanged import SETTLED, Unchanged


class Reader:
    """Reads files, and counts how often."""

    def __init__(self) -> None:
        self.kept = Unchanged[str]()
        self.times = 0

    def read(self, path: Path, *, keep: bool = True) -> str:
        def make() -> str:
            self.times += 1
            return path.read_text() if path.exists() else "nothing"

        return self.kept.value(path, make, lambda _: keep)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    later = time.time() + 10 * SETTLED
    monkeypatch.setattr("starling.planfile.unchanged.time.time", lambda: later)
    return Reader()


def test_a_file_that_stays_is_read_once(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    assert [reader.read(path) for _ in range(3)] == ["one"] * 3
    assert reader.times == 1


def test_a_file_that_changes_is_read_again_also_at_the_same_size_and_time(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    assert reader.read(path) == "one"
    before = path.stat()
    time.sleep(0.05)  # longer than the clock of files needs for a tick
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert reader.read(path) == "two"
    (tmp_path / "b").write_text("new")
    (tmp_path / "b").replace(path)
    assert reader.read(path) == "new"
    path.unlink()
    assert reader.read(path) == "nothing"


def test_nothing_is_kept_of_one_that_was_changed_just_now(tmp_path: Path) -> None:
    path, reader = tmp_path / "a", Reader()
    path.write_text("one")
    assert [reader.read(path) for _ in range(2)] == ["one"] * 2
    assert reader.times == 2


def test_nothing_is_kept_of_what_is_too_large_or_not_to_be_kept(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    reader.read(path, keep=False)
    monkeypatch.setattr(unchanged, "MOST_BYTES", 2)
    for _ in range(2):
        reader.read(path)
    assert reader.times == 3


def test_the_files_that_were_read_first_are_forgotten(reader: Reader, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text(path.name)
        reader.read(path)
    assert [reader.read(path) for path in reversed(paths)] == ["c", "b", "a"]
    assert reader.times == 4
