"""Files that may come from anybody are opened where they are regular and no longer than they may be; nothing is waited for."""

import errno
import os
import socket
from pathlib import Path

import pytest

from starling.planfile.foreign import content, opened


def test_a_regular_file_is_read_up_to_its_longest(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert content(tmp_path / "a", 5) == b"12345"
    (tmp_path / "link").symlink_to("a")
    with opened(tmp_path / "link", 5) as file:
        assert file.read() == b"12345"
    with pytest.raises(OSError, match="Longer than 4 bytes"):
        opened(tmp_path / "a", 4)


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/zero")):
            with pytest.raises(OSError, match="Not a regular file"):
                opened(path, 5)
    with pytest.raises(IsADirectoryError):
        opened(tmp_path, 5)
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "nothing", 5)


def test_a_sparse_file_is_no_longer_than_it_says(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(200 << 30)
    with pytest.raises(OSError, match="Longer than") as refused:
        content(tmp_path / "sparse", 1 << 20)
    assert refused.value.errno == errno.EFBIG


def test_a_file_that_grows_or_is_exchanged_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, plain = tmp_path / "a", os.open
    path.write_bytes(b"1")

    def exchanged(*arguments: object) -> int:
        path.unlink()
        os.mkfifo(path)
        return plain(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", exchanged)
    with pytest.raises(OSError, match="Not a regular file"):
        opened(path, 5)
