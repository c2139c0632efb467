"""`starling answer`: what a release says to a question, on this machine; and how any command shows an answer."""

import json
from pathlib import Path
from typing import Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working

question_option: Final = click.option(
    "--question",
    "text",
    required=True,
    metavar="JSON",
    help="What is asked; @FILE reads it from a file.",
)


@command(
    "answer",
    example='starling answer release --question \'{"kind": "rows", "table": "t1", "most": 10}\'',
)
@click.argument("release", type=options.PATH)
@question_option
@options.signer
def answer(release: Path, *, text: str, key: str | None) -> Result:
    """What RELEASE, a folder or its zip, says to a question: rows of a table, or a sum, difference or ratio of numbers with its interval.

    It costs nothing.
    """
    from starling.cli.auditing import pin
    from starling.cli.remote import question_of
    from starling.verification import open_release

    question = question_of(text)
    working("checking the release")
    with open_release(release, key=pin(key)) as opened:
        answered = opened.tell(question)
    return Result(lambda: answer_text(answered), lambda: answered)


def answer_text(value: Any) -> str:
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
