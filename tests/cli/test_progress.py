"""Progress speaks of public steps, in a terminal alone, on stderr."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from starling.cli.progress import KERNELS, NOTE, compiled, note_first_compilation, steps
from tests.conftest import ROOT

CODE = """
import sys
from starling.cli.progress import steps
with steps() as step:
    step("first step")
    step("second step")
print("data")
"""


def test_without_a_terminal_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with steps() as step:
        step("a step")
    assert capsys.readouterr() == ("", "")


def in_terminal(environment: dict[str, str]) -> tuple[str, str]:
    """What CODE prints to stdout, a pipe, and to stderr, a terminal."""
    ours, theirs = pty.openpty()
    made = subprocess.run(
        [sys.executable, "-c", CODE], cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True,
        env=os.environ | {"TERM": "xterm-256color"} | environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    return made.stdout, shown.decode()


def test_in_a_terminal_steps_are_ticked_off_on_stderr() -> None:
    data, shown = in_terminal({})
    assert data == "data\n"
    assert "\x1b[32m✓" in shown
    assert shown.index("first step") < shown.index("second step")


def test_no_color_is_obeyed() -> None:
    _, shown = in_terminal({"NO_COLOR": "1"})
    assert "✓ first step" in shown
    assert "\x1b[32m" not in shown


def test_the_note_is_shown_until_kernels_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not compiled("tables")
    note_first_compilation("tables")
    assert capsys.readouterr() == ("", NOTE + "\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kernel.nbi").touch()
    assert compiled("tables")
    note_first_compilation("tables")
    assert capsys.readouterr() == ("", "")


def test_folders_with_kernels_exist_and_no_other_has_some() -> None:
    source = ROOT / "src" / "starling"
    users = {
        path.parent.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "njit" in (text := path.read_text()) or "@compiled" in text
    }
    assert {folder for folders in KERNELS.values() for folder in folders} <= users
