"""Invented inputs for the command line, made once, and a way to call it."""

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from starling.cli import main

Call = Callable[..., Result]


@dataclass(frozen=True)
class Inputs:
    """Paths of invented files that fit the shipped plan `demo`."""

    persons: Path
    geography: Path

    @property
    def options(self) -> list[str]:
        return ["--persons", str(self.persons), "--geography", str(self.geography)]


@pytest.fixture
def call() -> Iterator[Call]:
    """Call `starling` with words, in this process."""
    before = signal.getsignal(signal.SIGTERM)
    yield lambda *words: CliRunner().invoke(main, [str(word) for word in words])
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
    words = ["tables", "release", "demo", *inputs.options, "--out", str(out), "--yes", "--request-id", "abc-1"]
    made = CliRunner().invoke(main, words)
    assert made.exit_code == 0, made.output
    return out
