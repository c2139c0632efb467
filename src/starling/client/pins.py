"""Which key a server signs with, as this user has seen it first: another one later is refused until the user accepts it."""

import json
import os
from pathlib import Path

from starling.errors import IntegrityError, OutputError, ParameterError
from starling.ledger.keys import Pin, Public, folder, make_home
from starling.planfile.foreign import content

MOST_BYTES = 1 << 20


def pinned(url: str) -> Pin | None:
    """The key that a server signed with before; None where this user has fetched nothing from it yet."""
    text = _pins().get(url)
    return None if text is None else Pin.parse(text)


def pin(url: str, key: Public) -> None:
    """Remember the key of a server; raises OutputError where that cannot be written."""
    pins = _pins() | {url: key.text}
    path = _path()
    partial = path.with_suffix(".partial")
    try:
        make_home()
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(pins, file, indent=1)
        partial.replace(path)
    except OSError:
        raise OutputError("key", "of the server cannot be remembered", "make STARLING_HOME writable") from None


def _pins() -> dict[str, str]:
    try:
        return {str(url): Public.parse(key).text for url, key in json.loads(content(_path(), MOST_BYTES)).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, RecursionError, ParameterError):
        problem = "cannot be read as the keys of servers"
        raise IntegrityError(_path().name, problem, "look who changed it, or remove it to begin anew") from None


def _path() -> Path:
    return folder() / "servers.json"
