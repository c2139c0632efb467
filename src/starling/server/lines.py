"""A process that is sent lines and answers each by a line of JSON. It may die or go on for ever without harm to its parent."""

import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

MOST_BYTES: Final = 1 << 24
"""Of an answer."""


class LineProcess:
    """One of them, of a command and options of `subprocess.Popen`; started with its first line, and anew where it has died.

    Its temporary files lie in a folder of its own, which is removed when it ends, however it ends.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._command = command
        self._options = options
        self._running: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._answer = bytearray()

    def send(self, text: str) -> None:
        """Send a line; raises OSError where the process cannot be started."""
        if self._running is None or self._running.poll() is not None:
            self.end()
            self._folder = tempfile.mkdtemp(prefix="starling-")
            environment = {**self._options.get("env", os.environ), "TMPDIR": self._folder}
            options = {**self._options, "env": environment}
            self._running = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        assert self._running.stdin is not None
        self._answer.clear()
        with suppress(OSError):
            # Where it has died, its output ends, too.
            self._running.stdin.write(f"{text}\n".encode())
            self._running.stdin.flush()

    def answer(self, seconds: float) -> Any:
        """What it answers to the line; None where nothing whole came in so many seconds.

        Raises:
            EOFError: its output has ended.
            ValueError: what it answers is no JSON, or too long.
        """
        assert self._running is not None
        assert self._running.stdout is not None
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._running.stdout, selectors.EVENT_READ)
            while not self._answer.endswith(b"\n"):
                if len(self._answer) > MOST_BYTES:
                    raise ValueError
                if not selector.select(max(0, until - time.monotonic())):
                    return None
                part = os.read(self._running.stdout.fileno(), 1 << 16)
                if not part:
                    raise EOFError
                self._answer += part
        return json.loads(self._answer)

    def code(self) -> int:
        """How it ended, once its output has; waits for that."""
        assert self._running is not None
        return self._running.wait()

    def interrupt(self) -> None:
        """Kill it; from another thread than the one that waits for its answer, which sees that its output has ended."""
        if (running := self._running) is not None:
            running.kill()

    def end(self) -> None:
        """End it."""
        if self._running is not None:
            self._running.kill()
            self._running.communicate()
            self._running = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""
