"""What a command that publishes asks before it spends, which ledger pays, and what it says afterwards: the same in every domain."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from starling.cli.commands import INTERRUPTED
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger
    from starling.privacy.guarantee import Guarantee
    from starling.release.road import Published, Step
    from starling.release.statement import Json

PublishedT = TypeVar("PublishedT", bound="Published")


class Paying(TypedDict):
    """Where a release goes and who pays for it, as `inputs.publishing` gives it."""

    out: Path
    zip_file: Path | None
    ledger: str | None
    dataset: str
    analyst: str
    request_id: str | None
    yes: bool
    as_json: bool


def paying_ledger(paying: Paying) -> "Ledger | None":
    """The ledger that pays, if one is named.

    Raises:
        ParameterError: the names do not fit.
    """
    if paying["request_id"] is not None:
        from starling.ledger import rules

        rules.name(paying["request_id"], field="--request-id")
    if paying["ledger"] is None:
        if paying["dataset"]:
            raise ParameterError(field="--dataset", problem="names data of no ledger", fix="give --ledger too")
        return None
    if not paying["dataset"]:
        raise ParameterError(
            field="--dataset", problem="is missing", fix="name what the records are registered as: starling ledger show"
        )
    from starling.ledger.opening import open_ledger

    return open_ledger(paying["ledger"])


def prepare(paying: Paying, book: "Ledger | None", spending: "Callable[[], tuple[Guarantee, str]]") -> None:
    """The last before a charge: the places to write to are free, and the user wants it.

    Args:
        paying: Where it goes.
        book: The ledger that pays; a folder that is there may be its answer.
        spending: Gives what is charged and, in words, what for; called where the user is asked.
    """
    from starling.release import bundle

    if book is None:
        bundle.check(paying["out"])
    check_zip(paying)
    if not paying["yes"]:
        _confirm(*spending(), paying["out"])
    for removed in bundle.sweep(paying["out"]):
        click.echo(f"starling: {removed}", err=True)


def check_zip(paying: Paying) -> None:
    """Raises OutputError unless the zip file, if one is asked for, can be written."""
    if paying["zip_file"] is not None:
        from starling.release import zipped

        zipped.check(paying["zip_file"])


def publish(paying: Paying, release: "Callable[[Step], PublishedT]") -> PublishedT:
    """Run a release, each step shown in a terminal, and zip it if that is asked for."""
    from starling.cli.progress import steps

    with steps() as step:
        published = release(step)
        if paying["zip_file"] is not None:
            from starling.release import zipped

            step("zipping it")
            zipped.zipped(published.folder, paying["zip_file"])
    return published


def published_json(guarantee: "Guarantee", published: "Published") -> "dict[str, Json]":
    """What was released and paid, for programs."""
    from starling.release.statement import readings

    return {
        "release": str(published.folder),
        "request_id": published.request_id,
        "account": None if published.receipt is None else published.receipt.account,
        "charged_now": published.receipt is not None,
        "cost": readings(guarantee),
    }


def published_text(guarantee: "Guarantee", published: "Published", more: list[tuple[str, str]]) -> str:
    """The same in words, with what the domain adds to it and what limits a next release."""
    from starling.cli.text import facts
    from starling.release.statement import limits

    receipt = published.receipt
    charged = f"{guarantee.cost} for {guarantee.relation}"
    said = facts(
        [
            ("charged", charged if receipt else "nothing: this request was answered before"),
            ("request id", published.request_id),
            *more,
            ("report", str(published.folder / "report.html")),
        ]
    )
    return f"{said}\n\n{limits(receipt)}" if receipt else said


def _confirm(guarantee: "Guarantee", what: str, out: Path) -> None:
    """Ask before spending; without a terminal nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ParameterError(
            field="--yes",
            problem="is missing, and there is no terminal to ask whether to spend",
            fix=f"add --yes to charge {guarantee.cost}",
        )
    click.echo(f"{what}\nThis charges {guarantee.cost} to each person in the records, and publishes {out}.", err=True)
    if not click.confirm("Spend it?", err=True):
        click.echo("Nothing was charged.", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
