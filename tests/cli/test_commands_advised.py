"""Every command that a message, help or docstring of the source advises exists, with its options, as the real parser has it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

import starling
from starling.cli import main

SOURCE = Path(starling.__file__).parent
COMMAND = re.compile(r"\bstarling ((?:[a-z][a-z-]*)(?: (?:--[a-z-]+|\{\}|[A-Za-z][A-Za-z-]*|\.\.\.|[A-Z]+=[A-Z]+))*)")
SIGNED = re.compile(r"starling [a-z ]+\n")
"""How a message begins that a key signs, which says what it is for."""
PROSE = {"DOMAIN": "groups", "VERB": "validate", "NAME": "groups", "QUESTION": "num-sig"}
"""Words in place of commands, as people write them."""


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the source with its place; what is put into one stands as {}."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "starling " not in (source := path.read_text()):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.JoinedStr):
                parts = [str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values]
                yield f"{path.name}:{node.lineno}", "".join(parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.name}:{node.lineno}", node.value


def wrong(words: list[str]) -> str | None:
    """What the parser has against a command line, as far as it is one."""
    command: click.Command = main
    while words and isinstance(command, click.Group):
        word = PROSE.get(words[0], words[0])
        found = command.get_command(click.Context(command), word)
        if found is None:
            return None if word == "{}" or (command is main and word not in VERBS) else f"no command {word}"
        command, words = found, words[1:]
    options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help", "--version"}
    return next((f"no option {each}" for each in words if each.startswith("--") and each not in options), None)


VERBS = {*main.list_commands(click.Context(main)), "accept", "dataset", "release", "approve"}


def test_every_advised_command_is_one() -> None:
    found = [
        (place, match[0], problem)
        for place, text in texts()
        for match in COMMAND.finditer(text)
        if not SIGNED.match(text)
        if (problem := wrong(match[1].split())) is not None
    ]
    assert found == []
    assert sum(len(COMMAND.findall(text)) for _, text in texts()) > 200, "they are looked for"


def test_what_is_no_command_is_found() -> None:
    for words in (
        "server acept",
        "server accept home data --agin",
        "accept data",
        "ledger retyre",
        "remote approved 1 --no",
    ):
        assert wrong(words.split()) is not None, words
