"""The confidential files that a release is made from: whether their custodian accepted them, and that an answer belongs to them.

Nothing of what they hold is looked at here, only where they lie, their sizes and when they were changed last. Size and time may tell of
records, so none of it is in a release: the ledger keeps a token (`accepted_files`), a keyed hash, so that nobody without the custodian's
key can guess a file and try it; and beside a release that a ledger of its own paid for lies a hash, for its owner's eyes. Two times are
taken: that of the content, which anybody may set back, and that of the file's entry, which the system alone sets.

An acceptance is bound to the bytes besides, by another keyed hash, which is taken when the custodian accepts: where files were moved,
restored or touched, `accept_again` carries it over to the same bytes. A release reads no byte before its charge.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from starling.errors import OutputError, PolicyRefused, SourceError
from starling.ledger.keys import Key
from starling.ledger.opening import Ledger
from starling.ledger.rules import canonical


@dataclass(frozen=True, slots=True)
class Records:
    """The files of a release: `files` names all of them where they matter, for those of an answer that a ledger keeps may be gone;
    `validate` is the command that looks at them, for messages.
    """

    files: Callable[[], Iterable[Path]]
    unvalidated: bool
    validate: str

    def accepted(self, ledger: Ledger | None, dataset: str) -> int | None:
        """The event by which the custodian accepted these files, as they are now; None where nobody did, or each release brings a ledger.

        Raises:
            PolicyRefused: nobody accepted them, and they are not to be read unvalidated.
        """
        event = None
        if ledger is not None:
            event = ledger.reading.accepted(dataset, accepted_files(ledger.book.key, self.files()))
        if event is None and not self.unvalidated:
            if ledger is None:
                problem = "need --ledger, which says that they were looked at, or --unvalidated"
            else:
                problem = f"were not accepted as those of {dataset}, or were changed since"
            fix = f"look at them by {self.validate} ... --accept, or release them with --unvalidated, which the release then says"
            raise PolicyRefused("records", problem, fix)
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
        noted = _note(out).read_text().strip()
    except OSError:
        noted = ""
    if noted != hashed:
        raise OutputError(
            str(out),
            "answers the same request about other records, or about these before they were changed",
            "choose a new folder for these records",
        )


def accept(ledger: Ledger, dataset: str, key: Key, paths: Sequence[Path], seen: str) -> None:
    """Keep in the ledger, opened with the custodian's key, that the custodian looked at these files, with a hash of their bytes.

    `seen` is their token (`accepted_files`) from before somebody looked at them.

    Raises:
        PolicyRefused: they were changed since.
        SourceError: one of them is not there.
    """
    content = accepted_content(key, paths)
    # After all of them were read.
    if accepted_files(key, paths) != seen:
        raise PolicyRefused("records", "were changed while they were looked at", "look at them again")
    ledger.custody.accept(dataset, seen, content)


def accept_again(ledger: Ledger, dataset: str, key: Key, paths: Sequence[Path]) -> None:
    """Accept files that hold the bytes which were accepted before, wherever they lie now; arguments and errors are those of `accept`.

    Raises:
        PolicyRefused: no such bytes were accepted for this dataset; or they were changed meanwhile.
    """
    seen = accepted_files(key, paths)
    if not ledger.reading.accepted_content(dataset, accepted_content(key, paths)):
        problem = f"do not hold the bytes that were accepted as those of {dataset}"
        raise PolicyRefused("records", problem, "look at them, and accept them without --again")
    accept(ledger, dataset, key, paths, seen)


def accepted_content(key: Key, paths: Iterable[Path]) -> str:
    """The token of the bytes of these files, in this order: HMAC-SHA256 over the SHA-256 and the ending of the name of each.

    Raises:
        SourceError: one of them is not there, or cannot be read.
    """
    entries = []
    for path in paths:
        for file in [path] if not path.is_dir() else sorted(each for each in path.rglob("*") if each.is_file()):
            try:
                with file.open("rb") as content:
                    # The ending says how they are read.
                    entries.append([file.suffix.lower(), hashlib.file_digest(content, "sha256").hexdigest()])
            except OSError:
                raise SourceError(file.name, "is not there", "name a file that you may read") from None
    return hmac.digest(key.derived("accepted content"), canonical({"files": entries}).encode(), "sha256").hex()


def _note(out: Path) -> Path:
    return out.parent / f".{out.name}.records"


def accepted_files(key: Key, paths: Iterable[Path]) -> str:
    """The token of these files, in whichever order: HMAC-SHA256, by the custodian's key, over absolute path, size and times of change.

    Raises:
        SourceError: one of them is not there.
    """
    files = canonical({"files": files_now(paths)})
    return hmac.digest(key.derived("accepted files"), files.encode(), "sha256").hex()


def files_now(paths: Iterable[Path]) -> list[tuple[str, int, int, int]]:
    """Absolute path, size, time of change of the content and of the entry of each file, ascending; of a folder, of all files below it.

    Raises:
        SourceError: one of them is not there.
    """
    return sorted({file for path in paths for file in _files(path)})


def _files(path: Path) -> list[tuple[str, int, int, int]]:
    try:
        files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
        known = [(str(each.resolve(strict=True)), each.stat()) for each in files]
        return [(name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) for name, stat in known]
    except OSError:
        raise SourceError(path.name, "is not there", "name a file that you may read") from None
