"""Progress speaks of public steps, on stderr, and no command is silent while it works."""

import os
import pty
import subprocess
import sys
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Never

import pytest

from starling.cli import main
from starling.cli.progress import CACHED, NOT_CACHED, note_compilation, steps, until_deadline, working
from starling.privacy import compiling
from tests.cli.conftest import Call, Inputs
from tests.cli.test_commands import commands
from tests.conftest import ROOT
from tests.groups.worlds import write_world
from tests.places.plans import write_world as write_points

COUNTED = """
import time
from starling.cli.progress import until_deadline
with until_deadline() as show:
    show("release 7", 0.2)
    time.sleep(0.3)
    show("release 7", 0.4)
    time.sleep(0.2)
print("data")
"""

CODE = """
import sys
from starling.cli.progress import steps
with steps() as step:
    step("first step")
    step("second step")
print("data")
"""


def test_without_a_terminal_each_step_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with steps() as step:
        step("a step")
        assert capsys.readouterr() == ("", "... a step\n")
    working("another")
    assert capsys.readouterr() == ("", "... another\n")


def test_without_a_terminal_what_is_awaited_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with until_deadline() as show:
        assert capsys.readouterr() == ("", "")
        show("release 7", 5)
        show("release 7", 10)
    assert capsys.readouterr() == ("", "... release 7\n")


@pytest.mark.parametrize(("kept", "says"), [(True, CACHED), (False, NOT_CACHED)])
def test_compiling_is_noted_once_in_a_run(
    monkeypatch: pytest.MonkeyPatch, call: Call, inputs: Inputs, kept: bool, says: str
) -> None:
    def twice(*_: object, **__: object) -> Never:
        compiling.begins(cached=kept)
        compiling.begins(cached=kept)
        raise ValueError

    monkeypatch.setattr("starling.cli.commands.note_compilation", note_compilation)
    monkeypatch.setattr("starling.tables.publish.validate", twice)
    for _ in range(2):
        shown = call("tables", "validate", "demo", *inputs.options)
        assert shown.stderr.splitlines()[:-1] == ["... reading every record", f"... {says}"]


def test_a_run_that_has_ended_notes_nothing(capsys: pytest.CaptureFixture[str], call: Call) -> None:
    assert call("tables", "plan", "demo").exit_code == 0
    compiling.begins(cached=True)
    assert capsys.readouterr() == ("", "")


