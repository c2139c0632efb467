"""`starling server requests|approve|decline`: what analysts ask of datasets that ask first, and the custodian's word, on their machine."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, check_terminal, command, confirm
from starling.errors import ParameterError, StarlingError, plain
from starling.release.session import attributes
from starling.release.text import facts, table

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger
    from starling.server.approval_requests import ReducedApproval, Waiting
    from starling.server.home import Home

MOST_CHARGES: Final = 1000
"""Charges of an analyst among which that of a request is looked for, the newest first."""


@command("requests", example="starling server requests home")
@options.home
@options.flag("--all", "everything", help="Those that were decided, too.")
def requests(home: "Home", *, everything: bool) -> Result:
    """What analysts ask you to approve: who, what, at which cost, and why."""
    listed = home.requests.listed(waiting=not everything)
    lines = [
        f"{each.number}  {each.at:%Y-%m-%d %H:%M}  {each.request.analyst}  {each.request.dataset}"
        f"  {each.guarantee.cost}  {each.state}  {plain(each.reason)}"
        for each in listed
    ]
    none = "nothing was asked" if everything else "nothing waits"
    return Result(lambda: "\n".join(lines) or none, lambda: [_request_json(each) for each in listed])


@command("approve", example="starling server approve home 1 --yes")
@options.home
@options.numbered
@options.with_default("--days", type=click.IntRange(1, 366), default=30, help="For how long it may be charged.")
@click.option("--epsilon", metavar="X", help="Approve a question for less: its whole cost, in place of what was asked.")
@click.option(
    "--digest", metavar="SHA256", help="Refuse unless the request is the one that a page showed with this digest."
)
@options.flag("--yes", help="Approve without asking.")
def approve(home: "Home", number: int, *, days: int, epsilon: str | None, digest: str | None, yes: bool) -> Result:
    """Approve one request, with the custodian's key: one charge of what it costs. Shows cost, what it reveals, and the expected error.

    What it asks for and costs is computed here, from the registered plan; a request that says something else is refused.
    """
    from starling.ledger.opening import open_ledger

    before = home.requests.undecided(number)
    _check(home, before, digest)
    waiting = replace(before, reduced=None if epsilon is None else _reduced(home, before, epsilon))
    with closing(open_ledger(home.settings.ledger)) as ledger:
        reveals = _leaves(ledger, waiting)
        # What is signed stands last, right above the question.
        click.echo("\n\n".join([*_expected(home, waiting), _request_text(waiting), reveals]), err=True)
        if not yes:
            check_terminal("and there is no terminal to ask", "read what it is, then add --yes")
            confirm("Approve it?", "Nothing was approved.")

        def sign() -> int:
            if before.state == "approved" and before.approved != waiting.approved:
                # One of the two is to be charged, not both.
                ledger.custody.approve(before.approved, before.price, days=0)
            return ledger.custody.approve(waiting.approved, waiting.price, days=days)

        words = "" if waiting.reduced is None else f"for {waiting.price.cost} in place of {waiting.guarantee.cost}"
        until = datetime.fromtimestamp(
            home.requests.decide(before, "approved", words, sign, reduced=waiting.reduced), UTC
        )
    body = {**_request_json(waiting), "state": "approved", "until": until.isoformat(), "reveals": reveals}
    return Result(lambda: f"request {number} is approved until {until:%Y-%m-%d %H:%M} UTC", lambda: body)


@command("decline", example='starling server decline home 1 --reason "Ask for counties, not for blocks"')
@options.home
@options.numbered
@click.option("--reason", required=True, metavar="WHY", help="The analyst reads it. Nothing of the records.")
def decline(home: "Home", number: int, *, reason: str) -> Result:
    """Decline one request, with a reason; an approval that was not used is taken back, with the custodian's key."""
    from starling.ledger.opening import open_ledger
    from starling.server.approval_requests import Decided

    waiting = home.requests.undecided(number)
    if waiting.state == "approved":
        with closing(open_ledger(home.settings.ledger)) as ledger:
            approved = waiting.approved
            # An approval that was used is in the terms no longer; one that ended is.
            left = ledger.book.terms().is_approved(approved.dataset, approved.analyst, approved.hash, at=0)
            charges = [] if left else ledger.reading.latest_charges(2**62, MOST_CHARGES, approved.analyst)
            if any((each.dataset, each.request_hash) == (approved.dataset, approved.hash) for each in charges):
                raise Decided("request", "was charged already", "leave it as it is: what was released stays")

            def take_back() -> int:
                return ledger.custody.approve(waiting.approved, waiting.price, days=0)

            home.requests.decide(waiting, "declined", reason, take_back)
    else:
        home.requests.decide(waiting, "declined", reason, lambda: None)
    return Result(lambda: f"request {number} is declined", lambda: {"number": number, "state": "declined"})


