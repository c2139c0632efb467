"""Invented inputs for the command line, made once, and a way to call it."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from starling.cli import main
from starling.cli.progress import MARK
from starling.genome import generate
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_database

Call = Callable[..., Result]


@dataclass(frozen=True)
class Inputs:
    """Paths of invented files that fit the shipped plan `demo`."""

    persons: Path
    geography: Path

    @property
    def options(self) -> list[str]:
        return ["--persons", str(self.persons), "--geography", str(self.geography)]


@dataclass(frozen=True)
class Payer:
    """A ledger that may pay for tables of the dataset `census` (rho) and for questions to the dataset `study` (epsilon).

    Attributes:
        url: Of the ledger.
    """

    url: str

    def of(self, dataset: str) -> list[str]:
        """Options by which a command is paid."""
        return ["--ledger", self.url, "--dataset", dataset]

    def charges(self) -> int:
        """How many charges were made."""
        lines = CliRunner().invoke(main, ["ledger", "export", self.url]).stdout.splitlines()
        return sum(json.loads(line)["kind"] == "charge" for line in lines)


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def payer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Payer]:
    """A ledger of each store, shared by the tests of a module."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            url = f"sqlite:///{tmp_path_factory.mktemp('payer') / 'ledger.sqlite'}"
        else:
            url = stack.enter_context(postgres_database(postgres_url()))
        residents = ["residents", "--measure", "rho", "--neighbours", "add-remove-person", "--cap", "1000"]
        patients = ["patients", "--measure", "epsilon", "--neighbours", "replace-one-person", "--cap", "1000"]
        for words in (
            ["create", url],
            ["population", url, *residents],
            ["population", url, *patients],
            ["dataset", url, "census", "--population", "residents"],
            ["dataset", url, "study", "--population", "patients"],
            ["grant", url, "residents", "custodian", "--cap", "1000"],
            ["grant", url, "patients", "custodian", "--cap", "1000"],
        ):
            done = CliRunner().invoke(main, ["ledger", *words])
            assert done.exit_code == 0, done.output
        yield Payer(url)


@pytest.fixture(autouse=True)
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a kernel was kept from earlier runs of the tests changes nothing that a command says; test_progress.py tests the note."""
    monkeypatch.setattr("starling.cli.commands.note_compilation", lambda _: None)


@pytest.fixture
def call() -> Iterator[Call]:
    """Call `starling` with words, in this process; `typed` is its standard input."""
    before = signal.getsignal(signal.SIGTERM)
    yield lambda *words, typed=None: CliRunner().invoke(main, [str(word) for word in words], input=typed)
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """Some thousand invented persons."""
    out = tmp_path_factory.mktemp("inputs") / "invented"
    made = CliRunner().invoke(main, ["tables", "generate", "demo", "--persons", "20000", "--out", str(out)])
    assert made.exit_code == 0, made.output
    return Inputs(out / "person-records.txt", out / "GRF-C.txt")


@pytest.fixture(scope="session")
def released(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of them."""
    out = tmp_path_factory.mktemp("released") / "release"
    words = [
        "tables",
        "release",
        "demo",
        *inputs.options,
        "--out",
        str(out),
        "--yes",
        "--unvalidated",
        "--request-id",
        "abc-1",
    ]
    made = CliRunner().invoke(main, words)
    assert made.exit_code == 0, made.output
    return out


def findings(result: Result) -> list[str]:
    """The lines on stderr, but for those that say what the command was doing."""
    return [line for line in result.stderr.splitlines() if not line.startswith(MARK)]


def document(result: Any) -> dict[str, Any]:
    """The one JSON document on stdout."""
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an invented study of 300 people and 60 SNPs."""
    out = tmp_path_factory.mktemp("genome") / "study"
    generate(people=300, snps=60, seed=1, out=out, causal={10: 20.0, 41: 15.0})
    return out
