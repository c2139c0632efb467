"""`starling ledger`: what custodians do with a ledger; auditing.py has what everybody may. `starling keys`: the keys that sign.

Commands parse, call and print. A private key is never shown.
"""

from collections.abc import Callable
from contextlib import closing
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import click

from starling.cli import options
from starling.cli.auditing import LEDGER, ledger_url, public_key, reading
from starling.cli.commands import Group, Result, check_terminal, command, confirm
from starling.errors import ParameterError
from starling.privacy.neighbours import Change, Relation, Unit

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger
    from starling.ledger.rules import Scope


TWO = "two.sqlite"
"""One with a second custodian."""
PEOPLE = "residents --measure rho --neighbours add-remove-person --cap 20"

LONGEST_SCHEMA = 1 << 24
"""Bytes of a file that describes the columns of a dataset."""
RELATIONS = tuple(f"{change}-{unit}" for change in get_args(Change) for unit in get_args(Unit))

ledger = Group(
    "ledger",
    example=f"starling ledger create {LEDGER}",
    help="The budget ledger: who may spend how much on whom, what was spent, and the answers it bought.\n\nLEDGER is a file"
    " (SQLite) or a URL: sqlite:///FILE, postgresql://HOST/NAME. Whatever changes it needs the custodian's key (starling keys);"
    " show, verify, export and backup need none.",
    lazy={
        **{name: f"starling.cli.ledger:{name}" for name in ("create", "population", "dataset", "grant")},
        **{name: f"starling.cli.ledger:{name}" for name in ("delegate", "terms")},
        "raise": "starling.cli.ledger:raise_",
        "approve": "starling.cli.ledger:approve",
        **{name: f"starling.cli.auditing:{name}" for name in ("show", "verify", "export", "backup")},
        "retire": "starling.cli.ledger:retire",
    },
)


_cap = click.option(
    "--cap",
    required=True,
    metavar="AMOUNT",
    help="In the population's measure: a decimal such as 4.944; what is beyond 9 decimals is rounded down.",
)


def _reserve(cap: str) -> str:
    """A cap as the ledger keeps it."""
    from starling.ledger.rules import cap_units, shown

    return shown(cap_units(cap))


def _scope(function: Any) -> Any:
    """The three arguments that name a cap."""
    return options.with_options(
        function,
        click.argument("population_name", metavar="POPULATION"),
        click.argument("scope", type=click.Choice(["population", "dataset", "analyst"])),
        click.argument("name"),
    )


def _done(opened: "Ledger", body: dict[str, Any], text: str) -> Result:
    """What was chained, and how far the chain is."""
    head = opened.reading.head()
    return Result(lambda: f"{text}\nhead {head.seq}:{head.hash}", lambda: {**body, "head": f"{head.seq}:{head.hash}"})


def _changing(name: str, example: str) -> Callable[[Callable[..., tuple[dict[str, Any], str]]], click.Command]:
    """A decorator: a command that is given a ledger, opened with the custodian's key, and says for programs and people what it chained."""

    def decorate(change: Callable[..., tuple[dict[str, Any], str]]) -> click.Command:
        @wraps(change)
        def run(url: str, **values: Any) -> Result:
            from starling.ledger.opening import open_ledger

            with closing(open_ledger(url)) as opened:
                return _done(opened, *change(opened, **values))

        return command(name, example=example)(ledger_url(run))

    return decorate


@command("create", example=f"starling ledger create {LEDGER}")
@ledger_url
@click.option(
    "--second-key",
    metavar="PUBLIC",
    help="Public key of a second custodian, who must approve every raised cap, or the name of a key that is here.",
)
def create(url: str, *, second_key: str | None) -> Result:
    """Make an empty ledger, signed by this custodian's key (made at first use, see starling keys)."""
    from starling.ledger import keys
    from starling.ledger.opening import create_ledger

    second = None if second_key is None else public_key(second_key)
    if keys.DEFAULT not in keys.names():
        file = keys.path_of(keys.DEFAULT)
        click.echo(f"starling: making your key, {file}; keep a copy: without it the ledger takes no charge", err=True)
    ledger = create_ledger(url, second=second)
    book = ledger.book
    text = f"ledger {book.id}, signed by {book.signer.fingerprint}"
    if second is not None:
        text += f"\nraised caps are approved by {second.fingerprint}"
    body = {"ledger": book.id, "signer": book.signer.text, "second": None if second is None else second.text}
    with closing(ledger):
        return _done(ledger, body, text)


