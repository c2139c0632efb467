"""What `starling tables release` asks before it spends, which ledger pays, and what it says afterwards."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli.commands import INTERRUPTED
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.ledger.opening import Ledger
    from starling.release.statement import Json
    from starling.tables.plan import Plan
    from starling.tables.publish import Published


def paying_ledger(url: str | None, dataset: str) -> "Ledger | None":
    """The ledger that pays, if one is named."""
    if url is None:
        if dataset:
            raise ParameterError(field="--dataset", problem="names data of no ledger", fix="give --ledger too")
        return None
    if not dataset:
        raise ParameterError(
            field="--dataset", problem="is missing", fix="name what the records are registered as: starling ledger show"
        )
    from starling.ledger.opening import open_ledger

    return open_ledger(url)


def published_json(published: "Published") -> "dict[str, Json]":
    """What was released and paid, for programs."""
    from starling.release.statement import amount, readings

    plan = published.plan
    return {
        "release": str(published.folder),
        "request_id": published.request_id,
        "account": None if published.receipt is None else published.receipt.account,
        "charged_now": published.receipt is not None,
        "cost": readings(plan.guarantee),
        "adds_to": [each.request_id for each in plan.releases],
        "together": amount(plan.together),
        "rows": {"t1": published.rows("t1"), "t2": published.rows("t2")},
    }


def published_text(published: "Published") -> str:
    """The same in words, with what limits a next release."""
    from starling.cli.text import facts
    from starling.release.statement import limits

    data, receipt, plan = published.folder / "data", published.receipt, published.plan
    charged = f"{plan.guarantee.cost} for {plan.guarantee.relation}"
    said = facts(
        [
            ("charged", charged if receipt else "nothing: this request was answered before"),
            *([("together", f"{plan.together}, with what it adds to")] if plan.top_up else []),
            ("request id", published.request_id),
            ("totals", f"{published.rows('t1'):,} rows in {data / 't1.txt'}"),
            ("sex by age", f"{published.rows('t2'):,} rows in {data / 't2.txt'}"),
            ("report", str(published.folder / "report.html")),
        ]
    )
    return f"{said}\n\n{limits(receipt)}" if receipt else said


def confirm(plan: "Plan", out: Path) -> None:
    """Ask before spending; without a terminal nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ParameterError(
            field="--yes",
            problem="is missing, and there is no terminal to ask whether to spend",
            fix=f"add --yes to charge {plan.cost}",
        )
    charges = f"This charges {plan.cost} to each person in the records, and publishes {out}."
    if plan.top_up is not None:
        charges += f"\nIt tops up the release of request {plan.top_up.request_id}: together they cost {plan.together}."
    click.echo(f"{plan.title}\n{charges}", err=True)
    if not click.confirm("Spend it?", err=True):
        click.echo("Nothing was charged.", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
