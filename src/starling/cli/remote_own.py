"""`starling remote releases`, `tokens`, `token` and `revoke`: what a user of a server has there."""

from itertools import islice

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.remote import client_of
from starling.release.session import attributes


@command("releases", example="starling remote releases")
@options.with_default("--most", type=click.IntRange(1, 1_000_000), default=100, help="At most so many.")
def releases(*, most: int) -> Result:
    """Your releases and answers, the newest first: what each cost, and whether it has left."""
    with client_of() as client:
        listed = list(islice(client.releases(), most))
    names = ("id", "dataset", "request_id", "state", "wait", "at", "analyst", "cost", "question", "invented")
    return Result(
        lambda: (
            "\n".join(f"{each.id}  {each.at[:16]}  {each.dataset}  {each.cost}  {each.state}" for each in listed)
            or "nothing was released"
        ),
        lambda: [attributes(each, *names) for each in listed],
    )


@command("tokens", example="starling remote tokens")
def tokens() -> Result:
    """Your tokens and sessions by their ids, and when each was last used."""
    with client_of() as client:
        listed = client.tokens()
    return Result(
        lambda: "\n".join(
            f"{each.id}  {'revoked' if each.revoked else f'ends {each.expires[:16]}'}"
            f"  {'never used' if each.used is None else f'used {each.used[:16]}'}"
            f"{'  session' if each.session else ''}{'  this one' if each.current else ''}"
            for each in listed
        ),
        lambda: [attributes(each, "id", "expires", "used", "revoked", "session", "current") for each in listed],
    )


@command("token", example="starling remote token --days 7")
@click.option("--days", type=int, required=True, help="For how many days it lets you in.")
def token(*, days: int) -> Result:
    """Make another token of yours, for a program. It ends with the token that makes it at the latest, and is revoked with it."""
    with client_of() as client:
        new = client.make_token(days)
    click.echo(f"starling: token {new.id} ends {new.expires[:16]}; it is shown once: keep it safe", err=True)
    return Result(lambda: new.token, lambda: attributes(new, "id", "expires", "token"))


@command("revoke", example="starling remote revoke 0123456789abcdef")
@click.argument("id_", metavar="ID")
def revoke(id_: str) -> Result:
    """Refuse a token or a session of yours from now on, and the tokens that were made by it."""
    with client_of() as client:
        client.revoke_token(id_)
    return Result(lambda: f"{id_} is revoked", lambda: {"id": id_, "revoked": True})
