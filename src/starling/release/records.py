"""The confidential files that a release is made from: whether their custodian accepted them, and that an answer belongs to them.

Nothing of what they hold is looked at here, only where they lie, their sizes and when they were changed last. Size and time may tell of
records, so none of it is in a release: the ledger keeps a keyed hash (ledger/acceptance.py), and beside a release that a ledger of its own
paid for lies a hash, for its owner's eyes.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from starling.errors import OutputError, PolicyRefused
from starling.ledger.acceptance import accepted_files, files_now
from starling.ledger.opening import Ledger
from starling.ledger.rules import canonical


@dataclass(frozen=True, slots=True)
class Records:
    """The files of a release.

    Attributes:
        files: Names all of them; of a folder, all files below it. Asked where they matter: for an answer that a ledger keeps they may be
            gone.
        unvalidated: Whether they may be read although nobody accepted them.
        validate: The command that looks at them, for messages.
    """

    files: Callable[[], Iterable[Path]]
    unvalidated: bool
    validate: str

    def accepted(self, ledger: Ledger | None, dataset: str) -> int | None:
        """The event by which the custodian accepted these files, as they are now; None where nobody did.

        Args:
            ledger: In which that would be kept; None where each release brings one of its own.
            dataset: Registered there.

        Raises:
            PolicyRefused: nobody accepted them, and they are not to be read unvalidated.
        """
        event = None
        if ledger is not None:
            event = ledger.reading.accepted(dataset, accepted_files(ledger.book.key, self.files()))
        if event is None and not self.unvalidated:
            if ledger is None:
                problem = "cannot have been accepted: without --ledger nobody keeps that they were looked at"
            else:
                problem = f"were not accepted as those of {dataset}, or were changed since"
            fix = f"look at them by {self.validate} ... --accept, or release them with --unvalidated, which the release then says"
            raise PolicyRefused(field="records", problem=problem, fix=fix)
        return event

    def hashed(self) -> str:
        """SHA-256 of where the files lie, their sizes and times of change, hexadecimal."""
        return hashlib.sha256(canonical({"files": files_now(self.files())}).encode()).hexdigest()


def keep(out: Path, hashed: str) -> None:
    """Keep beside the release `out` which files it was made from."""
    note = _note(out)
    note.write_text(hashed + "\n")
    note.chmod(0o600)


def check_same(out: Path, hashed: str) -> None:
    """Raises OutputError unless the release `out` was made from the files of that hash."""
    try:
        kept = _note(out).read_text().strip()
    except OSError:
        kept = ""
    if kept != hashed:
        raise OutputError(
            field=str(out),
            problem="answers the same request about other records, or about these before they were changed",
            fix="choose a new folder for these records",
        )


def _note(out: Path) -> Path:
    return out.parent / f".{out.name}.records"
