"""A check of a whole ledger runs beside, once for all who ask, and finds what `ledger verify` finds."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from starling.errors import LedgerUnavailable
from starling.ledger.opening import open_ledger, read_ledger
from starling.server import ledger_checks
from starling.server.home import Home
from starling.server.ledger_checks import MOST_WAITING, LedgerCheck, LedgerChecks, check


def _file(home: Home) -> Path:
    return Path(home.settings.ledger.removeprefix("sqlite:///"))


def test_it_finds_what_verify_finds(selling: Home) -> None:
    outcome = LedgerChecks(selling, seconds=60).latest().outcome
    with closing(read_ledger(selling.settings.ledger)) as ledger:
        verified = ledger.reading.verify()
        signer = ledger.book.signer.fingerprint
    assert outcome["problem"] is None
    assert (outcome["events"], outcome["signer"]) == (verified.head.seq, signer)
    assert outcome["head"] == f"{verified.head.seq}:{verified.head.hash}"


def test_its_process_loads_no_web_server() -> None:
    """Each check starts one, for which a page waits."""
    code = "import sys, starling.server.ledger_checks; print('fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"


def test_a_changed_event_is_found(selling: Home) -> None:
    with closing(sqlite3.connect(_file(selling))) as connection:
        connection.execute("UPDATE events SET at = at + 1 WHERE seq = 2")
        connection.commit()
    field, problem, _ = check(selling.settings.ledger, [])["problem"]
    assert (field, problem) == ("event 2", "was changed")


def test_a_ledger_that_was_rolled_back_is_found_by_what_the_server_witnessed(
    selling: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = _file(selling).read_bytes()
    with closing(open_ledger(selling.settings.ledger, key=None)) as ledger:
        ledger.custody.grant("people", "eve", 1)
        selling.witness(ledger.book.id).advance(ledger.reading.head(), selling.key)
    for beside in ("-wal", "-shm"):
        Path(f"{_file(selling)}{beside}").unlink(missing_ok=True)
    _file(selling).write_bytes(copy)
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "elsewhere"))
    outcome = LedgerChecks(selling, seconds=60).latest().outcome
    assert "was witnessed and is missing" in outcome["problem"][1]


def test_where_the_ledger_is_is_not_told(selling: Home) -> None:
    _file(selling).unlink()
    assert check(selling.settings.ledger, [])["problem"][:2] == ["ledger", "cannot be read now"]


def test_those_that_wait_hold_few_threads(selling: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """One request too many is refused at once, however long the others wait; and there is room again when they are done."""
    go_on = threading.Event()

    def run(checks: LedgerChecks) -> None:
        go_on.wait(60)
        with checks._changing:
            checks._latest, checks._running = LedgerCheck(0.0, {"problem": None}), False
            checks._changing.notify_all()

    monkeypatch.setattr(LedgerChecks, "_run", run)
    checks = LedgerChecks(selling, seconds=60)
    threads = [threading.Thread(target=checks.latest) for _ in range(MOST_WAITING)]
    for each in threads:
        each.start()
    while checks._waiting < MOST_WAITING:
        threading.Event().wait(0.001)
    with pytest.raises(LedgerUnavailable, match="goes on"):
        checks.latest()
    go_on.set()
    for each in threads:
        each.join()
    assert checks._waiting == 0


def test_one_check_serves_all_who_ask_at_once_and_a_long_one_is_waited_for_elsewhere(
    selling: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    go_on = threading.Event()

    class Slow:
        def __init__(self, _: object) -> None:
            begun.append(1)

        def send(self, _: str) -> None:
            go_on.wait(60)

        def answer(self, _: float) -> object:
            return {"problem": None}

        def end(self) -> None:
            return

    monkeypatch.setattr(ledger_checks, "LineProcess", Slow)
    checks = LedgerChecks(selling, seconds=0.01)
    for _ in range(3):
        with pytest.raises(LedgerUnavailable):
            checks.latest()
    assert len(begun) == 1
    go_on.set()
    checks._seconds = 60
    assert checks.latest().outcome == {"problem": None}
    assert checks.latest().outcome == {"problem": None}
    assert len(begun) == 1, "it is told for a while"
