"""A file without a name: what is put there comes back, nobody finds it, and nothing of it stays."""

import gc
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from starling.engine.spill import Spill
from starling.errors import OutputError


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_numbers_come_back(tmp_path: Path) -> None:
    spill, rows = Spill(tmp_path), np.arange(-500, 500)
    places = [spill.append(rows[begin:stop]) for begin, stop in ((0, 0), (0, 7), (7, 1000))]
    assert places == [0, 0, 7]
    assert spill.read(3, 10).tolist() == list(range(-497, -487))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda place: int(spill.read(place, 1)[0]), range(1000))) == rows.tolist()
    assert spill.read(1000, 0).tolist() == []
    assert spill.append(rows[::2]) == 1000
    assert spill.read(1001, 1)[0] == -498


@pytest.mark.slow
def test_the_file_has_no_name_and_is_closed_with_its_holder(tmp_path: Path) -> None:
    gc.collect()  # what earlier tests left open
    before = open_files()
    spill = Spill(tmp_path)
    spill.append(np.arange(1000))
    assert not list(tmp_path.iterdir())
    assert open_files() == before + 1
    del spill
    gc.collect()
    assert open_files() == before


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_stays_of_a_process_that_is_ended(tmp_path: Path, end: signal.Signals) -> None:
    text = (
        "import sys, time, numpy, pathlib; from starling.engine.spill import Spill;"
        " spill = Spill(pathlib.Path(sys.argv[1])); spill.append(numpy.arange(9)); print('there', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", text, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(end)
    assert process.returncode
    assert not list(tmp_path.iterdir())


def test_only_so_much_is_taken(tmp_path: Path) -> None:
    spill = Spill(tmp_path, most=80)
    spill.append(np.arange(10))
    with pytest.raises(OutputError):
        spill.append(np.arange(1))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        Spill(tmp_path / "gone")


@pytest.mark.parametrize("call", ["pwrite", "pread"])
def test_a_disk_that_fails_is_told_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    spill = Spill(tmp_path)
    spill.append(np.arange(10))

    def failing(*_: object) -> int:
        raise OSError(28, "xyzzy")

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(OutputError) as told:
        spill.append(np.arange(10)) if call == "pwrite" else spill.read(0, 1)
    assert "xyzzy" not in f"{told.value} {told.value.__cause__}"


def test_a_file_that_was_cut(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    spill.append(np.arange(10))
    with pytest.raises(OutputError):
        spill.read(9, 2)


def test_short_writes_and_reads_are_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, read = os.pwrite, os.pread
    monkeypatch.setattr(os, "pwrite", lambda file, data, place: write(file, data[:13], place))
    monkeypatch.setattr(os, "pread", lambda file, length, place: read(file, min(length, 5), place))
    spill = Spill(tmp_path)
    spill.append(np.arange(40))
    assert spill.read(0, 40).tolist() == list(range(40))
