"""Run `starling` in a terminal of its own, forked from a process that has imported everything, and answer its questions."""

import os
import pty
import re
import subprocess
import sys

from starling.cli import main
from tests.forking import run

QUESTION = re.compile(rb"\[y/N\]|(?:password|again): ")


def in_terminal(answer: str, *words: object) -> "subprocess.CompletedProcess[str]":
    """The command's exit code; all that it showed is its stdout."""
    return run("tests.cli.in_terminal:talk", answer, *words)


def talk(answer: str, *words: str) -> int:
    """Everything that the command shows goes to stdout; its exit code comes back."""
    child, terminal = pty.fork()
    if child == 0:
        main(list(words))
    shown = b""
    answered = 0
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break  # the command has ended and its side of the terminal is closed
        shown += part
        if len(QUESTION.findall(shown)) > answered:
            os.write(terminal, answer.encode() + b"\n")
            answered += 1
    sys.stdout.write(shown.decode())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
