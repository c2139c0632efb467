"""Run `starling` in a terminal of its own and answer its questions: python -m tests.cli.in_terminal ANSWER WORDS..."""

import os
import pty
import re
import sys

from starling.cli import main

QUESTION = re.compile(rb"\[y/N\]|(?:password|again): ")


def talk(answer: str, words: list[str]) -> int:
    """Everything that the command shows goes to stdout; its exit code comes back."""
    child, terminal = pty.fork()
    if child == 0:
        main(words)
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


if __name__ == "__main__":
    sys.exit(talk(sys.argv[1], sys.argv[2:]))
