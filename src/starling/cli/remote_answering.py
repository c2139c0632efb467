"""`starling remote questions` and `answer`: what a release says to a question, asked of the server, at no cost."""

import json
from collections.abc import Mapping
from typing import Any

from starling.cli import options
from starling.cli.answering import answer_text, question_option
from starling.cli.commands import Result, command
from starling.cli.remote import client_of, question_of


@command("questions", example="starling remote questions 7")
@options.numbered
def questions(number: int) -> Result:
    """Which questions release NUMBER answers at no cost, each with what it takes. --json prints their JSON Schema."""
    with client_of() as client:
        schema = client.questions(number)
    return Result(lambda: "\n".join(line for each in schema.get("oneOf", ()) for line in _lines(each)), lambda: schema)


@command(
    "answer",
    example='starling remote answer 7 --question \'{"kind": "rows", "table": "t1", "most": 10}\'',
)
@options.numbered
@question_option
def answer(number: int, *, text: str) -> Result:
    """What release NUMBER says to a question: the same as the opened release does, without fetching it. Costs nothing."""
    question = question_of(text)
    with client_of() as client:
        answered = client.answer(number, question)
    return Result(lambda: answer_text(answered), lambda: answered)


def _lines(schema: Mapping[str, Any]) -> list[str]:
    """A question as people read it: what it is, and each thing that it takes."""
    lines = [f"{schema['title']}: {schema['description']}"]
    for name, each in schema["properties"].items():
        if "const" not in each:
            wanted = "required" if name in schema["required"] else f"default {json.dumps(each.get('default'))}"
            lines.append(f"    {name}  ({wanted})")
    return lines
