"""What the server tells on standard error: sentences for people, or JSON, one object a line, for programs.

A line names the pattern of a route, never a path, a header or a body: no token and nothing that was asked for is in it. It says no
duration, which could depend on records.
"""

import json
import logging
import sys
import warnings
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from starling.errors import StarlingWarning

Form: TypeAlias = Literal["text", "json"]
LOGGER: Final = logging.getLogger("starling.server")
FIELDS: Final = "starling"
"""The attribute of a record that holds the fields of its line."""


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """One JSON object. What a library says is not told: its kind alone, since its words could show values."""
        is_starling = record.name.startswith("starling")
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "from": record.name}
        line |= {"event": record.getMessage()} if is_starling else {"event": "a library tells something"}
        return json.dumps(line | getattr(record, FIELDS, {}))


def begin(form: Form) -> None:
    """Begin to log in this process."""
    if form == "text":
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    LOGGER.setLevel(logging.INFO)
    warnings.showwarning = _warned


def report(form: Form, words: str, *, warning: bool = False) -> None:
    """A sentence of the server or a worker; a warning is one that the custodian should act on."""
    if form == "json":
        LOGGER.log(logging.WARNING if warning else logging.INFO, words)
    else:
        sys.stderr.write(f"starling: {'warning: ' if warning else ''}{words}\n")


def answered(method: str, route: str | None, status: int) -> None:
    """A request was answered; said in JSON alone. A method is told of a route that is there."""
    LOGGER.info("request", extra={FIELDS: {"method": method if route else None, "route": route, "status": status}})


def _warned(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, StarlingWarning):
        LOGGER.warning(str(message))
