"""Where the draw of a request lies that was paid for and is not published yet: a note below STARLING_HOME.

A retry with another folder than the first run's would find nothing beside it, and pay again for what is only elsewhere. The note
names a place, nothing else; what lies there is believed where it has the hash that the ledger keeps.
"""

import hashlib
import os
from pathlib import Path

from starling.ledger.keys import folder


def remember(mark: str, temporary: Path) -> None:
    """Keep that the draw of the request with this mark lies in the folder `temporary`.

    Raises:
        OSError: it cannot be written.
    """
    path = _note(mark)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(os.fsencode(temporary.absolute()))


def remembered(mark: str) -> Path | None:
    """The folder that was kept last for the request with this mark; None where there is no note."""
    try:
        return Path(os.fsdecode(_note(mark).read_bytes()))
    except (OSError, ValueError):
        return None


def forget(mark: str) -> None:
    """Remove the note: the release is in place."""
    _note(mark).unlink(missing_ok=True)


def _note(mark: str) -> Path:
    return folder() / "draws" / hashlib.sha256(mark.encode()).hexdigest()[:32]
