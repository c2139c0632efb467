"""Spark for tests: skipped with a plain reason where it is missing; `.ci/run` installs it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from starling.engine.duck import Limits
from starling.engine.spark import Spark

QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -Xlog:disable"
)
"""Short runs: what the thorough compiler of Java would save, it costs several times. A third of a start would be the verification of
pyspark's own classes; Java's warning of that would stand in the command that Spark's launcher prints."""
LIMITS = Limits(memory=1 << 30, disk=None, threads=2, spill=None)


def needed() -> None:
    """Skip where Spark cannot run."""
    if find_spec("pyspark") is None:
        pytest.skip("no Spark: pip install '.[spark]'")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("no Java: install a Java runtime, 17 or later")


@contextmanager
def running(master: str | None = None, spill: Path | None = None) -> Iterator[Spark]:
    """Spark on this machine, or that of a master."""
    needed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", QUICK)
        with Spark(master, Limits(LIMITS.memory, None, 2, spill)) as spark:
            yield spark


_SHARED = ExitStack()
_started: list[Spark] = []


def shared() -> Spark:
    """Spark on this machine, for the files of tests that share it: to start one takes longer than what most of them do with it."""
    if not _started:
        _started.append(_SHARED.enter_context(running()))
    return _started[0]


def end_shared() -> None:
    """End the Spark that files share, if it runs."""
    _started.clear()
    _SHARED.close()
