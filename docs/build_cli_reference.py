"""Write docs/reference/cli.md from the commands themselves. Run this file after a change of a command."""

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from starling.cli import EXIT_CODES, main

HEAD: Final = f"""# Command line

For everyone who types commands: what each one does, with its options.
`starling COMMAND --help` prints the same with an example, and more about it.
This page is written by `python docs/build_cli_reference.py`, and a test compares it with the live commands.

`starling --version` shows the version. Every command has `--help`, and nearly every one `--json`, which prints one JSON document.
Results go to standard output; findings and progress go to standard error.
An option that commands share in the same words is explained once: here, or at the head of its part.
"Also" lists arguments, and options that are explained so.

**Exit codes.** {EXIT_CODES}
"""
COMMON: Final = 2
"""In so many commands, an option is explained once: at the head of the page, or of their part."""


def walk(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """A command and all below it, in the order in which they are listed, each with its context."""
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from walk(below, click.Context(below, parent=context, info_name=name, terminal_width=100))


def commands() -> list[tuple[click.Command, click.Context]]:
    """Every command with its context."""
    return [*walk(main, click.Context(main, info_name="starling", terminal_width=100))]


def helps() -> Iterator[tuple[str, str]]:
    """The name and help of every command."""
    for command, context in commands():
        yield context.command_path, command.get_help(context)


def options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """The options of a command as its help names and explains them, without those that every command has."""
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    return [(name, text) for name, text in filter(None, records) if name not in ("--help", "--json") and text]


def heading(context: click.Context) -> str:
    """What a command is called on the page: its words after `starling`."""
    return context.command_path.removeprefix("starling ")


def part_of(context: click.Context) -> str:
    """The part of the page in which a command stands: the name of its outermost group."""
    return " ".join(context.command_path.split()[:2])


def common_options(part: str = "") -> dict[str, str]:
    """The options that many commands of a part, or of all parts, have in the same words; of one name, the words of most commands."""
    counted = Counter(record for each in commands() if part in ("", part_of(each[1])) for record in options(*each))
    common: dict[str, str] = {}
    for (name, text), number in counted.most_common():
        if number >= COMMON:
            common.setdefault(name, text)
    return common


def explained(common: dict[str, str]) -> str:
    """Common options with what they mean."""
    return "\n".join(["Common options:", "", *(f"- `{name}`: {text}" for name, text in sorted(common.items()))])


def entry(command: click.Command, context: click.Context, common: dict[str, str]) -> str:
    """The section of the page about one command; `common` are the options that are explained elsewhere on the page."""
    level = min(len(context.command_path.split()), 3)
    arguments = [each.make_metavar(context) for each in command.get_params(context) if isinstance(each, click.Argument)]
    listed = options(command, context)
    shared = [f"`{name.split()[0]}`" for name, text in listed if common.get(name) == text]
    summary, *more = inspect.cleandoc(command.help or "").partition("\f")[0].replace("\b\n", "").split("\n\n")
    taken = [*(f"`{name}`" for name in arguments), *shared]
    blocks = [
        f"{'#' * level} {heading(context)}",
        "\n\n".join([summary, *more]) if isinstance(command, click.Group) else summary,
        "\n".join(f"- `{name}`: {text}" for name, text in listed if common.get(name) != text),
        f"Also: {', '.join(taken)}." if taken else "",
    ]
    return "\n\n".join(block for block in blocks if block)


def repeated(command: click.Command, context: click.Context, seen: Mapping[str, str]) -> str:
    """What a group is in a sentence where all of its commands stand in one earlier group by the same names; else nothing."""
    if not isinstance(command, click.Group) or context.parent is None or context.parent.parent is None:
        return ""
    names = command.list_commands(context)
    groups = {seen.get(name, "") for name in names}
    (group, *others) = groups
    return "" if others or not group else f"Commands: those of `{group}`: {', '.join(f'`{name}`' for name in names)}."


def page() -> str:
    """The whole page."""
    common = common_options()
    blocks = [HEAD.rstrip("\n"), "## Common options", explained(common)]
    seen: dict[str, str] = {}
    hidden: list[str] = []
    for command, context in commands()[1:]:
        parent, _, name = context.command_path.rpartition(" ")
        if parent in hidden:
            continue
        within = common_options(part_of(context))
        blocks.append(entry(command, context, common | within))
        own = {name: text for name, text in within.items() if common.get(name) != text}
        if context.command_path == part_of(context) and own:
            blocks.append(explained(own))
        if sentence := repeated(command, context, seen):
            blocks.append(sentence)
            hidden.append(context.command_path)
        seen.setdefault(name, parent)
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "cli.md").write_text(page())
