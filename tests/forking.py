"""Programs in processes of their own, forked from one that has imported everything: a second or two less for each than a start.

`run` is for tests of what a program does and how it ends. That the installed command starts, and what it imports, is tested by
starting it.
"""

import atexit
import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Never

import starling
from tests.conftest import ROOT

LATE = (
    "dp_accounting.pld.privacy_loss_distribution", "duckdb", "jinja2.ext", "matplotlib.backends.backend_svg",
    "matplotlib.figure", "msprime", "pandas", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "rich.console",
)  # fmt: skip
"""What Starling imports where it needs it. None of them starts a thread by being imported that a fork could lose."""


def run(
    program: str, *words: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Call `program`, a function as module:name, in a process of its own.

    Args:
        program: Is called with the words; what it returns is the exit code.
        words: Of its command line.
        cwd: The folder it works in.
        env: All of its environment; this process's by default. What is read at import was read.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        asked = {
            "program": program,
            "words": [str(word) for word in words],
            "cwd": str(cwd),
            "env": dict(os.environ if env is None else env),
            "out": str(out),
            "err": str(err),
        }
        code = _server()(asked)
        # As a pipe in text mode gives them.
        return subprocess.CompletedProcess([program, *asked["words"]], code, out.read_text(), err.read_text())


def starling_command(*words: str) -> None:
    """The command `starling`."""
    from starling.cli import main

    sys.argv = ["starling", *words]
    main()


def python(code: str) -> None:
    """Python with `-c`."""
    exec(code, {"__name__": "__main__"})


@cache
def _server() -> Callable[[dict[str, Any]], int]:
    """Start it; gives a function that asks it for a process and waits for the exit code."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.forking", str(theirs.fileno())]
    process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    talk = ours.makefile("rw", encoding="utf-8")

    def ask(asked: dict[str, Any]) -> int:
        talk.write(json.dumps(asked) + "\n")
        talk.flush()
        return int(talk.readline())

    def end() -> None:
        talk.close()
        ours.close()
        process.wait()

    atexit.register(end)
    return ask


def _serve(connection: socket.socket) -> None:
    """Fork a process for each line that comes."""
    talk = connection.makefile("rw", encoding="utf-8")
    for line in talk:
        child = os.fork()
        if child == 0:
            connection.detach()
            _become(json.loads(line))
        talk.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        talk.flush()


def _become(asked: dict[str, Any]) -> Never:
    """Turn this process into the one that is asked for; it ends as every program does."""
    for number, name in ((1, asked["out"]), (2, asked["err"])):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    module, _, name = asked["program"].partition(":")
    sys.exit(getattr(import_module(module), name)(*asked["words"]))


def _import_everything() -> None:
    for module in pkgutil.walk_packages(starling.__path__, "starling."):
        import_module(module.name)
    for name in LATE:
        if find_spec(name.partition(".")[0]):
            import_module(name)


if __name__ == "__main__":
    _import_everything()
    # No process searches what was imported for garbage, at its end above all.
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