def _check(home: "Home", waiting: "Waiting", digest: str | None) -> None:
    """Refuse what a web process that was broken into could have put in the place of what was asked or shown."""
    from starling.errors import IntegrityError
    from starling.privacy.guarantee import forms
    from starling.release.statement import stated
    from starling.worker.sources import Sources

    if digest is not None and digest.strip().lower() != waiting.digest:
        fix = "look at it again: starling server requests HOME"
        raise IntegrityError("request", f"is not the one that was shown; its digest is {waiting.digest}", fix)
    requested = Sources(home).requested(waiting.request)
    # What was asked before replacement factors were declared has none in its price, which is then the higher one.
    prices = [stated(each) for each in forms(requested.guarantee)]
    if requested.title != waiting.title or stated(waiting.guarantee) not in prices:
        fix = "decline it, and ask who changed the home"
        raise IntegrityError("request", f"says another title or cost than its plan: {requested.guarantee.cost}", fix)


def _reduced(home: "Home", waiting: "Waiting", epsilon: str) -> "ReducedApproval":
    """The question for less; raises ParameterError where it is not less."""
    from starling.server.approval_requests import ReducedApproval
    from starling.worker.sources import Sources

    publication = Sources(home).lowered(waiting.request, epsilon)
    if publication.guarantee.cost.amount >= waiting.guarantee.cost.amount:
        raise ParameterError(
            "--epsilon", f"is not below {waiting.guarantee.cost}", "leave it out to approve what was asked"
        )
    return ReducedApproval(publication.request, publication.guarantee)


def _request_text(waiting: "Waiting") -> str:
    """The analyst, what is requested, at which cost, and why."""
    guarantee = waiting.price
    return facts(
        [
            ("request", str(waiting.number)),
            ("analyst", waiting.request.analyst),
            ("dataset", waiting.request.dataset),
            ("asks for", plain(waiting.title)),
            ("cost", f"{guarantee.cost} for {guarantee.relation}"),
            ("reason", plain(waiting.reason)),
            ("digest", waiting.digest),
        ]
    )


def _leaves(ledger: "Ledger", waiting: "Waiting") -> str:
    """What the charge reveals, and what it leaves of the caps."""
    from starling.server.consequences import consequences

    expected = consequences(ledger, waiting)
    rows = [(cap, amount or "no limit") for cap, amount in expected.left]
    return f"{expected.reveals}\n\n{table(('left afterwards of the cap of', expected.population.measure), rows)}"


def _expected(home: "Home", waiting: "Waiting") -> list[str]:
    """The expected error, from the preview of the registered plan; nothing where none can be had without records."""
    from starling.release.report.plain import section_text
    from starling.worker.sources import Sources

    try:
        return [section_text(each) for each in Sources(home).preview(waiting.approved)]
    except StarlingError as error:
        return [f"The expected error cannot be told: {error}"]


def _request_json(waiting: "Waiting") -> dict[str, Any]:
    return {
        **attributes(waiting, "number", "title", "reason", "state", "words", "digest"),
        **attributes(waiting.request, "analyst", "dataset", "request_id", "hash"),
        "at": waiting.at.isoformat(),
        "cost": str(waiting.guarantee.cost),
        "approved_cost": str(waiting.price.cost),
    }
