"""A process answers each line once, is started anew where it has died, and is ended with whatever it is at."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from starling.server.lines import MOST_BYTES, LineProcess

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


def test_one_that_cannot_be_started_is_an_error() -> None:
    with pytest.raises(OSError, match="no/such"):
        LineProcess(("/no/such/program",)).send("1")


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
