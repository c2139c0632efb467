"""What a command that publishes asks, refuses and says, in each domain, where a ledger pays."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from starling.ledger.opening import create_ledger, read_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from tests.cli.conftest import Call, Inputs

Words: TypeAlias = Callable[..., list[object]]
"""The command line of a release, to which more words are given."""
DOMAINS = ["tables", "genome"]


@pytest.fixture
def paid(tmp_path: Path, inputs: Inputs, study: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Words]:
    """For a domain, a release of it that a new ledger pays."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))

    def made(domain: str) -> Words:
        place = tmp_path / "ledger.sqlite"
        ledger = create_ledger(f"sqlite:///{place}")
        if domain == "tables":
            ledger.custody.add_lineage("people", "rho", ADD_REMOVE_PERSON, 2)
            release: list[object] = ["tables", "release", "demo", *inputs.options]
        else:
            ledger.custody.add_lineage("people", "epsilon", REPLACE_PERSON, 2)
            release = ["genome", "num-sig", study / "plan.toml", "--genotypes", study / "study", "--epsilon", "1"]
        ledger.custody.add_dataset("data", "people", {})
        ledger.custody.grant("people", "custodian", 2)
        ledger.close()
        return lambda *more: [*release, "--ledger", place, "--dataset", "data", *more]

    return made


def charges(tmp_path: Path) -> int:
    ledger = read_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.reading.verify()
    found = len(ledger.reading.account("people").charges)
    ledger.close()
    return found


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_missing_parent_of_the_folder_is_refused_before_anything_is_asked_or_charged(
    call: Call, paid: Callable[[str], Words], tmp_path: Path, domain: str
) -> None:
    result = call(*paid(domain)("--out", tmp_path / "missing" / "out", "--yes"))
    assert result.exit_code == 74, result.output
    assert f"has no parent folder; make it first: mkdir -p {tmp_path / 'missing'}" in result.stderr
    assert charges(tmp_path) == 0
