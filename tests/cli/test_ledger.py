"""What custodians do on the command line, and what they are refused."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call

PEOPLE = ("residents", "--measure", "rho", "--neighbours", "add-remove-person", "--cap", "20")


@pytest.fixture
def ledger(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger with a lineage, a dataset and a grant of 10, whose raised caps a second custodian approves."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    path = tmp_path / "ledger.sqlite"
    assert call("keys", "new", "second").exit_code == 0
    second = json.loads(call("keys", "show", "--json").stdout)["keys"][0]["public"]
    for words in (
        ("create", path, "--second-key", second),
        ("lineage", path, *PEOPLE),
        ("dataset", path, "census", "--lineage", "residents"),
        ("grant", path, "residents", "ann", "--cap", "10"),
    ):
        made = call("ledger", *words)
        assert (made.exit_code, made.stdout != "") == (0, True), made.stderr
    return path


def test_a_cap_is_raised_by_both_custodians_and_never_lowered(call: Call, ledger: Path) -> None:
    wanted = (ledger, "residents", "analyst", "ann", "--cap", "12")
    assert call("ledger", "raise", *wanted).exit_code == 2  # nobody was asked
    alone = call("ledger", "raise", *wanted, "--yes")
    assert (alone.exit_code, "second custodian" in alone.stderr) == (4, True)
    approved = json.loads(call("ledger", "approve", *wanted, "--key", "second", "--json").stdout)["approval"]
    raised = call("ledger", "raise", *wanted, "--yes", "--approval", approved)
    assert (raised.exit_code, "Everybody in the data" in raised.stdout) == (0, True)
    assert call("ledger", "raise", *wanted, "--yes", "--approval", approved).exit_code == 4


@pytest.mark.parametrize("cap", ["-1", "0", "nan", "inf", "1e99", "9" * 80, "x", "", "0,5"])
def test_what_is_no_amount_is_refused(call: Call, ledger: Path, cap: str) -> None:
    refused = call("ledger", "grant", ledger, "residents", "eve", "--cap", cap)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("starling: ")
    assert "eve" not in call("ledger", "show", ledger).stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("dataset", "census", "--lineage", "residents"), 4),
        (("dataset", "other", "--lineage", "nobody"), 2),
        (("grant", "nobody", "ann", "--cap", "1"), 2),
        (("grant", "residents", "ann", "--cap", "1"), 4),
        (("grant", "residents", "a b", "--cap", "1"), 2),
        (("retire", "dataset", "none"), 2),
    ],
)
def test_what_is_not_there_or_there_already_is_refused(
    call: Call, ledger: Path, words: tuple[str, ...], code: int
) -> None:
    verb, *rest = words
    refused = call("ledger", verb, ledger, *rest)
    assert refused.exit_code == code, refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_nothing_is_charged_to_what_is_retired(call: Call, ledger: Path) -> None:
    assert call("ledger", "retire", ledger, "dataset", "census").exit_code == 0
    assert call("ledger", "verify", ledger).exit_code == 0


def test_a_ledger_that_is_there_is_not_made_again(call: Call, ledger: Path) -> None:
    before = ledger.read_bytes()
    assert call("ledger", "create", ledger).exit_code in (2, 74)
    assert ledger.read_bytes() == before
