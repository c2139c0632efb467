"""Every option of every command is used by a test of its command, or is run here without it and with it.

A file of tests uses an option where it has the option and the last word of the command as words of their own. What the option does is for
that file to show. A new option without either fails.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.cli.genome_asking import ASKED
from tests.conftest import ROOT
from tests.genome import studies
from tests.groups import worlds
from tests.places import plans

HERE: Final = {
    "tables init --title": (["--columns", "age:int:0..110", "--out", "new.toml"], ["--title", "Ages"]),
    "genome preview --corr": (["plan.toml", "--question", "loc-block"], ["--corr", "dprime"]),
    "genome preview --longest": (["plan.toml", "--question", "loc-block"], ["--longest", "2"]),
    "groups validate --again": (["plan.toml", "--records", "records.csv"], ["--again"]),
    "places validate --again": (["plan.toml", "--records", "records.csv"], ["--again"]),
    "places generate --seed": (["--sigma", "25", "--points", "50", "--out", "new"], ["--seed", "7"]),
}
"""Of an option a command line without it, and what is added."""
NOT_SHOWN: Final = frozenset(
    (
        *("groups evaluate --engine", "groups generate --seed", "groups plot --key", "groups plot --outlines"),
        *(
            "groups release --analyst",
            "groups validate --all",
            "job --log",
            "places compare --key",
            "places count --key",
        ),
        *("places evaluate --engine", "places evaluate --seed", "places export --key", "places hotspots --key"),
        *("places hotspots --side", "places map --key", "places preview --seed", "places release --analyst"),
        *("places release --engine", "remote request --wait", "server log --most", "tables diff --confidence"),
        *(
            "tables evaluate --engine",
            "tables export --structure",
            "tables release --analyst",
            "tables release --names",
        ),
        *("groups preview --seed", "groups preview --shares"),
        *("web --log", "web --socket", "worker --log"),
    )
)
"""Options that no test of their command uses yet; those of another command with the same declaration may be."""


def commands(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that is no group, with its words."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        inner = command.get_command(context, word)
        assert inner is not None
        yield from commands(inner, f"{name} {word}".strip())


COMMANDS: Final = dict(commands(main))
QUESTIONS: Final = {f"remote ask {name}": f"genome {name}" for name in ASKED}


def options(command: click.Command) -> dict[str, set[str]]:
    """The names of each option, by the first, but for --json, which the root gives to all."""
    each = (option for option in command.params if isinstance(option, click.Option))
    return {option.opts[0]: {*option.opts, *option.secondary_opts} for option in each if option.opts[0] != "--json"}


def words_of_tests() -> dict[Path, set[str]]:
    here = Path(__file__).resolve()
    files = (file for file in sorted((ROOT / "tests").rglob("*.py")) if file != here)
    return {file: set(re.findall(r"(?<![\w-])-{0,2}[a-z][a-z0-9-]*(?![\w-])", file.read_text())) for file in files}


def test_every_option_is_used_by_a_test_of_its_command() -> None:
    files = words_of_tests()
    unused = set()
    for name, command in COMMANDS.items():
        if name in QUESTIONS:  # One function makes them all, and the test below compares their own options.
            needed, own = {"remote", "ask"}, {each: {each} for each in ("--reason", "--request-id", "--key")}
        else:
            *group, word = name.split()
            needed, own = {word, *group[:1]}, options(command)
        for option, names in own.items():
            if not any(needed <= words and names & words for words in files.values()):
                unused.add(f"{name} {option}")
    assert unused == HERE.keys() | NOT_SHOWN


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_to_a_server_has_the_options_of_the_command_here(name: str) -> None:
    asked, here = (
        {option.opts[0]: option.to_info_dict() for option in COMMANDS[each].params if option.opts[0] != "--out"}
        for each in (name, QUESTIONS[name])
    )
    own = asked.keys() - {"--reason", "--request-id", "--key", "--yes", "dataset"}
    assert own
    assert {key: asked[key] for key in own} == {key: here[key] for key in own}


@pytest.mark.parametrize("name", HERE)
def test_an_option_changes_what_its_command_does(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, added = HERE[name]
    *command, _ = name.split()
    results = []
    for more in ([], added):
        folder = tmp_path / str(len(more))
        folder.mkdir()
        monkeypatch.chdir(folder)
        match command[0]:
            case "genome":
                studies.plan_of(studies.a_study(), folder)
            case "groups":
                worlds.write_world(folder)
            case "places":
                plans.write_world(folder)
        result = CliRunner().invoke(main, [*command, *words, *more])
        assert more or result.exit_code == 0, result.output
        assert not isinstance(result.exception, Exception)
        written = {file.name: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
        results.append((result.output, written))
    assert results[0] != results[1]
