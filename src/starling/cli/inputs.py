"""What more than one command is given: a plan, records, geography, an engine, who pays. Each is a decorator of the command."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PATH: Final = click.Path(path_type=Path)


def plan(function: Decorated) -> Decorated:
    """PLAN: `tables.plan.load` says what it may be."""
    return click.argument("plan")(function)


def persons(function: Decorated) -> Decorated:
    """--persons, which opens records."""
    text = "Person records, confidential: pipe-delimited text or Parquet."
    return click.option("--persons", type=PATH, required=True, metavar="FILE", help=text)(function)


def geography(*, required: bool) -> Callable[[Decorated], Decorated]:
    """--geography."""
    text = "Blocks with their places and areas (GRF-C), public."
    if not required:
        text += " With it, groups are counted."
    return click.option("--geography", type=PATH, required=required, metavar="FILE", help=text)


def top_up(function: Decorated) -> Decorated:
    """--top-up."""
    text = "An earlier release of this plan but for budgets: measure its groups once more and combine both. Levels left out of PLAN stay as"
    text += " they are."
    return click.option("--top-up", type=PATH, metavar="RELEASE", help=text)(function)


def engine(function: Decorated) -> Decorated:
    """--engine."""
    text = "Counts: duckdb, spark://local (needs the extra spark), or spark://HOST:PORT, a cluster's master."
    return click.option("--engine", default="duckdb", show_default=True, metavar="NAME", help=text)(function)


def as_json(function: Decorated) -> Decorated:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def publishing(function: Decorated) -> Decorated:
    """Where a release goes and who pays for it: what `publishing.Paying` holds."""
    options = (
        click.option(
            "--out", type=PATH, required=True, metavar="DIR", help="Folder to make; appears as a whole or not at all."
        ),
        click.option(
            "--zip", "zip_file", type=PATH, metavar="FILE", help="The same as one zip file besides; must not exist."
        ),
        click.option(
            "--ledger", metavar="URL", help="Pays: sqlite:///FILE or postgresql://...  [default: a fresh one in DIR]"
        ),
        click.option(
            "--dataset", metavar="NAME", default="", help="Of the ledger: what the records are registered as."
        ),
        click.option(
            "--analyst", metavar="NAME", default="custodian", show_default=True, help="Of the ledger: whose grant pays."
        ),
        click.option(
            "--request-id", metavar="ID", help="Under which the charge is found again.  [default: a fresh one]"
        ),
        click.option(
            "--unvalidated",
            is_flag=True,
            help="Read files that nobody accepted by validate --accept; the release says so. Needed without --ledger.",
        ),
        click.option("--yes", is_flag=True, help="Spend without asking."),
        as_json,
    )
    for option in reversed(options):
        function = option(function)
    return function
