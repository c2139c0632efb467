"""`starling toy`: the commands of the domain, in the frame of all commands."""

from functools import partial
from pathlib import Path

import click

from starling.cli import options
from starling.cli.commands import Group, Result, command
from starling.cli.publishing import Destination, destination, released
from starling.cli.verbs import previewed, validating
from starling.release import pipeline
from starling.release.reading import open_release
from starling.release.text import facts
from tests.toy.plan import Plan, Preview
from tests.toy.publication import Histogram
from tests.toy.source import Persons

VERBS = ("plan", "preview", "validate", "release", "evaluate")
toy = Group(
    "toy",
    example="starling toy preview plan.toml",
    help="Persons by category.",
    lazy={name: f"tests.toy.verbs:{name}" for name in VERBS},
)
persons = click.option("--persons", type=options.PATH, required=True, metavar="FILE")


@command("plan", example="starling toy plan plan.toml")
@options.plan_file
def plan(plan: Path) -> Result:
    """What a plan costs."""
    chosen = Plan.load(plan)
    cost = str(chosen.guarantee.cost)
    return Result(lambda: facts([("plan", chosen.title), ("cost", cost)]), lambda: {"cost": cost})


@command("preview", example="starling toy preview plan.toml")
@options.plan_file
@options.page
def preview(plan: Path, out: Path | None) -> Result:
    """How far each count may be off."""
    chosen = Plan.load(plan)
    result = Result(lambda: facts([("margin", f"± {chosen.margin}")]), lambda: {"margin": chosen.margin})
    return previewed(result, lambda: Preview(chosen), out)


validate = validating(
    "toy", "starling toy validate plan.toml --persons persons.txt", "Find what is wrong with the records.", persons
)


@command("release", example="starling toy release plan.toml --persons persons.txt --out release --unvalidated --yes")
@options.plan_file
@persons
@destination
def release(plan: Path, persons: Path, destination: Destination) -> Result:
    """Publish a histogram."""
    chosen = Plan.load(plan)
    source = Persons(chosen, persons)
    return released(destination, chosen.guarantee, chosen.title, partial(pipeline.publish, Histogram(chosen), source))


@command("evaluate", example="starling toy evaluate plan.toml --persons persons.txt --release release")
@options.plan_file
@persons
@click.option("--release", type=options.PATH, required=True, metavar="DIR")
def evaluate(plan: Path, persons: Path, release: Path) -> Result:
    """How far a release is off the truth. NOT PRIVATE."""
    exact = Persons(Plan.load(plan), persons).exact().value
    with open_release(release) as opened:
        noisy = opened.table("histogram")["count"].to_pylist()
    errors = [one - other for one, other in zip(noisy, exact, strict=True)]
    return Result(
        lambda: facts([("errors, NOT PRIVATE", str(errors))]), lambda: {"errors": errors, "not_private": True}
    )
