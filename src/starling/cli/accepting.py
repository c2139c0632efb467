"""How a `validate` command ends: what was found, decisive findings first, and the custodian's word that these files were looked at."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from starling.cli import inputs
from starling.cli.commands import found_json, show
from starling.errors import LISTED, SHOWN, Found, ParameterError, RecordsInvalid, SourceError

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Accepting(TypedDict):
    """What is to be listed, and in which ledger the files are accepted, as `options` gives it."""

    everything: bool
    accept: bool
    ledger: str | None
    dataset: str
    yes: bool
    as_json: bool


def options(function: Decorated) -> Decorated:
    """--all, --accept and what it needs, --json: what `Accepting` holds."""
    given = (
        click.option("--all", "everything", is_flag=True, help="List every finding, not the first twenty."),
        click.option(
            "--accept", is_flag=True, help="Keep in the ledger that these files were looked at; never what was found."
        ),
        click.option("--ledger", metavar="URL", help="Of --accept: sqlite:///FILE or postgresql://..."),
        click.option("--dataset", metavar="NAME", default="", help="Of --accept: what the records are registered as."),
        click.option("--yes", is_flag=True, help="Accept without asking, whatever was found."),
        inputs.as_json,
    )
    for option in reversed(given):
        function = option(function)
    return function


def listed(accepting: Accepting) -> int:
    """How many findings are listed."""
    return LISTED if accepting["everything"] or accepting["as_json"] else SHOWN


def accepting_ledger(accepting: Accepting) -> "Ledger | None":
    """The ledger in which files are to be accepted, if they are.

    Raises:
        ParameterError: the options do not fit.
    """
    named = accepting["ledger"] is not None or bool(accepting["dataset"])
    if not accepting["accept"]:
        if named:
            raise ParameterError(
                field="--accept", problem="is missing, and a ledger is named", fix="add --accept, or name no ledger"
            )
        return None
    if accepting["ledger"] is None or not accepting["dataset"]:
        fix = "give --ledger URL and --dataset NAME: starling ledger show"
        raise ParameterError(field="--accept", problem="does not say in which ledger, for which dataset", fix=fix)
    from starling.ledger.opening import open_ledger

    return open_ledger(accepting["ledger"])


def conclude(
    accepting: Accepting,
    book: "Ledger | None",
    files: Sequence[Path],
    found: tuple[Found, Found],
    told: tuple[str, dict[str, Any]],
) -> None:
    """Tell what was found, and accept the files where that is asked for.

    Args:
        accepting: What the command was given.
        book: The ledger in which the files are accepted.
        files: What was looked at.
        found: Problems and notes.
        told: What was read, in words and for machines.

    Raises:
        RecordsInvalid: there are problems, and the files are not accepted.
        ParameterError: there are problems, the files are to be accepted, and nobody can be asked.
    """
    problems, notes = found
    words, machine = told
    if accepting["as_json"]:
        accepted = book is not None and _accept(accepting, book, files, problems)
        says = {"valid": problems.none, "accepted": accepted, **machine}
        show(says | {"problems": found_json(problems), "notes": found_json(notes)})
        sys.exit(0 if problems.none or accepted else SourceError.exit_code)
    for note in notes.listed:
        click.echo(f"note: {note}", err=True)
    if notes.more:
        click.echo(f"note: and {notes.more:,} more: --all lists them", err=True)
    if book is None:
        problems.refuse()
    try:
        problems.refuse()
    except RecordsInvalid as invalid:
        click.echo("\n".join(f"starling: {line}" for line in str(invalid).splitlines()), err=True)
    ends = "nothing breaks the rules" if problems.none else "see above for what breaks the rules"
    if book is not None:
        if not _accept(accepting, book, files, problems):
            click.echo("Nothing was accepted.", err=True)
            sys.exit(SourceError.exit_code)
        ends += f"\naccepted: these {len(files)} files of {accepting['dataset']}, as long as nobody changes them"
    show(f"{words}: {ends}")


def _accept(accepting: Accepting, book: "Ledger", files: Sequence[Path], problems: Found) -> bool:
    """Whether the files are accepted now: at once where nothing was found, else when the custodian says so."""
    from starling.ledger.acceptance import accepted_files

    if not problems.none and not accepting["yes"]:
        if not (sys.stdin.isatty() and sys.stderr.isatty()) or accepting["as_json"]:
            raise ParameterError(
                field="--yes",
                problem="is missing, there are problems, and there is no terminal to ask whether to accept the files",
                fix="look at them without --accept, then add --yes",
            )
        if not click.confirm("Accept these files as they are?", err=True):
            return False
    book.custody.accept(accepting["dataset"], accepted_files(book.book.key, files))
    return True
