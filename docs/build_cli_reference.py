"""Write docs/reference/cli.md from the help that the commands print. Run this file after a change of a command."""

from collections.abc import Iterator
from pathlib import Path

import click

from starling.cli import EXIT_CODES, main

HEAD = f"""# Command line

What `--help` prints, for every command. This page is written by `python docs/build_cli_reference.py`, and a test compares
it with the live help. Exit codes: {EXIT_CODES}
"""


def walk(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """The full name and the help of a command and of all below it, in the order in which they are listed."""
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from walk(below, click.Context(below, parent=context, info_name=name, terminal_width=100))


def helps() -> Iterator[tuple[str, str]]:
    """The name and help of every command."""
    yield from walk(main, click.Context(main, info_name="starling", terminal_width=100))


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(f"## {name}\n\n```text\n{text}\n```\n" for name, text in helps())])


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "cli.md").write_text(page())
