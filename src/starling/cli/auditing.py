"""What everybody may do with a ledger, its custodian, its auditors and its analysts: look, check, copy. None of it needs a key."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.options import PIN
from starling.cli.progress import working
from starling.errors import OutputError, ParameterError
from starling.release.codec import Json
from starling.release.session import attributes
from starling.release.text import table

if TYPE_CHECKING:
    from starling.ledger.chain import Head
    from starling.ledger.disclosure import JointDisclosure
    from starling.ledger.keys import Pin, Public
    from starling.ledger.opening import Ledger
    from starling.ledger.reading import Account, Balance, Charge

WHAT: Final = 40
"""Letters of a release's title in a table; `--json` has all of it."""
LEDGER: Final = "ledger.sqlite"
"""What the examples call theirs; they work when pasted in the order of the commands."""

ledger_url = click.argument("url", metavar="LEDGER")
"""The argument LEDGER."""


def reading(url: str) -> "closing[Ledger]":
    """The ledger for those who have no key of it, closed after the block."""
    from starling.ledger.opening import read_ledger

    return closing(read_ledger(url))


def public_key(text: str) -> "Public":
    """A public key, or the name of a key that is here."""
    from starling.ledger.keys import Public, load, names

    return load(text).public if text in names() else Public.parse(text, field="key")


def pin(text: str | None) -> "Pin | None":
    """Which key should have signed: a public key, its fingerprint, or the name of a key that is here; None where none is given."""
    from starling.ledger.keys import Pin, load, names

    return None if text is None else Pin.parse(load(text).public if text in names() else text)


@command("show", example=f"starling ledger show {LEDGER}")
@ledger_url
@click.option("--population", "only", metavar="POPULATION", help="Of this one alone.")
@options.with_default("--latest", type=click.IntRange(1, 10_000), default=10, metavar="N", help="Charges to list.")
@click.option("--delta", metavar="DELTA", help="At which epsilon is shown.  [default: 1e-10]")
def show(url: str, *, only: str | None, latest: int, delta: str | None) -> Result:
    """What is spent and left of every cap, the latest charges, and what the releases of a population reveal together."""
    from starling.ledger.disclosure import DELTA
    from starling.ledger.keys import Public
    from starling.ledger.rules import shown

    with reading(url) as opened:
        book, read = opened.book, opened.reading
        working("adding up what was spent and what it tells together")
        names = read.populations() if only is None else [only]
        accounts = [(read.account(each, latest=latest), read.joint_disclosure(each, delta or DELTA)) for each in names]
        head, rights, terms = read.head(), book.rights().entries(), book.terms().entries()
    whose = f"ledger {book.id}, signed by {book.signer.fingerprint}\nhead {head.seq}:{head.hash}"
    for right in rights:
        whose += (
            f"\nkey {Public.parse(right.key).fingerprint} may charge {right.dataset} until {_when(right.until)} UTC"
        )
    for name, each in terms:
        whose += f"\nservers {'ask first about' if each.ask_first else 'charge'} {name}, and leave {shown(each.reserve)} of its cap"
    return Result(
        lambda: "\n\n\n".join(
            [whose, *(account_text(*each) for each in accounts)]
            if accounts
            else [whose, "No population yet: starling ledger population"]
        ),
        lambda: {
            "ledger": book.id,
            "signer": book.signer.text,
            "second": None if book.second is None else book.second.text,
            "head": f"{head.seq}:{head.hash}",
            "rights": [
                {**attributes(each, "key", "dataset"), "until": datetime.fromtimestamp(each.until, UTC).isoformat()}
                for each in rights
            ],
            "terms": [
                {"dataset": name, "ask_first": each.ask_first, "reserve": shown(each.reserve)} for name, each in terms
            ],
            "populations": [account_json(*each) for each in accounts],
        },
    )


