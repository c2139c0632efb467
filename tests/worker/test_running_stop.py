"""A worker is told to stop by signals, and by the end of its input when that is asked for."""

import os
import signal
import subprocess
import sys

import pytest

CODE = """
import sys
from starling.worker.running import stop_event
stop = stop_event(by_input={by_input})
print("ready", flush=True)
stop.wait()
"""


def started(*, by_input: bool) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.format(by_input=by_input)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.series(2)
@pytest.mark.parametrize("by_input", [False, True])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it(number: int, by_input: bool) -> None:
    process = started(by_input=by_input)
    os.kill(process.pid, number)
    process.communicate()
    assert process.returncode == 0


@pytest.mark.slow
def test_the_end_of_its_input_stops_it() -> None:
    process = started(by_input=True)
    assert process.stdin is not None
    process.stdin.write(b"words that nobody reads")
    process.communicate()
    assert process.returncode == 0