STUDY = ("{study}/plan.toml", "--genotypes", "{study}/study")
PAID = ("--out", "{out}", "--unvalidated", "--yes")
SIZES = ("{sizes}/plan.toml", "--records", "{sizes}/records.csv")
POINTS = ("{points}/plan.toml", "--records", "{points}/records.csv")
OPENING = "starling.verification:open_release"
LONG: dict[str, tuple[tuple[str, ...], str, str]] = {
    "demo": (("--out", "{out}"), "inventing", "starling.tables.generate:generate"),
    "tables preview": (("demo",), "how far", "starling.tables.preview:preview"),
    "tables init": (("--columns", "sex:F,M", "--out", "{out}.toml"), "how far", "starling.tables.preview:preview"),
    "tables generate": (
        ("demo", "--persons", "1000", "--out", "{out}"),
        "inventing persons",
        "starling.tables.generate:generate",
    ),
    "tables validate": (("demo", "{files}"), "every record", "starling.tables.publish:validate"),
    "tables release": (("demo", "{files}", *PAID), "geography", "starling.tables.publish:read_regions"),
    "tables evaluate": (
        ("demo", "--release", "{released}", "{files}"),
        "counting",
        "starling.tables.evaluate:evaluate",
    ),
    "tables diff": (("{released}", "{released}"), "comparing", "starling.tables.earlier.comparison:compare"),
    "genome generate": (
        ("--people", "10", "--snps", "5", "--out", "{out}"),
        "inventing a study",
        "starling.genome.generate:generate",
    ),
    "genome preview": (("{study}/plan.toml",), "how far", "starling.genome.preview.page:expected_errors"),
    "genome validate": (STUDY, "every genotype", "starling.genome.publish:validate"),
    "genome num-sig": ((*STUDY, "--epsilon", "1", *PAID), "checking", "starling.genome.publish:open_genotypes"),
    "genome loc-sig": ((*STUDY, "--epsilon", "1", *PAID), "checking", "starling.genome.publish:open_genotypes"),
    "genome loc-block": (
        (*STUDY, "--snp", "s10", "--epsilon", "1", *PAID),
        "checking",
        "starling.genome.publish:open_genotypes",
    ),
    "genome snp-pval": (
        (*STUDY, "--snp", "s10", "--epsilon", "1", *PAID),
        "checking",
        "starling.genome.publish:open_genotypes",
    ),
    "genome snp-corr": (
        (*STUDY, "--snp", "s10", "--snp", "s11", "--epsilon", "1", *PAID),
        "checking",
        "starling.genome.publish:open_genotypes",
    ),
    "genome snp-effects": (
        (*STUDY, "--snp", "s10", "--epsilon", "1", *PAID),
        "checking",
        "starling.genome.publication:mechanism_of",
    ),
    "genome explore-effects": (
        (*STUDY, "--epsilon", "1", *PAID),
        "checking",
        "starling.genome.publication:mechanism_of",
    ),
    "genome explore": ((*STUDY, "--epsilon", "4", *PAID), "checking", "starling.genome.publish:open_genotypes"),
    "genome scan": ((*STUDY, "--epsilon", "1", *PAID), "checking", "starling.genome.publication:mechanism_of"),
    "genome plot": (("{released}", "--out", "{out}"), "drawing", OPENING),
    "genome export": (
        ("{released}", "--format", "plink-assoc", "--out", "{out}"),
        "p-values",
        "starling.verification:open_release",
    ),
    "genome combine": (
        ("{released}", "{released}", "--out", "{out}"),
        "combining",
        "starling.verification:open_release",
    ),
    "groups preview": (("{sizes}/plan.toml",), "simulating", "starling.groups.preview:preview"),
    "groups generate": (("{sizes}/plan.toml", "--out", "{out}"), "inventing", "starling.groups.generate:world_of"),
    "groups validate": (SIZES, "every record", "starling.groups.source.validation:inspect"),
    "groups release": ((*SIZES, *PAID), "privacy", "starling.groups.publication:GroupsPublication.mechanism"),
    "groups evaluate": ((*SIZES, "--release", "{released}"), "counting", "starling.groups.evaluate:evaluate"),
    "groups plot": (("{released}", "--out", "{out}"), "drawing", "starling.verification:open_release"),
    "tables plot": (("{released}", "--out", "{out}"), "drawing", OPENING),
    "places plot": (("{released}", "--out", "{out}"), "drawing", OPENING),
    "places preview": (("{points}/plan.toml", "--expected", "9"), "simulating", "starling.places.preview:preview"),
    "places generate": (("--out", "{out}"), "inventing", "starling.places.generate.standing_in:new_folder"),
    "places validate": (POINTS, "every record", "starling.places.source.validation:inspect"),
    "places release": ((*POINTS, *PAID), "privacy", "starling.places.publication:PlacesPublication.mechanism"),
    "places evaluate": ((*POINTS, "--release", "{released}"), "counting", "starling.places.evaluate:evaluate"),
    "places count": (("{released}", "--rectangles", "{points}/rectangles.csv"), "checking", OPENING),
    "places means": (("{released}", "--rectangles", "{points}/rectangles.csv"), "checking", OPENING),
    "places compare": (("{released}", "{released}", "--rectangles", "{points}/rectangles.csv"), "checking", OPENING),
    "places areas": (("{released}",), "checking", OPENING),
    "places flows": (("{released}",), "checking", OPENING),
    "places hotspots": (("{released}",), "ranking", OPENING),
    "places map": (("{released}", "--out", "{out}"), "drawing", OPENING),
    "tables export": (("{released}", "--format", "wide", "--out", "{out}"), "checking", OPENING),
    "places export": (("{released}", "--out", "{out}"), "writing", OPENING),
    "warm": (("places",), "compiling what places", "starling.cli.demo.airports:chapter"),
    "audit": ((), "discrete Laplace", "starling.audit.fit:fit"),
    "answer": (("{released}", "--question", '{{"kind": "size"}}'), "checking", OPENING),
    "crate": (("{released}", "--license", "http://a.b", "--publisher", "x", "--out", "{out}"), "copying", OPENING),
    "open": (("{released}", "--no-browser"), "checking", OPENING),
    "verify": (("{released}",), "checking", "starling.verification:verify"),
    "ledger show": (("sqlite:///{ledger}",), "adding up", "starling.ledger.reading:Reading.populations"),
    "ledger verify": (("sqlite:///{ledger}",), "every event", "starling.ledger.reading:Reading.verify"),
    "ledger backup": (("sqlite:///{ledger}", "{out}"), "copying", "starling.ledger.sqlite:SqliteStore.backup"),
}
"""What may work for long: its arguments, what it says, and the call before which it says so."""

