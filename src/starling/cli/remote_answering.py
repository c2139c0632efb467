"""`starling remote questions` and `answer`: what a release says to a question, asked of the server, at no cost."""

import json
from collections.abc import Mapping
from typing import Any

import click

from starling.cli.commands import Result, command
from starling.cli.remote import client_of, question_of

_number = click.argument("number", type=click.IntRange(1, 2**62))


@command("questions", example="starling remote questions 7")
@_number
def questions(number: int) -> Result:
    """Which questions release NUMBER answers at no cost, each with what it takes. --json prints their JSON Schema."""
    with client_of() as client:
        schema = client.questions(number)
    return Result(lambda: "\n".join(line for each in schema.get("oneOf", ()) for line in _lines(each)), lambda: schema)


@command(
    "answer",
    example='starling remote answer 7 --question \'{"kind": "rows", "table": "t1", "most": 10}\'',
)
@_number
@click.option(
    "--question",
    "text",
    required=True,
    metavar="JSON",
    help="What is asked, as `starling remote questions` says; @FILE reads it from a file.",
)
def answer(number: int, *, text: str) -> Result:
    """What release NUMBER says to a question: the same as the opened release does, without fetching it. Costs nothing."""
    question = question_of(text)
    with client_of() as client:
        answered = client.answer(number, question)
    return Result(lambda: _text(answered), lambda: answered)


def _lines(schema: Mapping[str, Any]) -> list[str]:
    """A question as people read it: what it is, and each thing that it takes."""
    lines = [f"{schema['title']}: {schema['description']}"]
    for name, each in schema["properties"].items():
        if "const" not in each:
            wanted = "required" if name in schema["required"] else f"default {json.dumps(each.get('default'))}"
            lines.append(f"    {name}  ({wanted})")
    return lines


def _text(value: Any) -> str:
    """Rows as a table; anything else as its names and values."""
    from starling.release.text import facts, table

    if isinstance(value, dict) and {"columns", "rows"} <= set(value):
        more = ["", "There are more such rows: ask for them with `first`."] if value.get("more") else []
        return "\n".join([table(value["columns"], [list(map(_word, row)) for row in value["rows"]]), *more])
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return table(list(value[0]), [[_word(value) for value in each.values()] for each in value])
    if isinstance(value, dict):
        return facts([(name, _word(value)) for name, value in value.items()])
    return json.dumps(value)


def _word(value: Any) -> str:
    from starling.errors import plain

    return plain(value) if isinstance(value, str) else json.dumps(value)
