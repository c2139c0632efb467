"""A killed release is resumed by its request id: paid once, drawn once as far as anybody can see (promises 1, 2 and 4)."""

import signal
from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import LedgerUnavailable, OutputError, PolicyRefused, RequestConflict, RunFailed
from starling.ledger import rules
from starling.ledger.charging import Charging
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.manifest import manifest
from starling.tables import counts
from tests.forking import run
from tests.release.redrawing import Thief
from tests.tables.dying import OWN, REQUEST, release

COST = Fraction("6.27")
ANSWERED = "before the rename"
SHARED = ("after the charge", "after the draw is committed to", "before the flush", "before the answer", ANSWERED)
"""Of the steps that are the same in every domain, some; `tests/genome/test_publish_resume.py` has all others."""


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    output = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    output.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 20)
    output.custody.add_dataset("toy", "people", {})
    output.custody.grant("people", "custodian", 20)
    return output


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'ledger.sqlite'}"


def killed(tmp_path: Path, data: Path, point: str, *top_up: str) -> None:
    """A release of another process that dies at the point."""
    done = run("tests.tables.dying:main", url(tmp_path), data, tmp_path / "out", point, *top_up)
    assert done.returncode == -signal.SIGKILL, done.stderr


def spent(ledger: Ledger) -> Fraction:
    return Fraction(ledger.reading.account("people").caps[0].spent, rules.UNIT)


def stored(ledger: Ledger) -> str | None:
    row = ledger.book.read(lambda tx: tx.one("SELECT answer FROM charges WHERE request_id = ?", REQUEST))
    return None if row is None or row[0] is None else str(row[0])


def end_lease(ledger: Ledger) -> None:
    """As two minutes would."""
    ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET lease_until = 0"))


@pytest.mark.slow
@pytest.mark.parametrize("point", [*SHARED, *OWN])
def test_promise_04_a_release_killed_anywhere_is_resumed(
    point: str, ledger: Ledger, tmp_path: Path, shared_data: Path
) -> None:
    killed(tmp_path, shared_data, point)
    out = tmp_path / "out"
    assert not out.exists()
    assert spent(ledger) == COST
    answer = stored(ledger)
    assert (answer is not None) == (point == ANSWERED)
    # What the killed run left, kept by somebody: whatever can be read of it is of the draw that is published in the end.
    thief = Thief(url(tmp_path), ledger, out, lambda *_: None, tmp_path / "kept")
    thief.copy()
    release(url(tmp_path), shared_data, out)
    assert spent(ledger) == COST
    # What had been answered is what is published: no second draw.
    assert answer in (None, stored(ledger))
    assert manifest(out) == stored(ledger)
    second = release(url(tmp_path), shared_data, out)
    assert second.receipt is None
    assert spent(ledger) == COST
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []
    thief.check_one_draw()


@pytest.mark.slow
@pytest.mark.parametrize("point", ["while drawing", "after the answer"])
def test_promise_04_a_killed_top_up_is_resumed(point: str, ledger: Ledger, tmp_path: Path, shared_data: Path) -> None:
    earlier = tmp_path / "earlier"
    release(url(tmp_path), shared_data, earlier, "earlier")
    killed(tmp_path, shared_data, point, str(earlier))
    assert spent(ledger) == 2 * COST
    answer, out = stored(ledger), tmp_path / "out"
    release(url(tmp_path), shared_data, out, top_up=earlier)
    assert spent(ledger) == 2 * COST
    assert answer in (None, stored(ledger))
    assert manifest(out) == stored(ledger)
    # Another earlier release, or none, is another request.
    with pytest.raises(RequestConflict):
        release(url(tmp_path), shared_data, tmp_path / "other")


@pytest.mark.slow
def test_a_living_run_keeps_its_lease_and_an_answer_elsewhere_is_not_drawn_again(
    ledger: Ledger, tmp_path: Path, shared_data: Path
) -> None:
    killed(tmp_path, shared_data, "while reading")
    # As if it ran on another machine, where nobody sees that it died.
    ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET holder = ''"))
    with pytest.raises(LedgerUnavailable, match="lease"):
        release(url(tmp_path), shared_data, tmp_path / "out")
    end_lease(ledger)
    release(url(tmp_path), shared_data, tmp_path / "out")
    with pytest.raises(PolicyRefused, match="was answered before"):
        release(url(tmp_path), shared_data, tmp_path / "elsewhere")
    # Told by the id that was answered.
    with pytest.raises(PolicyRefused, match=rf"was answered before \(request id {REQUEST}\)"):
        release(url(tmp_path), shared_data, tmp_path / "elsewhere", "the-same-under-another-id")
    assert spent(ledger) == COST


@pytest.mark.slow
def test_a_sealed_folder_is_kept_from_other_requests(
    ledger: Ledger, tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(tmp_path, shared_data, "after the answer")
    # Of another plan, as far as this ledger says.
    monkeypatch.setattr(Charging, "find", lambda *_: None)
    with pytest.raises(OutputError, match="paid for and not put into place"):
        release(url(tmp_path), shared_data, tmp_path / "out", "another")
    assert spent(ledger) == COST


@pytest.mark.slow
def test_a_failed_run_ends_its_lease(
    ledger: Ledger, tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(counts.GroupCounts, "totals", lambda *_: 1 / 0)
        with pytest.raises(RunFailed):
            release(url(tmp_path), shared_data, tmp_path / "out")
    assert spent(ledger) == COST
    release(url(tmp_path), shared_data, tmp_path / "out")
    assert spent(ledger) == COST
