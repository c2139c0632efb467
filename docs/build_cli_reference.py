"""Write docs/reference/cli.md from the commands themselves. Run this file after a change of a command."""

import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from starling.cli import EXIT_CODES, main

HEAD: Final = f"""# Command line

For everyone who types commands: what each one does, with its options.
`starling COMMAND --help` prints the same with an example, and more about it.
`python docs/build_cli_reference.py` writes this page.

`starling --version` shows the version. Every command has `--help`, and nearly every one `--json`, which prints one JSON document.
Results go to standard output; findings and progress go to standard error.
"Also" lists [options that commands share](#common-options) in the same words.

**Exit codes.** {EXIT_CODES}
"""
Record = tuple[str, str]
"""An option as help names and explains it."""
COMMON: Final = 2
"""In so many commands, an option is explained once, at the head of the page."""
FEW: Final = 4
"""So many names of commands are said beside an option that has other words in all others."""
SETS: Final = {
    "payment": ("--zip", "--ledger", "--dataset", "--analyst", "--request-id", "--unvalidated", "--yes"),
    "study": ("--genotypes", "--phenotype", "--covariates", "--sample"),
    "where": ("--rectangles", "--polygons", "--hexagons", "--units", "--level", "--together"),
}
"""Options that go together, by the name of their list."""


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


def typed(record: Record) -> str:
    """What is typed of an option, without its value."""
    return record[0].split()[0]


def common_options() -> dict[Record, str]:
    """The options that many commands have in the same words, each with whose it is, where that has to be said.

    Of one name, the words of most commands are anybody's. Other words are those of a part of the page, or of commands of
    a few names, where all of these have them.
    """
    having: dict[Record, list[tuple[str, str]]] = defaultdict(list)
    for command, context in commands():
        for record in options(command, context):
            having[record].append((part_of(context).removeprefix("starling "), str(command.name)))
    many = {record: homes for record, homes in having.items() if len(homes) >= COMMON}
    common: dict[Record, str] = {}
    for record, homes in sorted(many.items(), key=lambda each: -len(each[1])):
        rivals = [other for other in many if other != record and typed(other) == typed(record)]
        if not any(rival in common for rival in rivals):
            common[record] = ""
            continue
        for side in (0, 1):
            mine = {home[side] for home in homes}
            if len(mine) <= FEW and not mine & {home[side] for rival in rivals for home in many[rival]}:
                common[record] = f" of {', '.join(f'`{name}`' for name in sorted(mine))}"
                break
    return common


def explained(common: Mapping[Record, str]) -> str:
    """Common options with what they mean: those of each set, and all others."""
    lines = {record: f"- `{record[0]}`{whose}: {record[1]}" for record, whose in sorted(common.items())}
    blocks = []
    for title, names in SETS.items():
        own = [record for name in names for record in lines if typed(record) == name and not common[record]]
        blocks.append("\n".join([f"Those of *{title}*:", "", *(lines.pop(record) for record in own)]))
    return "\n\n".join([*blocks, "\n".join(["All others:", "", *lines.values()])])


def in_sets(taken: Sequence[str]) -> list[str]:
    """Options, of which a whole set is said by its name."""
    whole = [title for title, names in SETS.items() if set(names) <= set(taken)]
    rest = [f"`{name}`" for name in taken if not any(name in SETS[title] for title in whole)]
    return [*rest, *(f"*{title}*" for title in whole)]


def entry(command: click.Command, context: click.Context, common: Mapping[Record, str]) -> str:
    """The section of the page about one command; `common` are the options that are explained elsewhere on the page."""
    level = min(len(context.command_path.split()), 3)
    arguments = [each.make_metavar(context) for each in command.get_params(context) if isinstance(each, click.Argument)]
    listed = options(command, context)
    summary, *more = inspect.cleandoc(command.help or "").partition("\f")[0].replace("\b\n", "").split("\n\n")
    taken = [typed(record) for record in listed if record in common]
    blocks = [
        " ".join(["#" * level, heading(context), *arguments]),
        "\n\n".join([summary, *more]) if isinstance(command, click.Group) else summary,
        "\n".join(f"- `{name}`: {text}" for name, text in listed if (name, text) not in common),
        f"Also: {', '.join(in_sets(taken))}." if taken else "",
    ]
    return "\n\n".join(block for block in blocks if block)


def repeated(command: click.Command, context: click.Context, seen: Mapping[str, str]) -> str:
    """What a group is where all of its commands stand in one earlier group by the same names, with options of its own; else nothing."""
    if not isinstance(command, click.Group) or context.parent is None or context.parent.parent is None:
        return ""
    names = command.list_commands(context)
    (group, *others) = {seen.get(name, "") for name in names}
    if others or not group:
        return ""
    above, below = (
        [options(*each) for each in commands() if each[1].command_path in {f"{path} {name}" for name in names}]
        for path in (group, context.command_path)
    )
    earlier = {record for each in above for record in each}
    own = [record for record in below[0] if record not in earlier and all(record in each for each in below)]
    lines = [f"- `{name}`: {text}" for name, text in own]
    sentence = f"Commands: those of `{group}`: {', '.join(f'`{name}`' for name in names)}, with:"
    return "\n".join([sentence, "", *lines])


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
        blocks.append(entry(command, context, common))
        if sentence := repeated(command, context, seen):
            blocks.append(sentence)
            hidden.append(context.command_path)
        seen.setdefault(name, parent)
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "cli.md").write_text(page())
