"""A home is copied and restored by the command line, which prints the head of the ledger; an old ledger is refused in a sentence."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Call, document
from tests.groups.worlds import write_world


@pytest.fixture
def served(call: Call, tmp_path: Path) -> Path:
    """A home with its ledger."""
    home = tmp_path / "served"
    assert call("server", "init", home).exit_code == 0
    assert call("ledger", "create", home / "ledger.sqlite").exit_code == 0
    return home


def test_a_home_is_copied_and_restored(call: Call, served: Path, tmp_path: Path) -> None:
    made = document(call("server", "backup", served, tmp_path / "copy", "--json"))
    restored = call("server", "restore", tmp_path / "copy", tmp_path / "restored", "--json")
    assert document(restored)["head"] == made["head"]
    assert "never serve both homes" in restored.stderr
    ledger = tmp_path / "restored" / "ledger.sqlite"
    assert document(restored)["ledger"] == f"sqlite:///{ledger}"
    assert call("ledger", "verify", ledger, "--head", made["head"]).exit_code == 0


def test_the_sandbox_is_made_anew_under_the_key_that_clients_have_pinned(
    call: Call, served: Path, tmp_path: Path
) -> None:
    """What it released is not copied; where a plan is not there yet, it is made once that came."""
    files = ["--plan", tmp_path / "plan.toml", "--file", f"records={write_world(tmp_path)}"]
    assert call("server", "dataset", served, "data", "--domain", "groups", *files).exit_code == 0
    before = document(call("server", "show", served, "--json"))["sandbox"]
    assert before["datasets"] == ["data"]
    assert call("server", "backup", served, tmp_path / "copy").exit_code == 0
    assert not (tmp_path / "copy" / "sandbox").exists()
    restored = call("server", "restore", tmp_path / "copy", tmp_path / "restored")
    assert (restored.exit_code, "is not in the sandbox" in restored.stderr) == (0, False)
    assert document(call("server", "show", tmp_path / "restored", "--json"))["sandbox"] == before
    (tmp_path / "plan.toml").rename(tmp_path / "later.toml")
    again = call("server", "restore", tmp_path / "copy", tmp_path / "again")
    assert (again.exit_code, "data is not in the sandbox: plan.toml" in again.stderr) == (0, True)
    (tmp_path / "later.toml").rename(tmp_path / "plan.toml")
    made = document(call("server", "sandbox", tmp_path / "again", "--json"))
    assert made == {"datasets": ["data"], "missing": []}
    assert document(call("server", "show", tmp_path / "again", "--json"))["sandbox"] == before


def test_an_older_ledger_is_refused_by_the_head_that_was_printed(call: Call, served: Path, tmp_path: Path) -> None:
    assert call("server", "backup", served, tmp_path / "older").exit_code == 0
    people = ["--measure", "rho", "--neighbours", "add-remove-person", "--cap", 1]
    assert call("ledger", "population", served / "ledger.sqlite", "people", *people).exit_code == 0
    head = document(call("server", "backup", served, tmp_path / "newer", "--json"))["head"]
    old = call("ledger", "verify", tmp_path / "older" / "ledger.sqlite", "--head", head)
    assert old.exit_code == 5
    refused = call("server", "restore", tmp_path / "older", tmp_path / "restored")
    assert (refused.exit_code, refused.stdout) == (5, "")
    assert "restore the newest ledger" in refused.stderr
    shutil.rmtree(served)
    assert call("server", "restore", tmp_path / "newer", tmp_path / "restored").exit_code == 0
