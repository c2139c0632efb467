"""The tests pass whatever they inherit from whoever starts them."""

import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT

IGNORING = """
import os, signal, sys
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, 32, 33}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.umask(0o077)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""What `nohup` and a script's background job do, and more: the program that it becomes inherits it."""


def under(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with these words, started by a parent that ignores and blocks every signal."""
    command = [sys.executable, "-c", IGNORING, *words]
    made = os.environ | {"COLUMNS": "20", "FORCE_COLOR": "1"}
    return subprocess.run(command, cwd=ROOT, env=made, capture_output=True, text=True, check=False)


def test_a_parent_that_ignores_signals_fails_no_test_of_signals() -> None:
    interrupting = "tests/engine/test_spill.py::test_nothing_stays_of_a_process_that_is_ended"
    result = under("-m", "pytest", "-n0", "-p", "no:cacheprovider", "--color=no", interrupting)
    assert result.returncode == 0, result.stdout
    assert "3 passed" in result.stdout


def test_children_of_tests_inherit_nothing() -> None:
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        assert signal.getsignal(number) is not signal.SIG_IGN
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    code = "import os; print(*(line for line in open('/proc/self/status') if line.startswith(('SigBlk', 'SigIgn', 'Umask'))), sep='')"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    said = dict(line.split(":\t") for line in shown.splitlines() if line)
    # The C library keeps two signals to itself, and ignores them in a program that it starts by posix_spawn.
    ignored = {number for number in signal.valid_signals() if int(said["SigIgn"], 16) >> (number - 1) & 1}
    assert ignored <= {signal.SIGPIPE, signal.SIGXFSZ}
    assert (int(said["SigBlk"], 16), said["Umask"]) == (0, "0022")


@pytest.mark.parametrize("name", ["COLUMNS", "NO_COLOR", "FORCE_COLOR"])
def test_no_wish_about_screens_reaches_a_test(name: str) -> None:
    assert name not in os.environ
