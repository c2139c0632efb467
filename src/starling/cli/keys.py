"""`starling keys`: makes and shows the keys that sign ledgers and releases. A private key is never shown."""

import click

from starling.cli.commands import Group, Result, command

keys = Group(
    "keys",
    example="starling keys new",
    help="Ed25519 keys of custodians, kept in STARLING_HOME (by default .config/starling of the user), readable by their owner"
    " alone. Back them up: without its key a ledger takes no charge.",
    lazy={name: f"starling.cli.keys:{name}" for name in ("new", "show")},
)


@command("new", example="starling keys new second")
@click.argument("name", default="custodian", required=False)
def new(name: str) -> Result:
    """Make a fresh key and show its public part. NAME is `custodian` unless another is given."""
    from starling.ledger.keys import make

    return _shown({name: make(name).public.text})


@command("show", example="starling keys show")
def show() -> Result:
    """The public parts of all keys that are here, with their fingerprints."""
    from starling.ledger.keys import load, names

    return _shown({name: load(name).public.text for name in names()})


def _shown(keys: dict[str, str]) -> Result:
    from starling.ledger.keys import Public
    from starling.release.text import table

    rows = [(name, Public.parse(text).fingerprint, text) for name, text in keys.items()]
    listed = [{"name": name, "fingerprint": fingerprint, "public": text} for name, fingerprint, text in rows]
    none = "There is no key here. Make one: starling keys new"
    return Result(
        lambda: table(("name", "fingerprint", "public key"), rows, left=3) if rows else none, lambda: {"keys": listed}
    )
