"""A killed release is resumed by its request id: paid once, drawn once as far as anybody can see (promises 1, 2 and 4)."""

import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from starling.ledger import rules
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.manifest import manifest
from tests.conftest import ROOT
from tests.tables.dying import POINTS, REQUEST

COST = Fraction("6.27")
ANSWERED = ("after the answer", "before the rename", "after the rename")


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    made = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    made.custody.add_lineage("people", "rho", ADD_REMOVE_PERSON, 20)
    made.custody.add_dataset("toy", "people", {})
    made.custody.grant("people", "custodian", 20)
    return made


def run(tmp_path: Path, data: Path, point: str, out: str = "out") -> tuple[int, str]:
    """The child's exit code and what it said."""
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    command = [sys.executable, "-m", "tests.tables.dying", url, str(data), str(tmp_path / out), point]
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def spent(ledger: Ledger) -> Fraction:
    return Fraction(ledger.reading.account("people").caps[0].spent, rules.UNIT)


def stored(ledger: Ledger) -> str | None:
    row = ledger.book.read(lambda tx: tx.one("SELECT answer FROM charges WHERE request_id = ?", REQUEST))
    return None if row is None or row[0] is None else str(row[0])


def end_lease(ledger: Ledger) -> None:
    """As two minutes would."""
    ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET lease_until = 0"))


@pytest.mark.parametrize("point", POINTS)
def test_promise_04_a_release_killed_anywhere_is_resumed(
    point: str, ledger: Ledger, tmp_path: Path, shared_data: Path
) -> None:
    assert run(tmp_path, shared_data, point)[0] == -signal.SIGKILL
    out = tmp_path / "out"
    assert out.exists() == (point == "after the rename")
    assert spent(ledger) == (0 if point == "before the charge" else COST)
    answer = stored(ledger)
    assert (answer is not None) == (point in ANSWERED)
    end_lease(ledger)
    assert run(tmp_path, shared_data, "nowhere") == (0, "")
    assert spent(ledger) == COST
    # What had been answered is what is published: no second draw.
    assert answer in (None, stored(ledger))
    assert manifest(out) == stored(ledger)
    assert run(tmp_path, shared_data, "nowhere") == (0, "")
    assert spent(ledger) == COST
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []
    ledger.reading.verify()


def test_a_living_run_keeps_its_lease_and_an_answer_elsewhere_is_not_drawn_again(
    ledger: Ledger, tmp_path: Path, shared_data: Path
) -> None:
    assert run(tmp_path, shared_data, "while reading")[0] == -signal.SIGKILL
    code, said = run(tmp_path, shared_data, "nowhere")
    assert code == 75
    assert "lease" in said
    end_lease(ledger)
    assert run(tmp_path, shared_data, "nowhere") == (0, "")
    code, said = run(tmp_path, shared_data, "nowhere", out="elsewhere")
    assert code == 4
    assert "was answered before" in said
    assert spent(ledger) == COST


def test_a_sealed_folder_is_kept_from_other_requests(ledger: Ledger, tmp_path: Path, shared_data: Path) -> None:
    assert run(tmp_path, shared_data, "after the answer")[0] == -signal.SIGKILL
    answer = stored(ledger)
    ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET request_id = 'another', request_hash = 'other'"))
    code, said = run(tmp_path, shared_data, "nowhere")
    assert code == 74
    assert "answered and not put into place" in said
    assert answer == ledger.book.read(lambda tx: tx.one("SELECT answer FROM charges"))[0]  # type: ignore[index]
    assert spent(ledger) == COST
