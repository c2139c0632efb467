"""What pages are asked and what they reply: the values of an address, and bytes with their media type."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from io import BytesIO
from typing import BinaryIO, Final
from urllib.parse import parse_qsl, quote, urlencode

from starling.errors import ParameterError

HTML: Final = "text/html; charset=utf-8"
MOST_FIELDS: Final = 2_000
"""Values in one address."""
_UNPLAIN: Final = re.compile(r"[^A-Za-z0-9 ._-]")
_WHOLE: Final = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent.

    Attributes:
        body: Its bytes, or an open file of them, at its beginning.
        kind: Their media type.
        status: Of HTTP.
        headers: Besides those of every reply, or in place of them; of plain letters, as HTTP takes them.
    """

    body: bytes | BinaryIO
    kind: str = HTML
    status: int = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a header that no server could send."""
        if not all(value.isascii() and value.isprintable() for value in self.headers.values()):
            raise ValueError("a header is not of printable ASCII letters")

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self.body) if isinstance(self.body, bytes) else os.fstat(self.body.fileno()).st_size

    def opened(self) -> BinaryIO:
        """The body as a file, which the caller closes."""
        return BytesIO(self.body) if isinstance(self.body, bytes) else self.body


def attached(body: bytes | BinaryIO, name: str, kind: str) -> Reply:
    """A file that a browser saves under a name (RFC 6266); letters that nobody sees, or that part paths, are underscores."""
    name = "".join(letter if letter.isprintable() and letter not in "/\\" else "_" for letter in name)
    plain = _UNPLAIN.sub("_", name)
    encoded = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return Reply(body, kind, headers={"Content-Disposition": f'attachment; filename="{plain}"{encoded}'})


class Query:
    """The values in the query of an address.

    Args:
        text: The query, without its question mark.

    Raises:
        ParameterError: it has too many values, or is not the UTF-8 of any.
    """

    def __init__(self, text: str) -> None:
        try:
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        except ValueError:
            raise ParameterError("address", "has values that cannot be read", "go back, and choose again") from None
        self.pairs = tuple((name, value) for name, value in pairs if value)

    def several(self, name: str) -> tuple[str, ...]:
        """All values of a name, in their order."""
        return tuple(value for each, value in self.pairs if each == name)

    def one(self, name: str, default: str = "") -> str:
        """The value of a name; raises ParameterError where there are several."""
        values = self.several(name)
        if len(values) > 1:
            raise ParameterError(name, "is there twice", "give one value")
        return values[0] if values else default

    def whole(self, name: str, default: int = 0) -> int:
        """A whole number from 0 on; raises ParameterError where it is none."""
        text = self.one(name, str(default))
        if not _WHOLE.fullmatch(text):
            raise ParameterError(name, "is no whole number from 0 on", "write digits alone")
        return int(text)

    def others(self, *names: str) -> dict[str, str]:
        """The value of each name but these; raises ParameterError where one has several."""
        return {name: self.one(name) for name, _ in self.pairs if name not in names}

    def changed(self, **changes: object) -> "Query":
        """The query with other values of some names; None takes a name away."""
        pairs = [(name, value) for name, value in self.pairs if name not in changes]
        return Query(urlencode(pairs + [(name, str(value)) for name, value in changes.items() if value is not None]))

    def steps(self, first: int, most: int, before: str, after: str, *, more: bool) -> list[tuple[str, str]]:
        """Words and address of the parts before and after the part of a list that begins at `first` and has at most `most` rows."""
        steps = [(before, self.address(first=max(first - most, 0)))] if first else []
        return [*steps, *([(after, self.address(first=first + most))] if more else [])]

    def address(self, **changes: object) -> str:
        """The changed query as it stands in an address."""
        return f"?{urlencode(self.changed(**changes).pairs)}"
