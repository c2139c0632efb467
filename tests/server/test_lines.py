"""A process answers each line once, is started anew where it has died, and is ended with whatever it is at."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from starling.server.lines import AGE, MOST_BYTES, PREFIX, LineProcess, remove_left

ECHO = "import sys\nfor line in sys.stdin: print('[', line.strip(), ']', flush=True)"
SILENT = "import sys\nfor line in sys.stdin: continue"


def command(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_each_line_is_answered_and_one_that_died_is_started_anew() -> None:
    process = LineProcess(command(ECHO))
    for number in (1, 2):
        process.send(str(number))
        assert process.answer(60) == [number]
    assert process._running is not None
    process._running.kill()
    assert process.code() == -9
    process.send("3")
    assert process.answer(60) == [3]
    process.end()
    process.send("4")
    assert process.answer(60) == [4]
    process.end()


def test_what_does_not_come_in_time_is_none_nor_half_of_it() -> None:
    silent = LineProcess(command(SILENT))
    silent.send("1")
    assert silent.answer(0) is None
    silent.end()
    late = LineProcess(command("import sys; input(); print('[1', end='', flush=True); sys.stdin.read()"))
    late.send("1")
    while not late._answer:
        assert late.answer(0.01) is None
    late.end()


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("raise SystemExit", EOFError),
        ("input(); print('{', end='')", EOFError),
        ("input(); print('nonsense')", ValueError),
        (f"input(); print('[' + '1' * {MOST_BYTES + 1}, flush=True); input()", ValueError),
    ],
    ids=["ends", "ends within a line", "nonsense", "too long"],
)
def test_what_is_no_answer_is_refused(code: str, error: type[Exception]) -> None:
    process = LineProcess(command(code))
    process.send("1")
    with pytest.raises(error):
        process.answer(60)
    process.end()


def test_one_that_cannot_be_started_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(OSError, match="no/such"):
        LineProcess(("/no/such/program",)).send("1")
    assert not [*tmp_path.iterdir()]


def ended(process: LineProcess) -> None:
    process.end()


def killed(process: LineProcess) -> None:
    assert process._running is not None
    process._running.kill()
    process.code()
    process.send("1")
    process.end()


@pytest.mark.parametrize("ends", [ended, killed], ids=["ended", "killed by another"])
def test_its_temporary_files_end_with_it(
    ends: Callable[[LineProcess], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed removes nothing itself; and it may be told of an environment that names no such folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    writes = "import json, sys, tempfile\nfor line in sys.stdin: print(json.dumps(tempfile.mkdtemp()), flush=True)"
    process = LineProcess(command(writes), env={})
    process.send("1")
    assert Path(process.answer(60)).is_relative_to(tmp_path)
    assert [*tmp_path.iterdir()]
    ends(process)
    assert not [*tmp_path.iterdir()]


def grown_old(folder: Path) -> None:
    os.utime(folder, (time.time() - 2 * AGE,) * 2)


def test_what_nobody_holds_is_removed_by_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what a process has, nor what was made just now, nor what others call so."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    running = LineProcess(command(SILENT))
    running.send("1")
    (held,) = tmp_path.iterdir()
    left, young, linked, other = (tmp_path / f"{PREFIX}{name}" for name in ("left", "young", "linked", "other"))
    for folder in (left, young):
        (folder / "within").mkdir(parents=True)
    linked.symlink_to(tmp_path.parent)
    other.write_text("a file")
    for each in (held, left, other):
        grown_old(each)
    remove_left.__wrapped__(str(tmp_path))
    assert {*tmp_path.iterdir()} == {held, young, linked, other}
    running.end()
    assert not held.exists()


@pytest.mark.slow
def test_the_folder_of_one_whose_owner_is_killed_is_removed_later(tmp_path: Path) -> None:
    """Once it has ended, too: until then it holds the lock that its owner handed on."""
    waits = "import sys, time; sys.stdin.read(); time.sleep(600)"
    code = (
        "import os, sys\nfrom starling.server.lines import LineProcess\n"
        f"process = LineProcess((sys.executable, '-c', {waits!r}), start_new_session=True, stderr={subprocess.DEVNULL})\n"
        "process.send('1')\nprint(process._running.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    owner = subprocess.run(command(code), env=environment, capture_output=True, check=False)
    assert owner.returncode == -signal.SIGKILL
    (folder,) = tmp_path.iterdir()
    grown_old(folder)
    remove_left.__wrapped__(str(tmp_path))
    assert folder.exists()
    os.kill(int(owner.stdout), signal.SIGKILL)
    until = time.monotonic() + 60
    while folder.exists() and time.monotonic() < until:
        remove_left.__wrapped__(str(tmp_path))
    assert not folder.exists()
