"""Where a run of a release may die, whatever its domain, and the blow."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import starling
from starling.ledger import account, charging
from starling.ledger.opening import Ledger
from starling.release import bundle, encrypted
from starling.release.pipeline import Published
from tests.forking import run

Point: TypeAlias = tuple[Any, str, bool]
"""Where, which function, and whether before or after it."""

BEFORE: dict[str, Point] = {
    "before the charge": (charging.Charging, "charge", False),
    "after the charge": (charging.Charging, "charge", True),
}
AROUND: dict[str, Point] = {
    "before the hash is known": (encrypted.EncryptedFiles, "finish", False),
    "before the folder is claimed": (bundle, "claim", False),
    "before the draw is committed to": (account.RequestAccount, "draw", False),
    "after the draw is committed to": (account.RequestAccount, "draw", True),
    "while it is decrypted": (encrypted.CommittedFiles, "_decrypt", True),
}
"""Around the commitment of the charge to its draw."""
AFTER: dict[str, Point] = {
    "before the flush": (bundle, "_flush", False),
    "before the answer": (account.RequestAccount, "answer", False),
    "after the answer": (account.RequestAccount, "answer", True),
    "before the rename": (bundle, "_place", False),
    "after the rename": (bundle, "_place", True),
}
"""Of the domain's own reading, drawing and writing."""


def strike(owner: Any, name: str, after: bool) -> None:
    """Kill this process, as kill -9 would, when the function is called, or when it returns."""
    plain: Callable[..., Any] = getattr(owner, name)

    def struck(*arguments: Any, **named: Any) -> Any:
        if after:
            plain(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, struck)


def check_taken_up(die: str, point: str, folder: Path, paid: Callable[[Path], Published], ledger: Ledger) -> None:
    """A run that died at a point is taken up by the same request: paid and drawn once, and not made again after that.

    Args:
        die: Where the run is that dies, as `forking.run` finds it.
        point: Where it dies.
        folder: Of the ledger, and of the release, `out`.
        paid: Asks for the release.
        ledger: The ledger of the folder.
    """
    assert run(die, folder, point).returncode == -signal.SIGKILL
    ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET lease_until = 0"))
    paid(folder)
    result = starling.verify(folder / "out", ledger=str(folder / "ledger.sqlite"))
    assert (result.findings, result.counts is not None and (result.counts.draws, result.counts.redraws)) == ((), (1, 0))
    before = (folder / "out" / "SIGNATURE").read_bytes()
    assert paid(folder).receipt is None
    assert (folder / "out" / "SIGNATURE").read_bytes() == before


def hold(owner: Any, name: str, after: bool, folder: Path) -> None:
    """Make this process stay where it is when the function is called, or has returned: from when it makes `there` in a folder until
    somebody makes `go` there."""
    plain: Callable[..., Any] = getattr(owner, name)

    def held(*arguments: Any, **named: Any) -> Any:
        found = plain(*arguments, **named) if after else None
        (folder / "there").touch()
        while not (folder / "go").exists():
            time.sleep(0.02)
        return found if after else plain(*arguments, **named)

    setattr(owner, name, held)
