"""`starling ledger`: what custodians and auditors do with a ledger. Commands parse, call and print."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from starling.cli.commands import INTERRUPTED, Command, Group
from starling.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from starling.ledger.reading import Account, Balance, Spent
    from starling.ledger.rules import Scope
    from starling.privacy.neighbours import Relation

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

LEDGER = "ledger.sqlite"
"""What the examples call theirs; they work when pasted in the order of the commands."""

RELATIONS = ("add-remove-person", "add-remove-household", "add-remove-point", "replace-one-person")

ledger = Group(
    "ledger",
    example=f"starling ledger create {LEDGER}",
    help="The budget ledger: who may spend how much on whom, what was spent, and the answers it bought.\n\nLEDGER is a file"
    " (SQLite) or a URL: sqlite:///FILE, postgresql://HOST/NAME.",
    lazy={
        name: f"starling.cli.ledger:{function}"
        for name, function in {
            "create": "create",
            "lineage": "lineage",
            "dataset": "dataset",
            "grant": "grant",
            "raise": "raise_",
            "approve": "approve",
            "show": "show",
            "verify": "verify",
            "export": "export",
            "backup": "backup",
            "retire": "retire",
        }.items()
    },
)


def _ledger(function: Decorated) -> Decorated:
    return click.argument("url", metavar="LEDGER")(function)


def _json(function: Decorated) -> Decorated:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def _cap(function: Decorated) -> Decorated:
    text = "In the lineage's measure, exact: a decimal such as 4.944."
    return click.option("--cap", required=True, metavar="AMOUNT", help=text)(function)


def _scope(function: Decorated) -> Decorated:
    function = click.argument("name")(function)
    function = click.argument("scope", type=click.Choice(["lineage", "dataset", "analyst"]))(function)
    return click.argument("lineage_name", metavar="LINEAGE")(function)


def _say(as_json: bool, body: dict[str, Any], text: str) -> None:
    click.echo(json.dumps(body, indent=2, ensure_ascii=False) if as_json else text)


@click.command("create", cls=Command, example=f"starling ledger create {LEDGER}")
@_ledger
@click.option(
    "--second-key", metavar="PUBLIC", help="Public key of a second custodian, who must approve every raised cap."
)
@_json
def create(url: str, *, second_key: str | None, as_json: bool) -> None:
    """Make an empty ledger, signed by this custodian's key (made at first use, see starling keys)."""
    from starling.ledger.keys import Public
    from starling.ledger.opening import create_ledger

    second = None if second_key is None else Public.parse(second_key, field="--second-key")
    made = create_ledger(url, second=second)
    signer = made.book.signer.fingerprint
    made.close()
    _say(as_json, {"ledger": made.book.id, "signer": signer}, f"ledger {made.book.id}, signed by {signer}")


@click.command("lineage", cls=Command, example=f"starling ledger lineage {LEDGER} residents --measure rho --cap 20")
@_ledger
@click.argument("name")
@click.option(
    "--measure", type=click.Choice(["rho", "epsilon"]), required=True, help="zCDP or pure DP; fixed for good."
)
@click.option(
    "--neighbours", type=click.Choice(RELATIONS), default=RELATIONS[0], show_default=True, help="Fixed for good."
)
@_cap
@_json
def lineage(url: str, name: str, *, measure: str, neighbours: str, cap: str, as_json: bool) -> None:
    """Open a lineage: the people in some data, however often the data are delivered or renamed. CAP bounds it for ever."""
    from starling.ledger.opening import open_ledger

    open_ledger(url).custody.add_lineage(name, cast(Any, measure), _relation(neighbours), cap)
    said = f"lineage {name}: {measure}, {neighbours}, cap {cap}"
    _say(as_json, {"lineage": name, "measure": measure, "neighbours": neighbours, "cap": cap}, said)


def _relation(text: str) -> "Relation":
    from starling.privacy.neighbours import Relation

    change, _, unit = text.rpartition("-")
    return Relation(cast(Any, change), cast(Any, unit))


@click.command("dataset", cls=Command, example=f"starling ledger dataset {LEDGER} census-2020 --lineage residents")
@_ledger
@click.argument("name")
@click.option("--lineage", "lineage_name", required=True, metavar="LINEAGE", help="Whose people it is about.")
@click.option(
    "--schema", type=click.Path(path_type=Path), metavar="FILE", help="Its public schema, JSON.  [default: none]"
)
@click.option("--cap", metavar="AMOUNT", help="A cap of its own.  [default: the lineage's alone]")
@_json
def dataset(url: str, name: str, *, lineage_name: str, schema: Path | None, cap: str | None, as_json: bool) -> None:
    """Register a delivery of data about the people of a lineage. Its budget is theirs."""
    from starling.ledger.opening import open_ledger

    open_ledger(url).custody.add_dataset(name, lineage_name, _schema(schema), cap)
    _say(as_json, {"dataset": name, "lineage": lineage_name, "cap": cap}, f"dataset {name} of lineage {lineage_name}")


