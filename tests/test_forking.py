"""A program that is forked ends as one that is started, and sees what it is given alone."""

import os
import signal
from importlib import import_module
from pathlib import Path

import pytest

from tests.forking import run
from tests.release.striking import Point


def code(text: str, **more: object) -> tuple[int, str, str]:
    done = run("tests.forking:python", text, **more)  # type: ignore[arg-type]
    return done.returncode, done.stdout, done.stderr


def test_its_ending_is_told() -> None:
    assert code("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)") == (3, "out\n", "err\n")
    assert code("pass") == (0, "", "")
    assert code("import os; os.kill(os.getpid(), 9)")[0] == -signal.SIGKILL
    failed = code("raise ValueError('x')")
    assert failed[0] == 1
    assert failed[2].endswith("ValueError: x\n")


def test_it_works_where_and_with_what_it_is_told_to(tmp_path: Path) -> None:
    shown = code(
        "import os; print(os.getcwd(), sorted(os.environ)); os.environ['C'] = ''", cwd=tmp_path, env={"A": "", "B": ""}
    )
    assert shown == (0, f"{tmp_path} ['A', 'B']\n", "")
    assert code("import os; print('C' in os.environ)")[1] == "False\n", "nothing stays"


def test_it_is_a_process_of_its_own_with_default_signals() -> None:
    assert int(code("import os; print(os.getppid())")[1]) != os.getpid(), "a child of the server"
    assert code("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")[0] == -signal.SIGTERM
    assert (
        "KeyboardInterrupt" in code("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)")[2]
    )


def test_nobody_types_into_it() -> None:
    assert code("import sys; print(repr(sys.stdin.read()))")[1] == "''\n"


def test_the_command_is_the_installed_one() -> None:
    done = run("tests.forking:starling_command", "--version")
    assert (done.returncode, done.stdout.startswith("starling ")) == (0, True)
    assert run("tests.forking:starling_command", "no-such-command").returncode == 2


@pytest.mark.parametrize("module", ["genome.dying", "genome.dying_scan", "tables.dying", "tables.dying_cross"])
def test_where_a_run_is_killed_is_there(module: str) -> None:
    points: dict[str, Point] = import_module(f"tests.{module}").POINTS
    for point, (owner, name, _) in points.items():
        assert callable(getattr(owner, name, None)), f"{point}: {name}"
