"""Whole processes: how long they take, and the most memory they hold."""

import os
import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Final

STARLING: Final = Path(sys.executable).with_name("starling")
"""The command of the environment that the benchmark runs in."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a process took.

    Attributes:
        seconds: Wall clock, from its start to its end.
        cpu_seconds: Of all cores.
        peak_gb: The most memory it held (resident set), in 10^9 bytes.
        output: What it wrote on standard output.
    """

    seconds: float
    cpu_seconds: float
    peak_gb: float
    output: str


LAUNCHER: Final = """
import os, sys, time
os.set_inheritable(int(sys.argv[1]), False)
began = time.perf_counter()
process = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(process, 0)
figures = time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status)
os.write(int(sys.argv[1]), repr(figures).encode())
"""
"""Linux counts the memory of whatever starts a process as memory of that process: so a small one starts it."""
CONSISTENT: Final = 7
"""How `starling verify` ends where nothing is wrong, and the key and the ledger were not named."""


def run(
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    *,
    right: int = 0,
) -> Run:
    """Run a command to its end; raises RuntimeError with what it said where it ends with another code than `right`.

    Bytecode may be kept, whatever the caller's settings: an installed package has it.
    """
    settings = {**os.environ, **(environment or {})}
    settings.pop("PYTHONDONTWRITEBYTECODE", None)
    with TemporaryDirectory() as scratch:
        said, wrong = Path(scratch, "out"), Path(scratch, "err")
        with said.open("wb") as out, wrong.open("wb") as err, TemporaryFile() as figures:
            subprocess.run(
                [sys.executable, "-I", "-S", "-c", LAUNCHER, str(figures.fileno()), *command],
                env=settings,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=(figures.fileno(),),
                check=False,
            )
            figures.seek(0)
            measured = figures.read()
        if not measured:
            raise RuntimeError(f"{Path(command[0]).name} did not start: {wrong.read_text()}")
        seconds, cpu_seconds, peak, code = literal_eval(measured.decode())
        if code != right:
            raise RuntimeError(f"{Path(command[0]).name} ended with {code}: {wrong.read_text()}")
        # Linux counts ru_maxrss in units of 1024 bytes.
        return Run(seconds, cpu_seconds, peak * 1024 / 1e9, said.read_text())


@contextmanager
def nothing_kept() -> Iterator[dict[str, str]]:
    """Settings under which a process finds no compiled kernel and no font list of earlier runs, as after an install."""
    with TemporaryDirectory() as fresh:
        yield dict.fromkeys(("NUMBA_CACHE_DIR", "MPLCONFIGDIR", "XDG_CACHE_HOME"), fresh)


def forget(file: Path) -> None:
    """Ask the system to drop a file from memory, so that the next one to read it goes to the disk."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