def _schema(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_float=str)
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise ParameterError(field="--schema", problem="is not a readable JSON object", fix='write {"columns": [...]}')
    return found


@click.command("grant", cls=Command, example=f"starling ledger grant {LEDGER} residents custodian --cap 10")
@_ledger
@click.argument("lineage_name", metavar="LINEAGE")
@click.argument("analyst")
@_cap
@_json
def grant(url: str, lineage_name: str, analyst: str, *, cap: str, as_json: bool) -> None:
    """Let ANALYST spend up to AMOUNT on LINEAGE; without a grant nobody spends anything."""
    from starling.ledger.opening import open_ledger

    open_ledger(url).custody.grant(lineage_name, analyst, cap)
    _say(
        as_json,
        {"lineage": lineage_name, "analyst": analyst, "cap": cap},
        f"{analyst} may spend {cap} on {lineage_name}",
    )


@click.command(
    "raise", cls=Command, example=f"starling ledger raise {LEDGER} residents analyst custodian --cap 12 --yes"
)
@_ledger
@_scope
@_cap
@click.option("--approval", metavar="SIGNATURE", help="Of the second custodian, from starling ledger approve.")
@click.option("--yes", is_flag=True, help="Raise without asking.")
@_json
def raise_(
    url: str, lineage_name: str, scope: str, name: str, *, cap: str, approval: str | None, yes: bool, as_json: bool
) -> None:
    """Raise a cap. Says in plain words what that reveals, and asks; nothing takes it back."""
    from starling.ledger.opening import open_ledger

    custody = open_ledger(url).custody
    wanted = (lineage_name, cast("Scope", scope), name, cap)
    if not yes:
        _confirm(custody.raising(*wanted))
    said = custody.raise_cap(*wanted, approval)
    _say(as_json, {"lineage": lineage_name, "scope": scope, "name": name, "cap": cap, "reveals": said}, said)


def _confirm(said: str) -> None:
    """Ask; without a terminal nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ParameterError(
            field="--yes",
            problem="is missing, and there is no terminal to ask",
            fix=f"read this, then add --yes: {said}",
        )
    click.echo(said, err=True)
    if not click.confirm("Raise it?", err=True):
        sys.exit(INTERRUPTED)


@click.command(
    "approve",
    cls=Command,
    example=f"starling ledger approve {LEDGER} residents analyst custodian --cap 15 --key second",
)
@_ledger
@_scope
@_cap
@click.option("--key", "key_name", required=True, metavar="NAME", help="The second custodian's key.")
@_json
def approve(url: str, lineage_name: str, scope: str, name: str, *, cap: str, key_name: str, as_json: bool) -> None:
    """The second custodian's signature for one raise of the cap in force, to hand to `starling ledger raise --approval`."""
    from starling.ledger.keys import load
    from starling.ledger.opening import read_ledger

    custody = read_ledger(url).custody
    wanted = (lineage_name, cast("Scope", scope), name, cap)
    click.echo(custody.raising(*wanted), err=True)
    signature = custody.approval(*wanted, load(key_name))
    _say(as_json, {"approval": signature}, signature)


@click.command("retire", cls=Command, example=f"starling ledger retire {LEDGER} dataset census-2020")
@_ledger
@click.argument("kind", type=click.Choice(["lineage", "dataset"]))
@click.argument("name")
@_json
def retire(url: str, kind: str, name: str, *, as_json: bool) -> None:
    """Charge nothing to it any more. What was spent stays spent."""
    from starling.ledger.opening import open_ledger

    open_ledger(url).custody.retire(cast(Any, kind), name)
    _say(as_json, {"retired": name, "kind": kind}, f"{kind} {name} is retired")


@click.command("show", cls=Command, example=f"starling ledger show {LEDGER}")
@_ledger
@click.option("--lineage", "only", metavar="LINEAGE", help="Of this one alone.")
@click.option(
    "--latest", type=click.IntRange(1, 1000), default=10, show_default=True, metavar="N", help="Charges to list."
)
@_json
def show(url: str, *, only: str | None, latest: int, as_json: bool) -> None:
    """What is spent and left of every cap, the latest charges, and what the releases of a lineage reveal together."""
    from starling.ledger.opening import read_ledger

    reading = read_ledger(url).reading
    names = reading.lineages() if only is None else [only]
    found = [(reading.account(name, latest=latest), reading.together(name)) for name in names]
    if as_json:
        body = [_account_json(account, str(together.epsilon), str(together.delta)) for account, together in found]
        click.echo(json.dumps({"lineages": body}, indent=2, ensure_ascii=False))
        return
    texts = [_account_text(account, together) for account, together in found]
    click.echo("\n\n".join(texts) or "The ledger has no lineage yet: starling ledger lineage")


