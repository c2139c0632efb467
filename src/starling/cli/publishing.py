"""What a command that publishes asks before it spends, which ledger pays, and what it says afterwards: the same in every domain."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from starling.cli import options
from starling.cli.commands import check_terminal, confirm
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.release.payment import PaymentOptions, Stage
    from starling.release.pipeline import Order, Published

PublishedT = TypeVar("PublishedT", bound="Published")

LEFT_OUT: Final = ("yes", "as_json", "request_id", "zip_file")
"""Options that a line that repeats a request leaves out, or writes itself."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a release goes and who pays for it, as the options of a command say it; without a ledger, a fresh one inside the folder."""

    out: Path
    zip_file: Path | None
    ledger: str | None
    dataset: str
    analyst: str
    request_id: str | None
    unvalidated: bool
    yes: bool


destination = options.as_one(
    "destination",
    Destination,
    options.path("--out", required=True, metavar="DIR", help="Folder to make; appears as a whole or not at all."),
    options.path("--zip", "zip_file", metavar="FILE", help="The same as one zip file besides; must not exist."),
    click.option(
        "--ledger", metavar="URL", help="Pays: sqlite:///FILE or postgresql://...  [default: a fresh one in DIR]"
    ),
    click.option("--dataset", metavar="NAME", default="", help="Of the ledger: what the records are registered as."),
    options.with_default("--analyst", metavar="NAME", default="custodian", help="Of the ledger: whose grant pays."),
    click.option(
        "--request-id",
        metavar="ID",
        help="A name for the charge; the same command finds it without one.  [default: a fresh one]",
    ),
    options.flag(
        "--unvalidated",
        help="Read files that were not accepted by validate --accept; the release says so. Needed without --ledger.",
    ),
    options.flag("--yes", help="Spend without asking."),
)
"""The options of every command that publishes, as one argument `destination`."""


def payment_options(destination: Destination) -> "PaymentOptions":
    """Who pays; a ledger is named by its URL, and opened while it pays. Raises ParameterError where the names do not fit."""
    from starling.ledger import rules
    from starling.release.payment import PaymentOptions

    if destination.request_id is not None:
        rules.name(destination.request_id, field="--request-id")
    named = destination.ledger is not None
    if destination.dataset and not named:
        raise ParameterError("--dataset", "names data of no ledger", "give --ledger too")
    if named and not destination.dataset:
        raise ParameterError("--dataset", "is missing", "name what the records are registered as: starling ledger show")
    return PaymentOptions(
        destination.ledger, destination.dataset, destination.analyst, destination.request_id, destination.unvalidated
    )


def publish(destination: Destination, spending: Callable[[], str], release: Callable[..., PublishedT]) -> PublishedT:
    """Run a release: each step printed, the user shown `spending` and asked before anything is spent, the result zipped if wanted."""
    from starling.cli.progress import steps
    from starling.release import zipped
    from starling.release.pipeline import Listener

    payment = payment_options(destination)
    if destination.zip_file is not None:
        zipped.check(destination.zip_file)
    with steps() as step:

        def approve(order: "Order", stage: "Stage") -> None:
            with step.paused():
                _approve(destination, order, stage, spending)

        published = release(destination.out, payment=payment, listener=Listener(step, approve, _charged))
        if destination.zip_file is not None:
            step("zipping it")
            zipped.zipped(published.folder, destination.zip_file)
    # Shown as the user named it.
    return replace(published, folder=destination.out)


def _approve(destination: Destination, order: "Order", stage: "Stage", spending: Callable[[], str]) -> None:
    """The last before a charge: the folder can be written, and the user wants to spend what is not paid yet."""
    from starling.release import bundle

    order.check()
    if stage in ("charged", "drawn"):
        click.echo(f"starling: request {order.request_id} was charged before; going on, at no further cost", err=True)
    if stage == "lost":
        lost = "what was drawn for it is not there any more, so it is charged again, and the ledger says so"
        click.echo(f"starling: request {order.request_id} was charged before; {lost}", err=True)
    if stage == "new":
        _offer(order)
    if stage in ("new", "lost") and not destination.yes:
        _confirm(order, spending())
    for removed in bundle.sweep(destination.out):
        click.echo(f"starling: {removed}", err=True)


def _charged(request_id: str) -> None:
    """Printed at once, since whatever stops the run comes after it."""
    notice = (
        f"starling: charged as request {request_id}; if this run stops, this line goes on with it at no further cost:"
    )
    click.echo(f"{notice}\n  {repeating(request_id)}", err=True)


def repeating(request_id: str) -> str:
    """The command line that is running, with the request id under which its answer is found."""
    context = click.get_current_context()
    words = context.command_path.split()
    for option in context.command.params:
        name = option.name or ""
        if context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE or name in LEFT_OUT:
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


def _confirm(order: "Order", what: str) -> None:
    """Ask before spending, with what remains under each cap; without a terminal nobody can be asked."""
    from starling.privacy.events import StoredResponse

    cost, event = order.guarantee.cost, order.guarantee.event
    charges, least = f"charges {cost} to each person in the records", str(cost)
    if isinstance(event, StoredResponse):
        charges, least = f"charges nothing: it reads the response that event {event.charge} paid for", "nothing"
    check_terminal("and there is no terminal to ask whether to spend", f"add --yes to charge {least}")
    remains = _remains(order)
    click.echo(f"{what}\nThis {charges}, and publishes {order.out}.", err=True)
    click.echo(remains, err=True)
    confirm("Spend it?", "Nothing was charged.")


def _offer(order: "Order") -> None:
    """Say which responses were paid for, where a new one would be drawn and charged."""
    from starling.privacy.events import MedianResponse, RandomizedResponse

    if order.payment is None or not isinstance(order.guarantee.event, RandomizedResponse | MedianResponse):
        return
    for paid in order.payment.ledger.charging.responses(order.payment.request.dataset):
        repeat = f"--epsilon {paid.cost.amount} --response {paid.charge}"
        click.echo(
            f"starling: a response was paid for at {paid.cost}; to scan it again costs nothing: {repeat}", err=True
        )


def _remains(order: "Order") -> str:
    """What is left under each cap, now and after the charge; raises the refusal that the charge would meet."""
    from starling.ledger.rules import shown
    from starling.release.text import table

    if order.payment is None:
        return "No ledger is named, so that nothing limits what is spent on these people in all."
    remaining = order.payment.ledger.charging.preview(order.payment.request, order.guarantee)
    rows = [
        (
            f"{cap.scope} {cap.name}",
            *(("no limit", "no limit") if cap.left is None else (shown(cap.left), shown(cap.left - remaining.amount))),
        )
        for cap in remaining.standing.caps
    ]
    more = (
        ""
        if remaining.more is None
        else f"\nAfter it, {f'{remaining.more:,} more' if remaining.more else 'no more'} like it can be charged."
    )
    return f"\n{table(('cap of', 'left now', 'left after'), rows)}{more}\n"