@command("verify", example=f"starling ledger verify {LEDGER}")
@ledger_url
@click.option(
    "--head", "heads", multiple=True, metavar="EVENT:HASH", help="Seen elsewhere, as in a release; may be repeated."
)
@click.option("--signer", metavar="KEY", help=f"Who should have signed it: {PIN}.")
def verify(url: str, *, heads: tuple[str, ...], signer: str | None) -> Result:
    """Check the chain, every signature, cap, cost, balance and answer, and that heads seen elsewhere lie on the chain.

    Says what holds, or the first thing that is wrong.
    """
    from starling.ledger.checking import named_checks

    wanted = [_head(text) for text in heads]
    with reading(url) as opened:
        if (wanted_signer := pin(signer)) is not None:
            opened.book.check_signer(wanted_signer)
        working("checking every event of the ledger")
        verified = opened.reading.verify(wanted, notify=_progress)
        whose = opened.book.signer
    head, counts = f"{verified.head.seq}:{verified.head.hash}", verified.counts
    checks = named_checks(holds=True)
    text = (
        f"{verified.head.seq:,} events hold together\n"
        f"draws {counts.draws:,}, paid again {counts.redraws:,}, runs taken over {counts.takeovers:,}\n"
        f"signed by {whose.fingerprint}\nhead {head}\n\n"
    )
    text += "\n".join(f"{each.name:10}  {each.state}  {each.says}" for each in checks)
    body = {"verified": True, "events": verified.head.seq, **asdict(counts), "signer": whose.text, "head": head}
    return Result(lambda: text, lambda: body | {"checks": [asdict(each) for each in checks]})


def _progress(checked: int) -> None:
    """How far it is, at a terminal. The number of events is no secret to those who may verify."""
    if sys.stderr.isatty():
        click.echo(f"\r{checked:,} events", err=True, nl=False)


def _head(text: str) -> "Head":
    from starling.ledger.chain import START, Head

    seq, _, digest = text.partition(":")
    if not (seq.isascii() and seq.isdecimal() and len(seq) < 19) or len(digest) != len(START):
        raise ParameterError("--head", "is not EVENT:HASH", "copy it from privacy.json or ledger verify")
    return Head(int(seq), digest)


@command("export", example=f"starling ledger export {LEDGER} --out ledger.jsonl")
@ledger_url
@options.path("--out", metavar="FILE", help="Must not exist.  [default: stdout]")
def export(url: str, *, out: Path | None) -> Result | None:
    """All events as JSON Lines, for an auditor. Unchecked: starling ledger verify checks."""
    with reading(url) as opened:
        lines = opened.reading.export()
        if out is None:
            for line in lines:
                click.echo(line)
            return None
        events = _write(out, lines)
    return Result(lambda: f"{events:,} events in {out}", lambda: {"file": str(out), "events": events})


def _write(out: Path, lines: Iterator[str]) -> int:
    """A new file with these lines, or none; how many they are."""
    try:
        file = out.open("x", encoding="ascii")
    except FileExistsError:
        raise ParameterError("--out", f"{out.name} exists already", "name another file") from None
    except OSError:
        raise OutputError("--out", "cannot be written", "name a file in a folder open to you") from None
    number = 0
    try:
        with file:
            for line in lines:
                file.write(f"{line}\n")
                number += 1
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        # Half of a ledger would pass for a whole one that was cut.
        out.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OutputError(
                "--out", "cannot be written: the disk is full or fails", "make room and run it again"
            ) from None
        raise
    return number


@command("backup", example=f"starling ledger backup {LEDGER} ledger.backup")
@ledger_url
@click.argument("file", metavar="FILE")
def backup(url: str, file: str) -> Result:
    """A consistent copy while the ledger is in use. An old copy put in its place is refused: charges would be forgotten."""
    with reading(url) as opened:
        working("copying the ledger")
        opened.book.store.backup(file)
        head = opened.reading.head()
    return Result(lambda: f"copied into {file}", lambda: {"file": file, "head": f"{head.seq}:{head.hash}"})


