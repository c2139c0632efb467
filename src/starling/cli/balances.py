"""A population's account as text and for machines: caps, what is left, the latest releases, and what they reveal together."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starling.release.text import table

if TYPE_CHECKING:
    from starling.ledger.disclosure import JointDisclosure
    from starling.ledger.reading import Account, Balance, Spent
    from starling.release.statement import Json

WHAT = 40
"""Letters of a release's title in a table; `--json` has all of it."""


def account_text(account: "Account", joint: "JointDisclosure") -> str:
    """What an analyst asks (spent, left, how many more like the last) and what an auditor asks (everything together)."""
    whose = account.population
    parts = [
        f"{whose.name}: {whose.measure}, {whose.relation}{', retired' if whose.retired else ''}",
        table(("cap of", "cap", "spent", "left", "like its last"), [_row(account, each) for each in account.balances]),
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


def _charge(each: "Spent") -> tuple[str, ...]:
    from starling.ledger.rules import shown
    from starling.privacy.budget import decimal_up

    measure, amount = each.cost
    who = (each.analyst, each.dataset, each.request_id, brief(each.what, WHAT))
    return (
        str(each.seq),
        _when(each.at),
        *who,
        f"{measure} {decimal_up(amount)}",
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
        return f"Nothing was released about the people of {whose.name} yet."
    return (
        f"All releases about the people of {whose.name} together: {whose.measure} {shown(joint.spent)}, and\n"
        f"(epsilon, delta) = ({decimal_up(joint.epsilon)}, {float(joint.delta):g}) from {_source(joint)}."
    )


def _source(joint: "JointDisclosure") -> str:
    return "the noise of each" if joint.composed else "the total alone: the kinds of noise are too many to compose"


def account_json(account: "Account", joint: "JointDisclosure") -> "dict[str, Json]":
    """The same for machines; amounts are exact decimals as text."""
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


def _charge_json(account: "Account", each: "Spent") -> "dict[str, Json]":
    from starling.ledger.rules import shown

    measure, amount = each.cost
    return {
        "event": each.seq,
        "at": datetime.fromtimestamp(each.at, UTC).isoformat(),
        "analyst": each.analyst,
        "request_id": each.request_id,
        "dataset": each.dataset,
        "what": each.what,
        "cost": {measure: str(amount)},
        "charged": shown(each.amount * each.times),
        "draws_paid": each.times,
        "state": each.state,
        "more_like_this": account.more_like(each),
    }