@_changing("population", f"starling ledger population {LEDGER} {PEOPLE}")
@click.argument("name")
@click.option("--measure", type=click.Choice(["rho", "epsilon"]), required=True, help="zCDP or pure DP; for good.")
@click.option(
    "--neighbours",
    type=click.Choice(RELATIONS),
    required=True,
    metavar="CHANGE-UNIT",
    help=f"Whom it protects, for good: {' or '.join(get_args(Change))} of one {', '.join(get_args(Unit))}, as in add-remove-person.",
)
@_cap
def population(opened: "Ledger", name: str, measure: str, neighbours: str, cap: str) -> tuple[dict[str, Any], str]:
    """Open a population: the people in some data, however often the data are delivered or renamed. AMOUNT bounds it for ever."""
    change, _, unit = neighbours.rpartition("-")
    relation = Relation(cast(Any, change), cast(Any, unit))
    opened.custody.add_population(name, cast(Any, measure), relation, cap)
    body = {"population": name, "measure": measure, "neighbours": str(relation), "cap": _reserve(cap)}
    return body, f"population {name}: {relation}, {measure} {_reserve(cap)} in all"


def _schema(_: click.Context, __: click.Parameter, path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    import json

    from starling.planfile.foreign import content

    try:
        columns = json.loads(content(path, LONGEST_SCHEMA), parse_float=str)
    except (OSError, ValueError, RecursionError):
        columns = None
    if not isinstance(columns, dict):
        raise ParameterError("--schema", "is not a readable JSON object", 'write {"columns": [...]}')
    return columns


@_changing("dataset", f"starling ledger dataset {LEDGER} census-2020 --population residents")
@click.argument("name")
@click.option("--population", "population_name", required=True, metavar="POPULATION", help="Whose people it is about.")
@options.path("--schema", metavar="FILE", callback=_schema, help="Its public schema, JSON.  [default: none]")
@click.option("--cap", metavar="AMOUNT", help="A cap of its own.  [default: the population's alone]")
def dataset(
    opened: "Ledger", name: str, population_name: str, schema: dict[str, Any], cap: str | None
) -> tuple[dict[str, Any], str]:
    """Register a delivery of data about the people of a population. Its budget is theirs."""
    opened.custody.add_dataset(name, population_name, schema, cap)
    body = {"dataset": name, "population": population_name, "cap": None if cap is None else _reserve(cap)}
    return body, f"dataset {name} of population {population_name}"


@_changing("grant", f"starling ledger grant {LEDGER} residents custodian --cap 10")
@click.argument("population_name", metavar="POPULATION")
@click.argument("analyst")
@_cap
def grant(opened: "Ledger", population_name: str, analyst: str, cap: str) -> tuple[dict[str, Any], str]:
    """Let ANALYST spend up to AMOUNT on POPULATION; without a grant nobody spends anything."""
    opened.custody.grant(population_name, analyst, cap)
    body = {"population": population_name, "analyst": analyst, "cap": _reserve(cap)}
    return body, f"{analyst} may spend {_reserve(cap)} on {population_name}"


@_changing(
    "delegate",
    f"starling ledger dataset {LEDGER} survey --population residents --cap 5\n"
    f"starling ledger delegate {LEDGER} survey --to {'ab' * 32} --days 90",
)
@click.argument("dataset_name", metavar="DATASET")
@click.option("--to", "key", required=True, metavar="KEY", help="The public key of a server: starling server show.")
@click.option("--days", type=int, required=True, help="For how long, up to 366 days; 0 takes the right back.")
def delegate(opened: "Ledger", dataset_name: str, key: str, days: int) -> tuple[dict[str, Any], str]:
    """Let a server charge DATASET for what its analysts are granted, with a key of its own; the dataset needs a cap of its own."""
    from datetime import UTC, datetime

    to = public_key(key)
    end = datetime.fromtimestamp(opened.custody.delegate(dataset_name, to, days=days), UTC)
    ends = f"until {end:%Y-%m-%d %H:%M} UTC" if days else "no longer"
    body = {"dataset": dataset_name, "key": to.text, "until": end.isoformat()}
    return body, f"{to.fingerprint} may charge {dataset_name} {ends}"


@_changing(
    "terms",
    f"starling ledger dataset {LEDGER} clinic --population residents --cap 5\n"
    f"starling ledger terms {LEDGER} clinic --ask-first --reserve 1",
)
@click.argument("dataset_name", metavar="DATASET")
@click.option(
    "--ask-first/--freely",
    required=True,
    help="Whether each charge of a server needs your approval, or the caps alone decide.",
)
@click.option("--reserve", metavar="AMOUNT", help="So much of the dataset's cap is kept for you.  [default: nothing]")
def terms(opened: "Ledger", dataset_name: str, *, ask_first: bool, reserve: str | None) -> tuple[dict[str, Any], str]:
    """Set the terms under which servers charge DATASET, in place of earlier ones. Approvals are given by `starling server approve`."""
    opened.custody.set_terms(dataset_name, ask_first=ask_first, reserve=reserve)
    amount = "0" if reserve is None else _reserve(reserve)
    how = "ask you first about each charge of" if ask_first else "charge"
    body = {"dataset": dataset_name, "ask_first": ask_first, "reserve": amount}
    return body, f"servers {how} {dataset_name}; {amount} of its cap is kept for you"


@_changing("raise", f"starling ledger raise {LEDGER} residents analyst custodian --cap 12 --yes")
@_scope
@_cap
@click.option("--approval", metavar="SIGNATURE", help="Of the second custodian, from starling ledger approve.")
@options.flag("--yes", help="Raise without asking.")
def raise_(
    opened: "Ledger", population_name: str, scope: str, name: str, *, cap: str, approval: str | None, yes: bool
) -> tuple[dict[str, Any], str]:
    """Raise a cap. Says in plain words what that reveals, and asks; nothing takes it back."""
    wanted = (population_name, cast("Scope", scope), name, cap)
    if not yes:
        reveals = opened.custody.raising(*wanted)
        check_terminal("and there is no terminal to ask", f"read this, then add --yes: {reveals}")
        click.echo(reveals, err=True)
        confirm("Raise it?", "Nothing was raised.")
    reveals = opened.custody.raise_cap(*wanted, approval)
    body = {"population": population_name, "scope": scope, "name": name, "cap": _reserve(cap), "reveals": reveals}
    return body, reveals


@command(
    "approve",
    example="starling keys new second\n"
    f"starling ledger create {TWO} --second-key second\n"
    f"starling ledger population {TWO} {PEOPLE}\n"
    f"starling ledger approve {TWO} residents population residents --cap 25 --key second",
)
@ledger_url
@_scope
@_cap
@click.option("--key", "key_name", required=True, metavar="NAME", help="The second custodian's key.")
def approve(url: str, population_name: str, scope: str, name: str, *, cap: str, key_name: str) -> Result:
    """The second custodian's signature for one raise of the cap in force, to hand to `starling ledger raise --approval`.

    Says on stderr what the raise reveals. Changes nothing.
    """
    from starling.ledger.keys import load

    wanted = (population_name, cast("Scope", scope), name, cap)
    with reading(url) as opened:
        signature = opened.custody.approval(*wanted, load(key_name))
        reveals = opened.custody.raising(*wanted)
    click.echo(reveals, err=True)
    return Result(lambda: signature, lambda: {"approval": signature, "reveals": reveals})


@_changing("retire", f"starling ledger retire {LEDGER} dataset census-2020 --yes")
@click.argument("kind", type=click.Choice(["population", "dataset"]))
@click.argument("name")
@options.flag("--yes", help="Retire without asking.")
def retire(opened: "Ledger", kind: str, name: str, *, yes: bool) -> tuple[dict[str, Any], str]:
    """Charge nothing to it any more, for good. What was spent stays spent."""
    if not yes:
        # What is not there is refused before anybody is asked.
        opened.reading.population_of(name) if kind == "dataset" else opened.reading.account(name, latest=1)
        effect = f"nothing is charged to {kind} {name} any more, for good, and its name is not taken again"
        check_terminal("and there is no terminal to ask", f"add --yes: {effect}")
        click.echo(f"starling: {effect}", err=True)
        confirm("Retire it?", "Nothing was retired.")
    opened.custody.retire(cast(Any, kind), name)
    return {"retired": name, "kind": kind}, f"{kind} {name} is retired"


keys = Group(
    "keys",
    example="starling keys new",
    help="Ed25519 keys of custodians, kept in STARLING_HOME (by default .config/starling of the user), readable by their owner"
    " alone. Back them up: without its key a ledger takes no charge.",
    lazy={name: f"starling.cli.ledger:{name}" for name in ("new", "show")},
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