def account_text(account: "Account", joint: "JointDisclosure") -> str:
    """What an analyst asks (spent, left, how many more like the last) and what an auditor asks (everything together)."""
    whose = account.population
    parts = [
        f"{whose.name}: {whose.measure}, {whose.relation}{', retired' if whose.retired else ''}",
        table(("cap of", "cap", "spent", "left", "like the last"), [_row(account, each) for each in account.balances]),
    ]
    if account.charges:
        header = ("event", "when (UTC)", "analyst", "dataset", "request", "what", "cost", "charged", "state")
        parts += [table(header, [_charge(each) for each in account.charges], left=len(header))]
    return "\n\n".join([*parts, _joint_text(account, joint)])


def _row(account: "Account", balance: "Balance") -> tuple[str, ...]:
    from starling.ledger.rules import shown

    cap = balance.cap
    most, left = ("none", "") if cap.cap is None or cap.left is None else (shown(cap.cap), shown(cap.left))
    more = _more(account, balance)
    return f"{cap.scope} {cap.name}", most, shown(cap.spent), left, "" if more is None else f"about {more:,} more"


def _more(account: "Account", balance: "Balance") -> int | None:
    return None if balance.last is None else account.more_like(balance.last)


def _charge(each: "Charge") -> tuple[str, ...]:
    from starling.ledger.rules import shown

    request = (each.analyst, each.dataset, each.request_id, brief(each.what, WHAT))
    return (
        str(each.seq),
        _when(each.at),
        *request,
        str(each.cost),
        shown(each.amount * each.times),
        each.state,
    )


def brief(text: str, most: int) -> str:
    """One line of at most so many letters.

    >>> brief(" Sex by   age of small groups", 40), brief("Sex by age of small groups", 12)
    ('Sex by age of small groups', 'Sex by age …')
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _when(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _joint_text(account: "Account", joint: "JointDisclosure") -> str:
    from starling.ledger.rules import shown
    from starling.privacy.budget import decimal_up

    whose = account.population
    if joint.spent == 0:
        return f"Nothing was released about the population {whose.name} yet."
    total = "the total alone: the kinds of noise are too many to compose"
    return (
        f"All releases about the population {whose.name} together: {whose.measure} {shown(joint.spent)}, and\n"
        f"(epsilon, delta) = ({decimal_up(joint.epsilon)}, {float(joint.delta):g}) from {'the noise of each' if joint.composed else total}."
    )


def account_json(account: "Account", joint: "JointDisclosure") -> dict[str, Json]:
    """What `account_text` says, for programs; amounts are exact decimals as text."""
    from starling.ledger.rules import shown
    from starling.privacy.budget import decimal_up

    return {
        "population": account.population.name,
        "measure": account.population.measure,
        "neighbours": str(account.population.relation),
        "retired": account.population.retired,
        "caps": [
            {
                "scope": cap.scope,
                "name": cap.name,
                "cap": None if cap.cap is None else shown(cap.cap),
                "spent": shown(cap.spent),
                "left": None if cap.left is None else shown(cap.left),
                "more_like_its_last": _more(account, balance),
            }
            for balance in account.balances
            for cap in [balance.cap]
        ],
        "charges": [_charge_json(account, each) for each in account.charges],
        "joint": {
            "spent": shown(joint.spent),
            "epsilon": decimal_up(joint.epsilon),
            "delta": str(joint.delta),
            "composed": joint.composed,
        },
    }


def _charge_json(account: "Account", each: "Charge") -> dict[str, Json]:
    from starling.ledger.rules import shown

    return {
        "event": each.seq,
        "at": datetime.fromtimestamp(each.at, UTC).isoformat(),
        **attributes(each, "analyst", "request_id", "dataset", "what"),
        "cost": {each.cost.measure: str(each.cost.amount)},
        "charged": shown(each.amount * each.times),
        "draws_paid": each.times,
        "state": each.state,
        "more_like_this": account.more_like(each),
    }