def _account_json(account: "Account", epsilon: str, delta: str) -> dict[str, Any]:
    from starling.ledger.rules import shown

    return {
        "lineage": account.lineage.name,
        "measure": account.lineage.measure,
        "neighbours": str(account.lineage.relation),
        "retired": account.lineage.retired,
        "caps": [
            {
                "scope": cap.scope,
                "name": cap.name,
                "cap": None if cap.cap is None else shown(cap.cap),
                "spent": shown(cap.spent),
                "left": None if cap.left is None else shown(cap.left),
            }
            for cap in account.caps
        ],
        "charges": [
            {
                "event": each.seq,
                "at": _day(each.at),
                "analyst": each.analyst,
                "request_id": each.request_id,
                "dataset": each.dataset,
                "what": each.what,
                "cost": each.cost,
                "charged": shown(each.amount),
                "state": each.state,
                "more_like_this": account.more_like(each),
            }
            for each in account.charges
        ],
        "together": {"epsilon": epsilon, "delta": delta},
    }


def _account_text(account: "Account", together: Any) -> str:
    from starling.cli.text import table
    from starling.ledger.rules import shown
    from starling.privacy.budget import decimal_up

    whose = account.lineage
    caps = [
        (
            f"{cap.scope} {cap.name}",
            shown(cap.spent),
            *((shown(cap.left), shown(cap.cap)) if cap.left is not None and cap.cap is not None else ("", "none")),
            _more(account, balance),
        )
        for balance in account.balances
        for cap in [balance.cap]
    ]
    parts = [
        f"{whose.name}: {whose.relation}, {whose.measure}{', retired' if whose.retired else ''}",
        table(("cap of", "spent", "left", "cap", "like the last"), caps),
    ]
    if account.charges:
        header = ("event", "day", "analyst", "dataset", "request", "what", "charged", "state")
        parts += [table(header, [_charge_row(each) for each in account.charges], left=len(header))]
        revealed = f"(epsilon, delta) = ({decimal_up(together.epsilon, 2)}, {float(together.delta):.0e})"
        parts += [f"All releases of {whose.name} together: {whose.measure} {shown(together.spent)}, {revealed}."]
    return "\n\n".join(parts)


def _more(account: "Account", balance: "Balance") -> str:
    more = None if balance.last is None else account.more_like(balance.last)
    return "" if more is None else f"about {more:,} more"


def _charge_row(each: "Spent") -> tuple[str, ...]:
    from starling.ledger.rules import shown

    return (
        str(each.seq),
        _day(each.at),
        each.analyst,
        each.dataset,
        each.request_id,
        each.what,
        shown(each.amount),
        each.state,
    )


def _day(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


@click.command("verify", cls=Command, example=f"starling ledger verify {LEDGER}")
@_ledger
@click.option(
    "--head", "heads", multiple=True, metavar="EVENT:HASH", help="Seen elsewhere, as in a release; may be repeated."
)
@_json
def verify(url: str, *, heads: tuple[str, ...], as_json: bool) -> None:
    """Check the chain, every signature, cap, cost, balance and answer, and that heads seen elsewhere lie on the chain."""
    from starling.ledger.opening import read_ledger

    head = read_ledger(url).reading.verify([_head(text) for text in heads])
    said = f"{head.seq:,} events hold together\nhead {head.seq}:{head.hash}"
    _say(as_json, {"verified": True, "events": head.seq, "head": f"{head.seq}:{head.hash}"}, said)


def _head(text: str) -> Any:
    from starling.ledger.chain import Head

    seq, _, digest = text.partition(":")
    if not seq.isdecimal() or len(digest) != len(64 * "0"):
        raise ParameterError(
            field="--head", problem="is not EVENT:HASH", fix="copy it from privacy.json or ledger verify"
        )
    return Head(int(seq), digest)


@click.command("export", cls=Command, example=f"starling ledger export {LEDGER} --out ledger.jsonl")
@_ledger
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Must not exist.  [default: stdout]")
def export(url: str, *, out: Path | None) -> None:
    """All events as JSON Lines, for an auditor."""
    from starling.ledger.opening import read_ledger

    lines = read_ledger(url).reading.export()
    if out is None:
        for line in lines:
            click.echo(line)
        return
    try:
        with out.open("x", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise OutputError(
            field="--out",
            problem=f"cannot be written ({error.strerror})",
            fix="name a new file in a place that you may write",
        ) from None


@click.command("backup", cls=Command, example=f"starling ledger backup {LEDGER} ledger.backup")
@_ledger
@click.argument("file", metavar="FILE")
def backup(url: str, file: str) -> None:
    """A consistent copy while the ledger is in use. An old copy put in its place is refused: charges would be forgotten."""
    from starling.ledger.opening import read_ledger

    read_ledger(url).book.store.backup(file)
    click.echo(f"copied into {file}")