SHORT = {
    "tables plan", "tables convert", "genome plan", "groups plan", "places plan", "keys new", "keys show", "ledger create",
    "ledger population", "ledger dataset", "ledger grant", "ledger raise", "ledger approve", "ledger export", "ledger retire",
    "ledger delegate", "server add", "server dataset", "server jobs", "job", "server findings", "server accept", "server show", "worker",
    "tables schema", "places schema", "groups schema", "genome schema",
    "remote datasets", "remote budget", "remote release", "remote fetch",
    "ledger terms", "server requests", "server approve", "server decline",
    "remote preview", "remote request", "remote requests", "remote approved",
    "remote questions", "remote answer", "remote releases", "remote token", "remote tokens", "remote revoke",
    *(f"remote ask {name}" for name in ("num-sig", "loc-sig", "loc-block", "snp-pval", "snp-corr", "explore", "scan", "snp-effects")),
    "remote ask explore-effects",
    "server init", "server user", "server token", "server tokens", "server revoke", "server log", "server demo", "server demo-data",
    "server backup", "server restore", "server password", "server sandbox", "serve", "web", "notify",
}  # fmt: skip
"""What opens a plan or writes one event; `ledger export` prints at once, `serve` says when it listens, and `worker` what it does."""


class Reached(Exception):
    """The call was made."""


@pytest.mark.parametrize("name", LONG)
def test_a_long_command_says_what_it_does_before_it_does_it(
    monkeypatch: pytest.MonkeyPatch, call: Call, inputs: Inputs, released: Path, study: Path, tmp_path: Path, name: str
) -> None:
    arguments, says, heavy = LONG[name]
    ledger = tmp_path / "ledger.sqlite"
    if name.startswith("ledger"):
        assert call("ledger", "create", ledger).exit_code == 0
    write_world(tmp_path)
    points = tmp_path / "points"
    points.mkdir()
    write_points(points)
    (points / "rectangles.csv").write_text("x0,y0,x1,y1\n0,0,1,1\n")
    places = {
        "sizes": tmp_path,
        "points": points,
        "study": study,
        "released": released,
        "out": tmp_path / "out",
        "ledger": ledger,
    }
    words = [
        word
        for argument in arguments
        for word in (inputs.options if argument == "{files}" else [argument.format(**places)])
    ]
    reached: list[bool] = []

    def reach(*_: Any, **__: Any) -> Never:
        reached.append(True)
        raise Reached

    module, _, path = heavy.partition(":")
    *owners, last = path.split(".")
    # Not monkeypatch's own search by name: a package may hide a module behind a function of the same name.
    monkeypatch.setattr(reduce(getattr, owners, import_module(module)), last, reach)
    shown = call(*name.split(), *words)
    assert reached, shown.output
    first = shown.stderr.splitlines()[0]
    assert first.startswith("... ")
    assert says in first


def test_every_command_is_known_as_long_or_short() -> None:
    verbs = {" ".join(words) for words, command in commands(main, ()) if not hasattr(command, "commands")}
    assert verbs == LONG.keys() | SHORT


def in_terminal(environment: dict[str, str], code: str = CODE) -> tuple[str, str]:
    """What code prints to stdout, a pipe, and to stderr, a terminal."""
    ours, theirs = pty.openpty()
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True,
        env=os.environ | {"TERM": "xterm-256color"} | environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    return made.stdout, shown.decode()


def test_in_a_terminal_steps_are_ticked_off_on_stderr() -> None:
    data, shown = in_terminal({})
    assert data == "data\n"
    assert "\x1b[32m✓" in shown
    assert shown.index("first step") < shown.index("second step")


def test_no_color_is_obeyed() -> None:
    _, shown = in_terminal({"NO_COLOR": "1"})
    assert "✓ first step" in shown
    assert "\x1b[32m" not in shown


@pytest.mark.slow
def test_in_a_terminal_a_bar_moves_towards_the_deadline() -> None:
    output, shown = in_terminal({"COLUMNS": "100"}, COUNTED)
    assert output == "data\n"
    assert "release 7" in shown
    assert "━" in shown
