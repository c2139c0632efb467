"""A ledger to test on, in both stores. PostgreSQL runs where STARLING_TEST_POSTGRES names a server; `.ci/run` starts one."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ledger.worlds import World, postgres_world, sqlite_world


@dataclass
class Faults:
    """What was done to the ledger, and what came of it; printed at the end."""

    injected: int = 0
    lost: int = 0
    overspent: int = 0


FAULTS = Faults()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The counts, where any fault was injected."""
    if FAULTS.injected:
        said = f"faults injected {FAULTS.injected}, charges lost {FAULTS.lost}, overspends {FAULTS.overspent}"
        terminalreporter.write_line(f"ledger: {said}")


def postgres_url() -> str:
    """The server's URL; skips where there is none."""
    url = os.environ.get("STARLING_TEST_POSTGRES", "")
    if not url:
        pytest.skip("no PostgreSQL: set STARLING_TEST_POSTGRES to the URL of a server where databases may be made")
    return url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A fresh ledger with a population, a dataset and two analysts."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    if request.param == "sqlite":
        with sqlite_world(tmp_path) as made:
            yield made
    else:
        with postgres_world(postgres_url()) as made:
            yield made
