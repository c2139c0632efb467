"""tests/trace.toml says where each item of the checklist is shown: by a test, a command or a page. All of them must exist.

Whether a traced test was skipped is seen where `.ci/run` runs: .ci/no_skips.py reads the same file.
"""

import ast
import shlex
import tomllib
from pathlib import Path
from typing import TypedDict

import click
import pytest

from starling.cli import main
from tests.conftest import ROOT
from tests.test_docs import anchors
from tests.test_layout import never_runs

ROWS = range(1, 116)
"""Rows of the checklist: those of the tables domain, of the groups domain, of the places domain and of the genome domain."""


class Row(TypedDict, total=False):
    """One row: what it says, whether it holds, and where that is shown."""

    row: int
    item: str
    state: str
    issue: int
    tests: list[str]
    commands: list[str]
    pages: list[str]


TRACE: list[Row] = tomllib.loads((ROOT / "tests" / "trace.toml").read_text())["row"]


def ids_of(path: Path) -> dict[str, ast.FunctionDef]:
    """The tests of a file: `test_x`, or `TestY::test_x` inside a class."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for test in inside:
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
                found[prefix + test.name] = test
    return found


def problem_of_test(test: str) -> str:
    """What is wrong with the id of a test; empty where nothing is."""
    file, _, name = test.partition("::")
    path = ROOT / file
    if not path.is_file():
        return "no such file"
    found = ids_of(path).get(name)
    if found is None:
        return "no such test"
    return "never runs" if never_runs(found) else ""


def command_problem(line: str) -> str:
    """What is wrong with a command line, as far as its names of commands and options go."""
    program, *words = shlex.split(line)
    if program != "starling":
        return "not a starling command"
    command: click.Command = main
    context = click.Context(command)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        below = command.get_command(context, words[0])
        if below is None:
            return f"no command {words[0]}"
        command, words = below, words[1:]
    known = {option for parameter in command.get_params(context) for option in parameter.opts}
    unknown = [word for word in words if word.startswith("--") and word.split("=")[0] not in known]
    return f"no option {unknown}" if unknown else ""


def page_problem(link: str) -> str:
    """What is wrong with a page of the documentation and its anchor."""
    file, _, anchor = link.partition("#")
    page = ROOT / file
    if not page.is_file():
        return "no such page"
    return "no such heading" if anchor and anchor not in anchors(page) else ""


@pytest.mark.parametrize("row", TRACE, ids=lambda row: str(row["row"]))
def test_row_is_shown_where_it_says(row: Row) -> None:
    shown = {
        **{test: problem_of_test(test) for test in row.get("tests", [])},
        **{line: command_problem(line) for line in row.get("commands", [])},
        **{link: page_problem(link) for link in row.get("pages", [])},
    }
    assert shown or row["state"] == "open", "a row that holds names where"
    assert not {name: problem for name, problem in shown.items() if problem}


def test_every_row_is_there_once_in_order() -> None:
    assert [row["row"] for row in TRACE] == [*ROWS]


def test_states_are_known_and_open_rows_name_their_issue() -> None:
    assert {row["state"] for row in TRACE} <= {"holds", "open"}
    assert not [row["row"] for row in TRACE if row["state"] == "open" and "issue" not in row]


@pytest.mark.parametrize(
    "test", ["tests/test_gone.py::test_x", "tests/test_trace.py::test_gone", "tests/test_trace.py"]
)
def test_a_missing_test_is_caught(test: str) -> None:
    assert problem_of_test(test)


def test_a_test_that_never_runs_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_trace.ROOT", tmp_path)
    (tmp_path / "test_p.py").write_text("@pytest.mark.skip\ndef test_x():\n    f()\n")
    assert problem_of_test("test_p.py::test_x") == "never runs"


@pytest.mark.parametrize("line", ["starling no-such-command", "starling --no-such-option", "ls"])
def test_a_missing_command_is_caught(line: str) -> None:
    assert command_problem(line)


@pytest.mark.parametrize("link", ["docs/gone.md", "docs/index.md#gone"])
def test_a_missing_page_is_caught(link: str) -> None:
    assert page_problem(link)
