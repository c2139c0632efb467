"""Checks of a whole ledger for auditors, in a process of their own: one at a time, whoever asks, and beside the requests of others.

`starling ledger verify` does the same. What the server witnessed of its ledger has to lie on the chain besides.
"""

import json
import sys
import threading
import time
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from starling.errors import IntegrityError, LedgerUnavailable, StarlingError
from starling.ledger.chain import Head
from starling.ledger.opening import read_ledger
from starling.ledger.witness import Unwitnessed
from starling.server.lines import LineProcess

if TYPE_CHECKING:
    from starling.server.home import Home

SECONDS: Final = 20.0
"""For which a request waits for a check."""
MOST_WAITING: Final = 8
"""Requests that wait for one: each holds a thread of the web process."""
FRESH: Final = 10.0
"""Seconds for which the outcome of a check is told again: who asks more often starts no other one."""
LONGEST: Final = 6 * 3600.0
_COMMAND: Final = (sys.executable, "-c", "from starling.server.ledger_checks import main; main()")


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """The outcome of a check.

    Attributes:
        at: When it ended, in seconds since 1970.
        outcome: As `check` gives it.
    """

    at: float
    outcome: dict[str, Any]


def check(ledger: str, heads: list[list[Any]]) -> dict[str, Any]:
    """Verify a ledger: `events`, `head`, `signer` and counts, or the `problem` that was found first."""
    try:
        with closing(read_ledger(ledger, witness=Unwitnessed)) as opened:
            verified = opened.reading.verify([Head(seq, digest) for seq, digest in heads])
            signer = opened.book.signer.fingerprint
    except IntegrityError as error:
        return _failed(error)
    except StarlingError:
        return _failed(unreadable())
    head = f"{verified.head.seq}:{verified.head.hash}"
    return {"problem": None, "events": verified.head.seq, "head": head, "signer": signer, **asdict(verified.counts)}


def unreadable() -> LedgerUnavailable:
    """Where the ledger is and what ails it is told to none but the custodian on the machine of the home."""
    return LedgerUnavailable("ledger", "cannot be read now", "ask a custodian to look at it")


def _failed(error: StarlingError) -> dict[str, Any]:
    first = error.problems[0]
    return {"problem": [first.field, first.problem, first.fix]}


def main() -> None:
    """Check what each line of standard input names, and answer by a line."""
    for line in sys.stdin:
        task = json.loads(line)
        sys.stdout.write(json.dumps(check(task["ledger"], task["heads"])) + "\n")
        sys.stdout.flush()


class LedgerChecks:
    """Checks of the ledger of a home."""

    def __init__(self, home: "Home", *, seconds: float = SECONDS) -> None:
        self._home, self._seconds = home, seconds
        self._changing = threading.Condition()
        self._running, self._waiting = False, 0
        self._latest: LedgerCheck | None = None

    def latest(self) -> LedgerCheck:
        """The outcome of a check that ended just now, or of one that is started; raises LedgerUnavailable where that takes longer, or too
        many wait.
        """
        with self._changing:
            if self._latest is not None and time.time() - self._latest.at < FRESH:
                return self._latest
            before = self._latest
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, daemon=True).start()
            if self._waiting >= MOST_WAITING or not self._wait(before):
                raise LedgerUnavailable("verification", "goes on: the ledger is long", "ask for it in a minute")
            assert self._latest is not None
            return self._latest

    def _wait(self, before: LedgerCheck | None) -> bool:
        """Whether another outcome came in time."""
        self._waiting += 1
        try:
            return self._changing.wait_for(lambda: self._latest is not before, self._seconds)
        finally:
            self._waiting -= 1

    def _run(self) -> None:
        outcome: dict[str, Any] | None = None
        process = LineProcess(_COMMAND)
        try:
            with suppress(OSError, ValueError, EOFError):
                process.send(json.dumps({"ledger": self._home.settings.ledger, "heads": self._witnessed()}))
                outcome = process.answer(LONGEST)
        except IntegrityError as error:
            outcome = _failed(error)
        except StarlingError:
            outcome = _failed(unreadable())
        finally:
            process.end()
            failed = ["verification", "could not be carried out", "ask a custodian to run starling ledger verify"]
            with self._changing:
                self._latest = LedgerCheck(time.time(), outcome or {"problem": failed})
                self._running = False
                self._changing.notify_all()

    def _witnessed(self) -> list[list[Any]]:
        """How far this server has seen the ledger come."""
        with closing(self._home.read_ledger()) as ledger:
            head = self._home.witness(ledger.book.id).read(self._home.key.public)
        return [] if head is None else [[head.seq, head.hash]]
