"""`starling server`, for custodians: register data, read what was found in them, accept them; on the machine of the home."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.commands import Result, as_json, check_terminal, command
from starling.cli.progress import working
from starling.errors import ParameterError, SourceError, number_of
from starling.release.session import attributes

if TYPE_CHECKING:
    from starling.server.datasets import Entry
    from starling.server.home import Home
    from starling.server.purposes import Purpose
    from starling.worker.sources import Registered
    from starling.worker.standing_in import Missing

_name = click.argument("name", metavar="NAME")


@dataclass(frozen=True, slots=True)
class Description:
    """Which data are registered, and what is public about them, as the options of a command say it.

    Attributes:
        files: The confidential files, NAME=PATH each.
        deadline: Seconds from a charge to its answer.
        purpose: What the data may be used for, in words.
        codes: The same by codes.
    """

    plan: str
    files: tuple[str, ...]
    deadline: int
    purpose: str
    codes: tuple[str, ...]

    @property
    def use(self) -> "Purpose":
        """What the data may be used for; raises ParameterError for what is no code."""
        from starling.server.purposes import Purpose

        return Purpose(self.purpose, self.codes)

    def source(self, domain: str) -> "Registered":
        """The source; raises ParameterError where the domain takes no such files."""
        from starling.worker.sources import source_of

        return source_of(domain, self.plan, paths_of(self.files))


description = options.as_one(
    "description",
    Description,
    click.option(
        "--plan",
        required=True,
        metavar="PLAN",
        help="What will be released, or asked: a plan file, as of `starling DOMAIN plan`.",
    ),
    click.option(
        "--file",
        "files",
        multiple=True,
        required=True,
        metavar="NAME=PATH",
        help="Confidential: records=PATH; for tables persons=PATH and geography=PATH; for a genome study genotypes=PREFIX,"
        " phenotype=PATH, covariates=PATH and sample=PATH. Repeatable.",
    ),
    options.with_default(
        "--deadline",
        type=int,
        default=60,
        metavar="SECONDS",
        help="When an answer leaves, counted from its charge: after nearly every release will be done. Public.",
    ),
    click.option("--purpose", default="", metavar="TEXT", help="What the data may be used for, in your words. Public."),
    click.option(
        "--duo",
        "codes",
        multiple=True,
        metavar="CODE",
        help="The same by a code of the Data Use Ontology, such as DUO:0000042 (general research use). Public. Repeatable.",
    ),
)
"""The options of every command that registers data, as one argument `description`."""


@command(
    "dataset",
    example="starling places generate --points 1000 --out points\n"
    "starling server dataset home points --domain places --plan points/plan.toml --file records=points/points.parquet",
)
@options.home
@_name
@click.option(
    "--domain", required=True, metavar="DOMAIN", help="The kind of statistics: tables, genome, groups or places."
)
@description
def dataset(
    home: "Home",
    name: str,
    *,
    domain: str,
    description: Description,
) -> Result:
    """Register data under the NAME that they have in the ledger, with the one plan that is released from them. Reads no records.

    The worker then looks at them: starling server findings. Analysts see what a release is and costs, and no path. In the sandbox of the
    home invented records are registered under the same name, from plan and public files alone, so that code can be tried for free.
    """
    from starling.worker.sources import Sources
    from starling.worker.standing_in import stand_in

    use, source = description.use, description.source(domain)
    working("computing how far numbers may be off, from the plan alone")
    entry = Sources(home).register(name, source, deadline=description.deadline, purpose=use)
    working("inventing records for the sandbox")
    missing = stand_in(home, name)
    if missing is not None:
        tell_missing(missing)
    lines, body = described(entry)
    return Result(lambda: "\n".join(lines), lambda: body | {"sandbox": missing is None})


def described(entry: "Entry") -> tuple[list[str], dict[str, Any]]:
    """What is registered, for people and for programs."""
    from starling.server.purposes import KNOWN

    cost, use = _cost(entry), entry.purpose
    lines = [f"dataset {entry.name}: {entry.title}, {cost or 'asked questions'} for {entry.relation}"]
    lines += [f"for use: {use.text}"] if use.text else []
    lines += [f"for use: {code}, {KNOWN.get(code, 'a code that is not known here')}" for code in use.codes]
    body = {**attributes(entry, "name", "domain", "title", "deadline"), "cost": cost}
    return lines, body | {"purpose": use.text, "duo": list(use.codes)}


@command("findings", example="starling server findings home points")
@options.home
@_name
def findings(home: "Home", name: str) -> Result:
    """What the worker found in the records of a dataset. NOT PRIVATE: for their custodian alone; never publish it."""
    from starling.worker.findings import Inspections
    from starling.worker.sources import Sources

    findings = Inspections(home).find(name, Sources(home).open(name))
    lines = [f"note: {each}" for each in findings.notes] + list(findings.problems)
    ends = "nothing breaks the rules" if not findings.total else number_of(findings.total, "problem")
    body = {"not_private": True, **attributes(findings, "read", "total", "problems", "notes")}
    return Result(lambda: "\n".join([*lines, f"{findings.read}: {ends}"]), lambda: body)


@command("accept", example="starling server accept home points --yes")
@options.home
@_name
@options.flag("--yes", help="Accept without asking, whatever was found.")
@options.flag(
    "--again",
    "repeated",
    help="Accept, without a look, files that hold the bytes accepted before: after they were moved, restored or touched.",
)
@click.option("--file", "files", multiple=True, metavar="NAME=PATH", help="Of --again: where they lie now.")
def accept(home: "Home", name: str, *, yes: bool, repeated: bool, files: tuple[str, ...]) -> Result:
    """Keep in the ledger, signed with the custodian's key, that the files of a dataset were looked at. Releases ask for it.

    Shown is what the worker found. It holds as long as nobody changes the files. A hash of their bytes is kept besides, by which --again
    carries it over to the same bytes.
    """
    if files and not repeated:
        raise ParameterError("--file", "moves nothing without --again", "add --again; a new delivery is a new dataset")
    if repeated:
        return _accept_again(home, name, files)
    from starling.ledger.opening import open_ledger
    from starling.worker.findings import Inspections
    from starling.worker.sources import Sources

    sources = Sources(home)
    inspections, delivery = Inspections(home), sources.open(name)
    sources.check_population(name)
    findings = inspections.find(name, delivery)
    for line in (*findings.notes, *findings.problems):
        click.echo(f"starling: {line}", err=True)
    if findings.total and not yes:
        why = "there are problems, and there is no terminal to ask whether to accept the files"
        check_terminal(why, "look at them: starling server findings; then add --yes", machine=as_json())
        if not click.confirm("Accept these files as they are?", err=True):
            click.echo("Nothing was accepted.", err=True)
            raise click.exceptions.Exit(SourceError.exit_code)
    with closing(open_ledger(home.settings.ledger)) as ledger:
        inspections.accept(ledger, name, delivery, findings)
    return Result(lambda: f"accepted: {findings.read}", lambda: {"accepted": True, "read": findings.read})


def _accept_again(home: "Home", name: str, files: tuple[str, ...]) -> Result:
    from starling.ledger.opening import open_ledger
    from starling.release.records import accept_again
    from starling.worker.sources import Sources, source_of

    sources = Sources(home)
    before = sources.find(name)
    now = source_of(before.domain, before.plan, {**before.files, **paths_of(files)})
    delivery = sources.open(name, now)
    working("comparing every byte with what was accepted")
    with closing(open_ledger(home.settings.ledger)) as ledger:
        accept_again(ledger, name, home.key, [*delivery.source.files()])
    sources.move(name, now)
    return Result(lambda: f"accepted again: the files of {name} hold the same bytes", lambda: {"accepted": True})


@command("sandbox", example="starling server sandbox home")
@options.home
def sandbox(home: "Home") -> Result:
    """Make what is missing of the sandbox of a home: invented records for each registered dataset, from plans and public files alone.

    `server init` and `server dataset` do so. What could not be made then, and the sandbox of a restored home whose plans came later,
    is made by this; a server that runs serves a new sandbox once it is started anew.
    """
    from starling.worker.standing_in import fill_sandbox

    working("inventing records")
    names, missing = fill_sandbox(home)
    for each in missing:
        tell_missing(each)
    text = f"in the sandbox: {', '.join(names) or 'nothing yet'}"
    return Result(lambda: text, lambda: {"datasets": list(names), "missing": [each.name for each in missing]})


@command("show", example="starling server show home")
@options.home
def show(home: "Home") -> Result:
    """The server's own key, which custodians let charge, and what is registered; and the key that signs what its sandbox releases."""
    catalogue, key = home.catalogue, home.key.public
    listed = [catalogue.find(name) for name in catalogue.names()]
    lines = [f"key {key.text}", f"fingerprint {key.fingerprint}"]
    lines += [
        f"dataset {each.name}  {each.domain}  {_cost(each) or 'asked questions'}  {each.title}" for each in listed
    ]
    body: dict[str, Any] = {"key": key.text, "fingerprint": key.fingerprint}
    body["datasets"] = [attributes(each, "name", "domain", "title", "deadline") for each in listed]
    if home.sandbox is not None:
        free, names = home.sandbox.key.public, home.sandbox.catalogue.names()
        lines += [f"sandbox key {free.text}", f"sandbox fingerprint {free.fingerprint}"]
        lines += [f"sandbox dataset {each}" for each in names]
        body["sandbox"] = {"key": free.text, "fingerprint": free.fingerprint, "datasets": names}
    return Result(lambda: "\n".join(lines), lambda: body)


def tell_missing(missing: "Missing") -> None:
    """Tell the custodian of data that have no twin in the sandbox."""
    fix = "try again: starling server sandbox HOME"
    click.echo(f"starling: warning: {missing.name} is not in the sandbox: {missing.why}; {fix}", err=True)


def _cost(entry: "Entry") -> str | None:
    """What a release costs; None where that depends on a question."""
    from starling.server.datasets import Dataset

    return str(entry.guarantee.cost) if isinstance(entry, Dataset) else None


def paths_of(files: tuple[str, ...]) -> dict[str, Path]:
    """The paths by their names."""
    paths = {}
    for each in files:
        name, equals, path = each.partition("=")
        if not equals or not path or name in paths:
            raise ParameterError("--file", "is not NAME=PATH, each name once", "write it like records=records.csv")
        paths[name] = Path(path)
    return paths
