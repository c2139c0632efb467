"""`validate`, the same in every domain: what is wrong with confidential files, and the custodian's word that they were looked at.

Decisive findings come first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.commands import Result, as_json, check_terminal, command, problem_json
from starling.cli.progress import working
from starling.errors import LISTED, SHOWN, Findings, ParameterError, RecordsInvalid, SourceError

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What is to be listed, and in which ledger the files are accepted, as the options of a command say it."""

    everything: bool
    accept: bool
    repeated: bool
    ledger: str | None
    dataset: str
    yes: bool

    def opened(self) -> "Ledger | None":
        """The ledger in which files are to be accepted, if they are; raises ParameterError where the options do not fit."""
        named = self.ledger is not None or bool(self.dataset)
        if not self.accept:
            if self.repeated:
                raise ParameterError("--again", "accepts nothing without --accept", "add --accept")
            if named:
                raise ParameterError("--accept", "is missing, and a ledger is named", "add --accept, or name no ledger")
            return None
        if self.ledger is None or not self.dataset:
            fix = "give --ledger URL and --dataset NAME: starling ledger show"
            raise ParameterError("--accept", "does not say in which ledger, for which dataset", fix)
        from starling.ledger.opening import open_ledger

        return open_ledger(self.ledger)


acceptance = options.as_one(
    "acceptance",
    Acceptance,
    options.flag("--all", "everything", help="List every finding, not the first twenty."),
    options.flag("--accept", help="Keep in the ledger that these files were looked at; never what was found."),
    options.flag(
        "--again",
        "repeated",
        help="Of --accept: files that hold the bytes accepted before, elsewhere or at another time.",
    ),
    click.option("--ledger", metavar="URL", help="Of --accept: sqlite:///FILE or postgresql://..."),
    click.option("--dataset", metavar="NAME", default="", help="Of --accept: what the records are registered as."),
    options.flag("--yes", help="Accept without asking, whatever was found."),
)
"""The options of every `validate`, as one argument `acceptance`."""
_LAST = "It ends with the custodian's word: --accept keeps, in the ledger, that these files were looked at, as a release from it demands."


def validating(
    domain: str,
    example: str,
    finds: str,
    *inputs: options.Decorator,
    plan: options.Decorator = options.plan_file,
    step: str = "reading every record",
) -> click.Command:
    """The command `validate` of a domain: it opens what a server would be given, looks at it, and accepts it where that is asked for.

    Args:
        domain: The name of the domain, whose files the options are named after (`Delivering.files`).
        example: The command line that its help starts with.
        finds: The first sentence of its help.
        inputs: The options of the files.
        plan: The argument that names the plan.
        step: What is done with the records, for people.
    """

    def validate(plan: Path | str, *, acceptance: Acceptance, **files: Path | None) -> Result:
        return _validated(domain, str(plan), {name: file for name, file in files.items() if file}, acceptance, step)

    validate.__doc__ = f"{finds} For their custodian alone; never publish it.\n\n{_LAST}"
    decorated = options.with_options(validate, plan, *inputs, acceptance)
    return command("validate", example=example)(decorated)


def _validated(domain: str, plan: str, named: Mapping[str, Path], acceptance: Acceptance, step: str) -> Result:
    """Look at confidential files, and accept them where that is asked for.

    Raises:
        RecordsInvalid: there are problems, and the files are not accepted.
        ParameterError: there are problems, the files are to be accepted, and nobody can be asked.
        PolicyRefused: files are not those that were accepted before, or were changed meanwhile.
    """
    from starling.domains import delivering_of
    from starling.release.records import accept_again, accepted_files

    book = acceptance.opened()
    delivery = delivering_of(domain).open(plan, named)
    files = tuple(delivery.source.files())
    these, them = (f"these {len(files)} files", "them") if len(files) > 1 else ("this file", "it")
    accepted_text = f"accepted: {these} of {acceptance.dataset}, as long as nobody changes {them}"
    if book is not None and acceptance.repeated:
        accept_again(book, acceptance.dataset, book.book.key, files)
        return Result(lambda: accepted_text, lambda: {"accepted": True})
    # Before anything is read: what is changed meanwhile is not accepted.
    seen = "" if book is None else accepted_files(book.book.key, files)
    working(step)
    validation = delivery.validate(LISTED if acceptance.everything or as_json() else SHOWN)
    problems, notes = validation.problems, validation.notes
    if as_json():
        accepted = book is not None and _accept(acceptance, book, files, problems, seen)
        says = {"valid": problems.none, "accepted": accepted, **validation.values}
        says |= {"problems": _findings_json(problems), "notes": _findings_json(notes)}
        return Result(str, lambda: says, 0 if problems.none or accepted else SourceError.exit_code)
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
        if not _accept(acceptance, book, files, problems, seen):
            click.echo("Nothing was accepted.", err=True)
            raise click.exceptions.Exit(SourceError.exit_code)
        ends += f"\n{accepted_text}"
    return Result(lambda: f"{validation.read}: {ends}", dict)


def _accept(acceptance: Acceptance, book: "Ledger", files: Sequence[Path], problems: Findings, seen: str) -> bool:
    """Whether the files are accepted now: at once where nothing was found, else when the custodian says so."""
    from starling.release.records import accept

    if not problems.none and not acceptance.yes:
        check_terminal(
            "there are problems, and there is no terminal to ask whether to accept the files",
            "look at them without --accept, then add --yes",
            machine=as_json(),
        )
        if not click.confirm("Accept these files as they are?", err=True):
            return False
    accept(book, acceptance.dataset, book.book.key, files, seen)
    return True


def _findings_json(findings: Findings) -> dict[str, Any]:
    """Faults of records, for machines."""
    return {
        "total": findings.total,
        "by_field": dict(findings.by_field),
        "decisive": [problem_json(problem) for problem in findings.decisive],
        "listed": [problem_json(problem) for problem in findings.listed],
        "more": findings.more,
    }
