"""`starling server requests|approve|decline`: what analysts ask of datasets that ask first, and the custodian's word, on their machine."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli.commands import Result, attributes, check_terminal, command, confirm
from starling.cli.options import PATH
from starling.errors import ParameterError, StarlingError, plain
from starling.release.text import facts, table

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger
    from starling.server.home import Home
    from starling.server.requests import Less, Waiting

_home = click.argument("home", type=PATH)
_number = click.argument("number", type=click.IntRange(1, 2**62))


@command("requests", example="starling server requests home")
@_home
@click.option("--all", "everything", is_flag=True, help="Those that were decided, too.")
def requests(home: Path, *, everything: bool) -> Result:
    """What analysts ask you to approve: who, what, at which cost, and why."""
    from starling.server.home import open_home

    found = open_home(home).requests.listed(waiting=not everything)
    lines = [
        f"{each.number}  {each.at:%Y-%m-%d %H:%M}  {each.request.analyst}  {each.request.dataset}"
        f"  {each.guarantee.cost}  {each.state}  {plain(each.reason)}"
        for each in found
    ]
    none = "nothing was asked" if everything else "nothing waits"
    return Result(lambda: "\n".join(lines) or none, lambda: [_request_json(each) for each in found])


@command("approve", example="starling server approve home 1 --yes")
@_home
@_number
@click.option(
    "--days", type=click.IntRange(1, 366), default=30, show_default=True, help="For how long it may be charged."
)
@click.option("--epsilon", metavar="X", help="Approve a question for less: its whole cost, in place of what was asked.")
@click.option("--yes", is_flag=True, help="Approve without asking.")
def approve(home: Path, number: int, *, days: int, epsilon: str | None, yes: bool) -> Result:
    """Approve one request, with the custodian's key: one charge of what it costs. Shows cost, what it reveals, and the expected error."""
    from starling.ledger.opening import open_ledger
    from starling.server.home import open_home

    opened = open_home(home)
    before = opened.requests.undecided(number)
    asked = replace(before, less=None if epsilon is None else _less(opened, before, epsilon))
    with closing(open_ledger(opened.settings.ledger)) as ledger:
        reveals = _leaves(ledger, asked)
        click.echo("\n\n".join([_asked(asked), reveals, *_expected(opened, asked)]), err=True)
        if not yes:
            check_terminal("and there is no terminal to ask", "read what it is, then add --yes")
            confirm("Approve it?", "Nothing was approved.")
        if before.state == "approved" and before.approved != asked.approved:
            # One of the two is to be charged, not both.
            ledger.custody.approve(before.approved, before.price, days=0)
        until = datetime.fromtimestamp(ledger.custody.approve(asked.approved, asked.price, days=days), UTC)
    words = "" if asked.less is None else f"for {asked.price.cost} in place of {asked.guarantee.cost}"
    opened.requests.decide(number, "approved", words, asked.less)
    body = {**_request_json(asked), "state": "approved", "until": until.isoformat(), "reveals": reveals}
    return Result(lambda: f"request {number} is approved until {until:%Y-%m-%d %H:%M} UTC", lambda: body)


@command("decline", example='starling server decline home 1 --reason "Ask for counties, not for blocks"')
@_home
@_number
@click.option("--reason", required=True, metavar="WHY", help="The analyst reads it. Nothing of the records.")
def decline(home: Path, number: int, *, reason: str) -> Result:
    """Decline one request, with a reason; an approval that was not used is taken back, with the custodian's key."""
    from starling.ledger.opening import open_ledger
    from starling.server.home import open_home

    opened = open_home(home)
    asked = opened.requests.undecided(number)
    if asked.state == "approved":
        with closing(open_ledger(opened.settings.ledger)) as ledger:
            ledger.custody.approve(asked.approved, asked.price, days=0)
    opened.requests.decide(number, "declined", reason)
    return Result(lambda: f"request {number} is declined", lambda: {"number": number, "state": "declined"})


def _less(home: "Home", asked: "Waiting", epsilon: str) -> "Less":
    """The question for less; raises ParameterError where it is not less."""
    from starling.server.requests import Less
    from starling.worker.sources import Sources

    publication = Sources(home).lowered(asked.request, epsilon)
    if publication.guarantee.cost.amount >= asked.guarantee.cost.amount:
        raise ParameterError(
            "--epsilon", f"is not below {asked.guarantee.cost}", "leave it out to approve what was asked"
        )
    return Less(publication.request, publication.guarantee)


def _asked(asked: "Waiting") -> str:
    """Who asks for what, at which cost, and why."""
    guarantee = asked.price
    return facts(
        [
            ("request", str(asked.number)),
            ("analyst", asked.request.analyst),
            ("dataset", asked.request.dataset),
            ("asks for", asked.title),
            ("cost", f"{guarantee.cost} for {guarantee.relation}"),
            ("reason", plain(asked.reason)),
        ]
    )


def _leaves(ledger: "Ledger", asked: "Waiting") -> str:
    """What the charge reveals, and what it leaves of the caps."""
    from starling.ledger.disclosure import meaning
    from starling.ledger.reading import foresee
    from starling.ledger.rules import shown

    reading = ledger.reading
    population = reading.account(reading.population_of(asked.request.dataset), latest=1).population
    found = foresee(ledger.book, asked.approved, asked.price)
    rows = [
        (f"{cap.scope} {cap.name}", "no limit" if cap.left is None else shown(cap.left - found.amount))
        for cap in found.caps
    ]
    words = f"Everybody in the data of {population.name} bears it: {meaning(population, found.amount)}."
    return f"{words}\n\n{table(('left afterwards of the cap of', population.measure), rows)}"


def _expected(home: "Home", asked: "Waiting") -> list[str]:
    """The expected error, from the preview of the registered plan; nothing where none can be had without records."""
    from starling.release.report.plain import section_text
    from starling.worker.sources import Sources

    try:
        return [section_text(each) for each in Sources(home).preview(asked.request.dataset, asked.approved.hash)]
    except StarlingError as error:
        return [f"The expected error cannot be told: {error}"]


def _request_json(asked: "Waiting") -> dict[str, Any]:
    request = attributes(asked.request, "analyst", "dataset", "request_id", "hash")
    return {
        **attributes(asked, "number", "title", "reason", "state", "words"),
        **request,
        "at": asked.at.isoformat(),
        "cost": str(asked.guarantee.cost),
        "approved_cost": str(asked.price.cost),
    }
