"""`starling keys`: makes and shows the keys that sign ledgers and releases. A private key is never shown."""

import json

import click

from starling.cli.commands import Command, Group

keys = Group(
    "keys",
    example="starling keys new",
    help="Ed25519 keys of custodians, kept in STARLING_HOME (by default .config/starling of the user), readable by their owner"
    " alone. Back them up: without its key a ledger takes no charge.",
    lazy={name: f"starling.cli.keys:{name}" for name in ("new", "show")},
)

_name = click.argument("name", default="custodian", required=False)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.command("new", cls=Command, example="starling keys new second")
@_name
@_json
def new(name: str, *, as_json: bool) -> None:
    """Make a fresh key and show its public part. NAME is `custodian` unless another is given."""
    from starling.ledger.keys import make

    _show({name: make(name).public.text}, as_json=as_json)


@click.command("show", cls=Command, example="starling keys show")
@_json
def show(*, as_json: bool) -> None:
    """The public parts of all keys that are here, with their fingerprints."""
    from starling.ledger.keys import load, names

    _show({name: load(name).public.text for name in names()}, as_json=as_json)


def _show(found: dict[str, str], *, as_json: bool) -> None:
    from starling.cli.text import table
    from starling.ledger.keys import Public

    rows = [(name, Public.parse(text).fingerprint, text) for name, text in found.items()]
    if as_json:
        listed = [{"name": name, "fingerprint": fingerprint, "public": text} for name, fingerprint, text in rows]
        click.echo(json.dumps({"keys": listed}, indent=2))
    elif rows:
        click.echo(table(("name", "fingerprint", "public key"), rows, left=3))
    else:
        click.echo("There is no key here. Make one: starling keys new")
