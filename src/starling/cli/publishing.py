"""What a command that publishes asks before it spends, which ledger pays, and what it says afterwards: the same in every domain."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypedDict, TypeVar

import click

from starling.cli.commands import INTERRUPTED
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger
    from starling.privacy.guarantee import Guarantee
    from starling.release.payment import Stage
    from starling.release.pipeline import Approve, Charged, Order, Published, Step
    from starling.release.statement import Json

PublishedT_co = TypeVar("PublishedT_co", bound="Published", covariant=True)

UNSAID: Final = ("yes", "as_json", "request_id", "zip_file")
"""Options that a line which repeats a request leaves out, or says itself."""


class Paying(TypedDict):
    """Where a release goes and who pays for it, as `inputs.publishing` gives it."""

    out: Path
    zip_file: Path | None
    ledger: str | None
    dataset: str
    analyst: str
    request_id: str | None
    unvalidated: bool
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


class Release(Protocol[PublishedT_co]):
    """A release, but for what the command line does along its road."""

    def __call__(self, *, step: "Step", approve: "Approve", charged: "Charged") -> PublishedT_co:
        """Publish; see `starling.tables.release`, whose arguments of these names are the same in every domain."""
        ...


def publish(paying: Paying, spending: Callable[[], str], release: Release[PublishedT_co]) -> PublishedT_co:
    """Run a release: each step said, the user asked before anything is spent, the result zipped if that is asked for.

    Args:
        paying: Where it goes.
        spending: Gives in words what is published; called where the user is asked.
        release: Publishes.
    """
    from starling.cli.progress import steps
    from starling.release import zipped

    if paying["zip_file"] is not None:
        zipped.check(paying["zip_file"])
    with steps() as step:

        def approve(order: "Order", stage: "Stage") -> None:
            with step.paused():
                _approve(paying, order, stage, spending)

        published = release(step=step, approve=approve, charged=_charged)
        if paying["zip_file"] is not None:
            step("zipping it")
            zipped.zipped(published.folder, paying["zip_file"])
    return published


def _approve(paying: Paying, order: "Order", stage: "Stage", spending: Callable[[], str]) -> None:
    """The last before a charge: the folder can be written, and the user wants to spend what is not paid yet."""
    from starling.release import bundle

    order.check()
    if stage in ("charged", "drawn"):
        click.echo(f"starling: request {order.request_id} was charged before; going on, at no further cost", err=True)
    if stage == "lost":
        lost = "what was drawn for it is not there any more, so it is charged again, and the ledger says so"
        click.echo(f"starling: request {order.request_id} was charged before; {lost}", err=True)
    if stage in ("new", "lost") and not paying["yes"]:
        _confirm(order, spending())
    for removed in bundle.sweep(paying["out"]):
        click.echo(f"starling: {removed}", err=True)


def _charged(request_id: str) -> None:
    """Said at once, since whatever stops the run comes after it."""
    told = (
        f"starling: charged as request {request_id}; if this run stops, this line goes on with it at no further cost:"
    )
    click.echo(f"{told}\n  {again(request_id)}", err=True)


def again(request_id: str) -> str:
    """The command line that is running, with the request id under which its answer is found."""
    context = click.get_current_context()
    words = context.command_path.split()
    for option in context.command.params:
        name = option.name or ""
        if context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE or name in UNSAID:
            continue
        value = context.params[name]
        if isinstance(option, click.Argument):
            words.append(str(value))
        elif value is True:
            words.append(option.opts[0])
        else:
            for each in value if isinstance(value, tuple) else (value,):
                words += [option.opts[0], str(each)]
    return shlex.join([*words, "--request-id", request_id])


def published_json(guarantee: "Guarantee", published: "Published") -> "dict[str, Json]":
    """What was released and paid, for programs."""
    from starling.release.statement import readings

    return {
        "release": str(published.folder),
        "request_id": published.request_id,
        "account": None if published.receipt is None else published.receipt.account,
        "charged_now": published.receipt is not None,
        "validated": None if published.receipt is None else published.receipt.validated,
        "cost": readings(guarantee),
    }


def published_text(guarantee: "Guarantee", published: "Published", more: list[tuple[str, str]]) -> str:
    """The same in words, with what the domain adds to it and what limits a next release."""
    from starling.cli.text import facts
    from starling.release.statement import limits, validation

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
    if receipt is None:
        return said
    return f"{said}\n\n{limits(receipt)}" + ("" if receipt.validated else f"\n{validation(receipt)}")


def _confirm(order: "Order", what: str) -> None:
    """Ask before spending, with what remains under each cap; without a terminal nobody can be asked."""
    cost = order.guarantee.cost
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ParameterError(
            field="--yes",
            problem="is missing, and there is no terminal to ask whether to spend",
            fix=f"add --yes to charge {cost}",
        )
    remains = _remains(order)
    click.echo(f"{what}\nThis charges {cost} to each person in the records, and publishes {order.out}.", err=True)
    click.echo(remains, err=True)
    if not click.confirm("Spend it?", err=True):
        click.echo("Nothing was charged.", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _remains(order: "Order") -> str:
    """What is left under each cap, now and after the charge; raises the refusal that the charge would meet."""
    from starling.cli.text import table
    from starling.ledger.rules import shown

    if order.payment is None:
        return "No ledger is named, so that nothing limits what is spent on these people in all."
    found = order.payment.ledger.foresee(order.payment.request, order.guarantee)
    rows = [
        (
            f"{cap.scope} {cap.name}",
            *(("no limit", "no limit") if cap.left is None else (shown(cap.left), shown(cap.left - found.amount))),
        )
        for cap in found.caps
    ]
    more = (
        ""
        if found.more is None
        else f"\nAfter it, {f'{found.more:,} more' if found.more else 'no more'} like it can be charged."
    )
    return f"\n{table(('cap of', 'left now', 'left after'), rows)}{more}\n"
