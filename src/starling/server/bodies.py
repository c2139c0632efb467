"""The body of a request, before anything is made of it: bounded in bytes and time, and JSON that every reader reads alike."""

import asyncio
import json
import re
from typing import Any, ClassVar, Final

from starlette.types import Message, Receive

from starling.errors import ParameterError

MOST_BYTES: Final = 1 << 16
"""Bytes of a body: a plan is registered on the command line, and what is asked over HTTP is short."""
MOST_SECONDS: Final = 10.0
"""Seconds for which a body may take to come."""
DEEPEST: Final = 32
"""Objects and lists within one another."""
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', re.DOTALL)
"""A string, or the rest of what never ends: so each letter is looked at once."""


class TooLarge(ParameterError):
    """A body is longer than any that is asked for."""

    status: ClassVar[int] = 413


class TooSlow(ParameterError):
    """A body did not come in time."""

    status: ClassVar[int] = 408


async def received(receive: Receive, *, seconds: float = MOST_SECONDS) -> bytes:
    """The whole body of a request; raises TooLarge or TooSlow where it is beyond a bound, and nobody goes on to read it."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                part = message.get("body", b"")
                size += len(part)
                if size > MOST_BYTES:
                    raise TooLarge(
                        "body", f"is longer than {MOST_BYTES:,} bytes", "send what /v1/openapi.json describes"
                    )
                parts.append(part)
                more = message["type"] == "http.request" and message.get("more_body", False)
    except TimeoutError:
        raise TooSlow("body", f"took longer than {seconds:g} seconds to come", "send it at once") from None
    return b"".join(parts)


def check(body: bytes) -> None:
    """Raises ParameterError for JSON that is nested too deeply, says a key twice, or holds a number that is none.

    What is no JSON at all is refused by the route, which knows what it expects.
    """
    if not body:
        return
    try:
        read_json(body.decode())
    except ValueError:
        return


def read_json(text: str) -> Any:
    """What a JSON text says, in a body or in a field of a form; raises ParameterError as `check`, and ValueError for what is no JSON."""
    if _depth(text) > DEEPEST:
        raise ParameterError("body", f"is nested more than {DEEPEST} deep", "send what /v1/openapi.json describes")
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _depth(text: str) -> int:
    r"""How deep brackets stand in one another, those in strings aside.

    >>> _depth('{"a[[[": ["\\", "\"[[["]}')
    2
    """
    deepest = depth = 0
    for letter in _STRING.sub("", text):
        if letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ParameterError("body", "says a key twice", "say it once: readers differ in which they believe")
    return values


def _no_number(_: str) -> Any:
    raise ParameterError("body", "holds a number that JSON does not have", "send a number")


def repeated(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was received once more, and then goes on."""
    left = [body]

    async def replay() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return replay
