"""A body is bounded in bytes, time and depth, and read in one way by everybody; each refusal has the one shape."""

import asyncio
import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive

from starling.errors import ParameterError
from starling.server.bodies import _STRING, DEEPEST, MOST_BYTES, TooLarge, TooSlow, _depth, check, received, repeated
from starling.server.home import Home
from tests.server.conftest import Asker


def sending(parts: Iterable[bytes]) -> Receive:
    """A client that sends these parts, and then says nothing for ever."""
    left = [*parts]

    async def receive() -> Message:
        if not left:
            await asyncio.Event().wait()
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left) or part == b"slow"}

    return receive


def test_it_is_put_together_and_repeated() -> None:
    async def once() -> tuple[bytes, Message, Message]:
        async def gone() -> Message:
            return {"type": "http.disconnect"}

        body = await received(sending([b"a", b"", b"bc"]))
        again = repeated(body, gone)
        return body, await again(), await again()

    body, first, second = asyncio.run(once())
    assert (body, first["body"], first["more_body"], second["type"]) == (b"abc", b"abc", False, "http.disconnect")


def test_one_byte_too_many_is_not_read_on() -> None:
    assert len(asyncio.run(received(sending([b"x" * MOST_BYTES])))) == MOST_BYTES
    with pytest.raises(TooLarge):
        asyncio.run(received(sending([b"x" * MOST_BYTES, b"x", b"never read"])))


def test_a_slow_client_is_not_waited_for() -> None:
    with pytest.raises(TooSlow):
        asyncio.run(received(sending([b"slow"]), seconds=0.01))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"[" * (DEEPEST + 1), "is nested more than"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "is nested more than"),
        (b'{"request_id": "a", "request_id": "b"}', "says a key twice"),
        (b'{"a": {"b": 1, "\\u0062": 2}}', "says a key twice"),
        (b'{"a": NaN}', "a number that JSON does not have"),
        (b"-Infinity", "a number that JSON does not have"),
    ],
)
def test_json_that_readers_read_differently_is_refused(
    asker: Asker, tokens: dict[str, str], body: bytes, problem: str
) -> None:
    with pytest.raises(ParameterError, match=problem):
        check(body)
    headers = [("Authorization", f"Bearer {tokens['analyst']}"), ("Content-Type", "application/json")]
    reply = asker.ask("POST", "/v1/datasets/census/releases", headers, body)
    assert (reply.status_code, reply.json()["error"]["problems"][0]["field"]) == (422, "body")


BRACKETS = [
    '"' + "[" * 100 + '"', '{"a": "' + "{[" * 60 + '"}', '["\\"' + "[" * 50 + '"]', '["\\\\", "' + "[" * 50 + '"]',
    '"' + "[" * 50, '"\\' + "[" * 50, '"' + "[" * 50 + "\\", '"\n' + "[" * 50 + '"',
]  # fmt: skip


@pytest.mark.parametrize("body", BRACKETS)
def test_brackets_in_texts_are_no_levels(body: str) -> None:
    check(body.encode())
    with pytest.raises(ParameterError, match="nested"):
        check(("[" * DEEPEST + "[" + body + "]" * (DEEPEST + 1)).encode())


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_a_reason_may_hold_any_brackets(selling: Home, asker: Asker, tokens: dict[str, str]) -> None:
    body = {"request_id": "first", "reason": "[" * 100}
    reply = asker.post("/v1/datasets/census/requests", tokens["analyst"], body)
    assert (reply.status_code, "does not ask first" in reply.text) == (403, True)


@pytest.mark.examples(20)
@given(st.recursive(st.none() | st.text(alphabet='[]{}"\\a\n', max_size=8), lambda x: st.lists(x, max_size=3)))
def test_levels_are_those_of_the_value(value: object) -> None:
    def depth(each: object) -> int:
        return 1 + max(map(depth, each), default=0) if isinstance(each, list) else 0

    assert _depth(json.dumps(value)) == depth(value)


def test_no_quotation_mark_is_looked_at_twice() -> None:
    """Every one begins or ends a text: one that begins none would let each search go on to the end of the body."""
    for letters in ('\\"', '"', "\\", '"\\'):
        text = letters * (MOST_BYTES // len(letters))
        assert '"' not in _STRING.sub("", text)


@pytest.mark.parametrize("body", [b"", b"{}", b"[1, {}]", b"no json", b"\xff\xfe", b'{"a": 1}', b"[" * DEEPEST])
def test_whatever_else_is_left_to_the_route(body: bytes) -> None:
    check(body)


@pytest.mark.parametrize("body", [b"no json", b"\xff\xfe", b"{", b""])
def test_what_is_no_json_is_refused_in_one_shape(
    selling: Home, asker: Asker, tokens: dict[str, str], body: bytes
) -> None:
    headers = [("Authorization", f"Bearer {tokens['analyst']}"), ("Content-Type", "application/json")]
    reply = asker.ask("POST", "/v1/datasets/census/releases", headers, body)
    assert reply.status_code in (400, 422)
    assert reply.json()["error"]["problems"]
    assert selling.folder.is_dir()


def test_a_long_body_is_refused_whoever_sends_it(asker: Asker) -> None:
    reply = asker.ask("POST", "/v1/datasets/census/releases", [], b"x" * (MOST_BYTES + 1))
    assert (reply.status_code, reply.headers["connection"], reply.json()["error"]["kind"]) == (413, "close", "TooLarge")
