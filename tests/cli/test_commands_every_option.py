"""Every option of every command is used by a test of its command, or is run here without it and with it.

A file of tests uses an option where it has the option and the last word of the command as words of their own. What the option does is for
that file to show. A new option without either fails.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.cli.genome_asking import QUESTIONS as QUESTION_COMMANDS
from tests import four_domains
from tests.conftest import ROOT

WRONG_KEY: Final = ["--key", "0" * 64]
RELEASE: Final = ["plan.toml", "--records", "records.csv", "--out", "new", "--unvalidated", "--yes"]
HERE: Final = {
    "tables init --title": (["--columns", "age:int:0..110", "--out", "new.toml"], ["--title", "Ages"]),
    "tables diff --confidence": (["out", "second"], ["--confidence", "0.5"]),
    "tables evaluate --engine": (["plan.toml", "--release", "out", "--persons", "records.csv"], ["--engine", "none"]),
    "tables export --structure": (
        ["out", "--format", "sdmx", "--out", "new.csv"],
        ["--structure", "OFFICE:SEX(1.0)"],
    ),
    "tables plot --most": (["out", "--out", "new"], ["--most", "2"]),
    "tables plot --table": (["out", "--out", "new"], ["--table", "t2"]),
    "tables release --analyst": (["plan.toml", "--persons", "records.csv", *RELEASE[3:]], ["--analyst", "zenobia"]),
    "tables release --names": (["plan.toml", "--persons", "records.csv", *RELEASE[3:]], ["--names", "names.txt"]),
    "groups evaluate --engine": (["plan.toml", "--release", "out", "--records", "records.csv"], ["--engine", "none"]),
    "groups generate --seed": (["plan.toml", "--out", "new"], ["--seed", "7"]),
    "groups plot --key": (["out", "--out", "new"], WRONG_KEY),
    "groups plot --outlines": (["out", "--out", "new"], ["--outlines", "outlines.geojson"]),
    "groups preview --seed": (["plan.toml"], ["--seed", "7"]),
    "groups preview --shares": (["plan.toml"], ["--shares", "shares.csv"]),
    "groups release --analyst": (RELEASE, ["--analyst", "zenobia"]),
    "groups validate --again": (["plan.toml", "--records", "records.csv"], ["--again"]),
    "groups validate --all": (["plan.toml", "--records", "wrong.csv"], ["--all"]),
    "places compare --key": (
        ["out", "out", "--slice", "January", "--other-slice", "February", "--rectangles", "rectangles.csv"],
        WRONG_KEY,
    ),
    "places count --key": (["out", "--slice", "January", "--rectangles", "rectangles.csv"], WRONG_KEY),
    "places evaluate --engine": (["plan.toml", "--release", "out", "--records", "records.csv"], ["--engine", "none"]),
    "places hotspots --key": (["out", "--slice", "January", "--k", "1"], WRONG_KEY),
    "places hotspots --side": (["out", "--slice", "January", "--k", "1"], ["--side", "2"]),
    "places means --key": (["out", "--rectangles", "rectangles.csv"], WRONG_KEY),
    "places plot --key": (["out", "--slice", "January", "--out", "new"], WRONG_KEY),
    "places plot --slice": (["out", "--slice", "January", "--out", "new"], ["--slice", "February"]),
    "places release --analyst": (RELEASE, ["--analyst", "zenobia"]),
    "places release --engine": (RELEASE, ["--engine", "none"]),
    "places validate --again": (["plan.toml", "--records", "records.csv"], ["--again"]),
}
"""Of an option a command line without it, and what is added."""
FAILS: Final = {"places means --key": 2, "groups validate --all": 65, "tables export --structure": 2}
"""Of a command line that does not succeed without the option its exit code."""


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
QUESTIONS: Final = {f"remote ask {name}": f"genome {name}" for name in QUESTION_COMMANDS}


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
    assert unused == HERE.keys()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_to_a_server_has_the_options_of_the_command_here(name: str) -> None:
    asked, here = (
        {option.opts[0]: option.to_info_dict() for option in COMMANDS[each].params if option.opts[0] != "--out"}
        for each in (name, QUESTIONS[name])
    )
    own = asked.keys() - {"--reason", "--request-id", "--key", "--yes", "dataset"}
    assert own
    assert {key: asked[key] for key in own} == {key: here[key] for key in own}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Plan, records and a release of each domain, and public files that options name."""
    folder = four_domains.write(tmp_path_factory.mktemp("worlds") / "worlds")
    for domain in ("tables", "groups", "places"):
        four_domains.release(folder, domain)
    four_domains.release(folder, "tables", "second")
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    features = [{"type": "Feature", "properties": {"region": name}, "geometry": square} for name in ("e1", "e2", "w1")]
    outlines = json.dumps({"type": "FeatureCollection", "features": features})
    (folder / "groups" / "outlines.geojson").write_text(outlines)
    (folder / "places" / "rectangles.csv").write_text("x0,y0,x1,y1\n0,0,2,2\n")
    (folder / "groups" / "shares.csv").write_text("size,share\n0,0.1\n1,0.2\n2,0.3\n3,0.3\n4,0.1\n")
    (folder / "groups" / "wrong.csv").write_text("person,group\n" + "".join(f"p{at},none-{at}\n" for at in range(40)))
    return folder


@pytest.mark.series(2)
@pytest.mark.parametrize("name", HERE)
def test_an_option_changes_what_its_command_does(
    name: str, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, added = HERE[name]
    *command, _ = name.split()
    results: list[object] = []
    for more in ([], added):
        folder = tmp_path / str(len(more))
        shutil.copytree(worlds / command[0], folder)
        monkeypatch.chdir(folder)
        result = CliRunner().invoke(main, [*command, *words, *more])
        assert more or result.exit_code == FAILS.get(name, 0), result.output
        assert not isinstance(result.exception, Exception)
        written = {file.name: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
        if command[1] == "release":  # Two differ by their noise; each has its ledger inside.
            results.append((result.exit_code, any(b"zenobia" in each for each in written.values())))
        else:
            results.append((result.output, written))
    assert results[0] != results[1]
