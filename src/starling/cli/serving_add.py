"""`starling server add`: all that a custodian does before data can be asked at a server, in one command."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import options
from starling.cli.commands import Result, as_json, check_terminal, command
from starling.cli.progress import Steps, steps
from starling.cli.serving_data import Description, described, description, tell_missing
from starling.errors import ParameterError, SourceError, StarlingError, number_of

if TYPE_CHECKING:
    from starling.server.home import Home
    from starling.worker.findings import Findings
    from starling.worker.sources import Registered


@command(
    "add",
    example="starling places generate --points 1000 --out points\n"
    "starling server add home points --plan points/plan.toml --file records=points/points.parquet --cap 5 --grant ada=1 --yes",
)
@click.argument("home", type=options.PATH)
@click.argument("name", metavar="NAME")
@click.option("--domain", metavar="DOMAIN", help="The kind of statistics, where plan and files leave it open.")
@description
@click.option("--cap", required=True, metavar="AMOUNT", help="Of the dataset, and of its population where that is new.")
@click.option(
    "--grant",
    "grants",
    multiple=True,
    metavar="ANALYST=AMOUNT",
    help="What an analyst may spend on the population; made a user, with a token, where there is none. Repeatable.",
)
@click.option("--population", metavar="POPULATION", help="Whose data they are.  [default: a new one, called NAME]")
@options.with_default(
    "--days", type=click.IntRange(1, 366), default=90, help="For how long the server may charge, and new tokens hold."
)
@options.flag("--yes", help="Accept the files without asking, whatever was found.")
def add(
    home: Path,
    name: str,
    *,
    domain: str | None,
    description: Description,
    cap: str,
    grants: tuple[str, ...],
    population: str | None,
    days: int,
    yes: bool,
) -> Result:
    """Let analysts ask for data, in one command: makes home, ledger, population and users where there are none.

    Registers the data, looks at the records, asks whether to accept them, grants, and lets the server charge, which comes last. Says each
    step. What was done before is left as it is, so that after an interruption the same command goes on; what was done otherwise is refused.
    """
    from starling.worker.adding import Addition
    from starling.worker.adding import add as run

    amounts = {}
    for each in grants:
        analyst, equals, amount = each.partition("=")
        if not equals or not amount or analyst in amounts:
            raise ParameterError("--grant", "is not ANALYST=AMOUNT, each analyst once", "write it like ada=1")
        amounts[analyst] = amount
    source = _source(description, domain)
    wanted = Addition(name, source, population or name, cap, amounts, description.deadline, days, description.use)
    with steps() as step:
        added = run(_home(home, step), wanted, partial(_agree, step, yes=yes), step)
    if added.missing is not None:
        tell_missing(added.missing)
    lines, body = described(added.entry)
    lines += [f"{analyst}: {token}" for analyst, token in added.tokens.items()]
    lines += [
        f"{each} has a way in already; for a new token: starling server token {home} {each} --days {days}"
        for each in amounts
        if each not in added.tokens
    ]
    body |= {"sandbox": added.missing is None, "tokens": dict(added.tokens)}
    return Result(lambda: "\n".join([*lines, f"now: starling serve {home}"]), lambda: body)


def _home(folder: Path, step: Steps) -> "Home":
    from starling.server.home import make_home, open_home
    from starling.server.settings import FILE

    if (folder / FILE).exists():
        return open_home(folder)
    step(f"making the home {folder}")
    return make_home(folder)


def _source(description: Description, domain: str | None) -> "Registered":
    """The source, of the one domain whose plan it is where none is named."""
    from starling.domains import DOMAINS

    if domain is not None:
        return description.source(domain)
    sources: dict[str, Registered] = {}
    refused: list[StarlingError] = []
    for each in DOMAINS:
        try:
            source = description.source(each)
        except ParameterError:
            # It takes files of other names.
            continue
        try:
            source.open()
        except StarlingError as error:
            refused.append(error)
        else:
            sources[each] = source
    if len(sources) == 1:
        return next(iter(sources.values()))
    if not sources and len(refused) == 1:
        raise refused[0]
    problem = "is missing: plan and files are of no domain, or of more than one"
    raise ParameterError("--domain", problem, f"add --domain, one of {', '.join(DOMAINS)}")


def _agree(step: Steps, findings: "Findings", *, yes: bool) -> None:
    """Show what was found; raises where the custodian does not accept it."""
    with step.paused():
        for line in (*findings.notes, *findings.problems):
            click.echo(f"starling: {line}", err=True)
        click.echo(f"starling: {findings.read}: {number_of(findings.total, 'problem')}", err=True)
        if yes:
            return
        check_terminal("and there is no terminal to ask whether to accept the files", "add --yes", machine=as_json())
        if not click.confirm("Accept these files as they are, and let analysts ask?", err=True):
            click.echo(
                "Nothing was accepted, so that no analyst can ask; the same command goes on from here.", err=True
            )
            raise click.exceptions.Exit(SourceError.exit_code)
