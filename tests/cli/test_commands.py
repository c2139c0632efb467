"""However a command ends: the exit code of the house, sentences on stderr, one JSON document, never a stack trace."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from starling import errors
from starling.cli import main
from starling.cli.commands import Group, Root
from tests.cli.failing import root
from tests.conftest import ROOT

HEAVY = {
    "numpy",
    "pyarrow",
    "duckdb",
    "numba",
    "rich",
    "matplotlib",
    "jinja2",
    "cryptography",
    "flint",
    "dp_accounting",
}
CODES = {
    "ParameterError": 2,
    "BudgetRefused": 3,
    "PolicyRefused": 4,
    "BoundaryError": 4,
    "IntegrityError": 5,
    "RequestConflict": 6,
    "PlanError": 65,
    "SourceError": 65,
    "RecordsInvalid": 65,
    "OutputError": 74,
    "RunFailed": 75,
}
"""Of the specification."""


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def run(*words: str) -> Result:
    return CliRunner().invoke(root, words)


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_every_error_has_its_exit_code_and_says_what_to_do(kind: str, code: int) -> None:
    result = run("end", kind)
    assert result.exit_code == code
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert all(line.startswith("starling: ") for line in lines)
    assert "Traceback" not in result.stderr
    if kind != "RunFailed":
        assert lines[0] == "starling: a.txt:1: field1 is wrong; correct it"
        (more,) = lines[20:]
        assert more.split(": --all")[0] == "starling: and 5 more", "the first 20 are shown"


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_errors_for_machines_have_one_shape(kind: str, code: int) -> None:
    result = run("end", kind, "--json")
    assert result.exit_code == code
    error = json.loads(result.stdout)["error"]
    assert error["kind"] == kind
    assert error["exit_code"] == code
    assert all(set(each) == {"file", "line", "field", "problem", "fix"} for each in error["problems"])
    count = {"RunFailed": 1, "RecordsInvalid": 20}.get(kind, 25)
    assert len(error["problems"]) == count, "all that it was given, not only those shown"
    assert result.stderr.startswith("starling: ")


@pytest.mark.parametrize(
    ("how", "code", "says"),
    [
        ("interrupt", 130, "run was stopped"),
        ("fault", 70, "stopped by a fault of Starling's own"),
        ("memory", 70, "stopped by a fault of Starling's own"),
        ("other", 70, "stopped by a fault of Starling's own"),
        ("full", 74, "the disk is full or fails"),
        ("device", 74, "the disk is full or fails"),
    ],
)
def test_what_nobody_foresaw_is_one_sentence(how: str, code: int, says: str) -> None:
    for json_option in ((), ("--json",)):
        result = run("end", how, *json_option)
        assert result.exit_code == code
        assert says in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
        assert "nobody may see" not in result.output
        assert not json_option or json.loads(result.stdout)["error"]["exit_code"] == code


def test_success_returns_zero() -> None:
    assert (run("well").exit_code, run("well").stdout) == (0, "well None\n")
    assert run("inner", "well", "--colour", "x").stdout == "well x\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["wel"], "No such command 'wel'. Did you mean 'well'?; see starling --help"),
        (["inner", "wlel"], "Did you mean 'well'?; see starling inner --help"),
        (["zzzzz"], "No such command 'zzzzz'"),
        (["well", "--color", "x"], "Did you mean '--colour'?; see starling well --help"),
        (["end"], "Missing argument 'HOW'"),
        (["well", "more"], "unexpected extra argument"),
    ],
)
def test_misuse_is_answered_with_what_was_meant(words: list[str], says: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("words", [[], ["inner"]])
def test_a_group_alone_shows_its_help(words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("Example:")


def test_a_terminated_run_ends_quietly() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tests.cli.failing", "end", "terminate"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (143, "ready\n")
    assert (
        result.stderr == "starling: run was stopped; start it again, unless its output is there, which is whole then\n"
    )


WHERE = {
    "while it works": 130,
    "while it prints": 0,
    "when it has printed": 0,
    "when Python ends": 0,
    "when modules are taken down": 0,
}


@pytest.mark.parametrize(("where", "code"), WHERE.items())
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_run_that_is_done_says_so_whatever_signal_comes(where: str, code: int, number: signal.Signals) -> None:
    """Each moment in a process of its own, as Python hands signals back to the system when it ends."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.cli.failing", "signalled", where, str(int(number))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == (code and 128 + number), result.stderr
    assert result.stdout == ("" if code else "done\n")
    assert result.stderr.startswith("starling: run was stopped") is bool(code)
    assert "Traceback" not in result.stderr


def test_a_second_signal_ends_what_is_still_written() -> None:
    words = [sys.executable, "-m", "tests.cli.failing", "signalled", "twice while it prints", "2"]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (130, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_said(unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "tests.cli.failing", "well"],
            cwd=ROOT,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 74
    assert "the disk is full or fails" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_reader_that_leaves_early_is_no_error_to_talk_about() -> None:
    script = f"{sys.executable} -m tests.cli.failing well | true"
    result = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stderr == ""


def commands(group: Group, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below a group, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, Group):
            yield from commands(command, (*path, name))


EVERY = [((), main), *commands(main, ())]


@pytest.mark.parametrize(
    ("words", "command"), EVERY, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_help_starts_with_an_example_of_the_command(words: tuple[str, ...], command: Any) -> None:
    shown = CliRunner().invoke(main, [*words, "--help"])
    assert shown.exit_code == 0
    lines = command.example.splitlines()
    first, *example, empty = shown.stdout.splitlines()[: len(lines) + 2]
    assert first == "Example:"
    assert [line.strip() for line in example] == lines
    assert lines[-1].startswith(" ".join(("starling", *words)))
    assert empty == ""
    assert command.help
    listed = shown.stdout.partition("Commands:")[2]
    assert not any(line.endswith("...") for line in listed.splitlines()), "a sentence is cut"
    for option in (each for each in command.params if isinstance(each, click.Option)):
        assert option.help
        assert "INTEGER" not in str(option.metavar or option.type.name.upper()), f"{option.name} takes N"


@pytest.mark.series(2)
@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["tables", "--help"],
        ["tables", "release", "--help"],
        ["genome", "--help"],
        ["genome", "preview", "--help"],
        ["genome", "explore", "--help"],
        ["demo", "--help"],
    ],
)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys\nfrom starling.cli import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit:\n    pass\nprint('\\n' + ' '.join(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in shown.stdout.splitlines()[-1].split()}
    assert "click" in loaded
    assert not loaded & HEAVY


def test_version() -> None:
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.stdout.startswith("starling ")
    assert shown.exit_code == 0


def test_the_exit_codes_of_the_specification_are_the_classes() -> None:
    assert {name: getattr(errors, name).exit_code for name in CODES} == CODES
    assert isinstance(main, Root)
