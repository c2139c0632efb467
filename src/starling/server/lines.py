"""A process that is sent lines and answers each by a line of JSON. It may die or go on for ever without harm to its parent."""

import fcntl
import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

MOST_BYTES: Final = 1 << 24
"""Of an answer."""
PREFIX: Final = "starling-process-"
"""Of the names of folders of such processes."""
AGE: Final = 60.0
"""Seconds before a folder without a lock is one that was left: its owner locks it as soon as it has made it."""


@cache
def remove_left(parent: str) -> None:
    """Remove the folders that owners left who were killed: those of this user whose lock neither an owner nor a process holds; once."""
    for folder in Path(parent).glob(f"{PREFIX}*"):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                status = os.fstat(handle)
                if status.st_uid == os.getuid() and time.time() - status.st_mtime > AGE:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


class LineProcess:
    """One of them, of a command and options of `subprocess.Popen`; started with its first line, and anew where it has died.

    Its temporary files lie in a folder of its own, which is removed when it ends, however it ends. Where this process is killed, the next
    one that starts such a process removes it, once both have let go of its lock.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._command = command
        self._options = options
        self._running: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._lock = -1
        self._answer = bytearray()

    def send(self, text: str) -> None:
        """Send a line; raises OSError where the process cannot be started."""
        if self._running is None or self._running.poll() is not None:
            self.end()
            remove_left(tempfile.gettempdir())
            self._folder = tempfile.mkdtemp(prefix=PREFIX)
            self._lock = os.open(self._folder, os.O_RDONLY)
            with suppress(OSError):
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            environment = {**self._options.get("env", os.environ), "TMPDIR": self._folder}
            options = {**self._options, "env": environment, "pass_fds": (self._lock,)}
            try:
                self._running = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options
                )
            except OSError:
                self.end()
                raise
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
            os.close(self._lock)
            self._folder = ""
