"""`starling toy`: what the domain adds to the commands of every domain."""

from pathlib import Path

import click

from starling.cli import options, verbs
from starling.cli.commands import Group, Result, command
from starling.release.reading import open_release
from tests.toy.plan import Plan
from tests.toy.source import Persons

toy = Group(
    "toy",
    example="starling toy preview plan.toml",
    help="Persons by category.",
    lazy={name: f"tests.toy.verbs:{name}" for name in (*verbs.EVERY, "evaluate")},
)
persons = click.option("--persons", type=options.PATH, required=True, metavar="FILE")
TOY, RECORDS = "starling toy", "plan.toml --persons persons.txt"

plan = verbs.planning("toy", "What a plan costs.", f"{TOY} plan plan.toml")
preview = verbs.previewing("toy", "How far each count may be off.", f"{TOY} preview plan.toml", step="computing")
validate = verbs.validating("toy", f"{TOY} validate {RECORDS}", "Find what is wrong with the records.", persons)
release = verbs.releasing(
    "toy", "Publish a histogram.", f"{TOY} release {RECORDS} --out release --unvalidated --yes", persons
)
generate = verbs.generating(
    "toy", "Invent persons.", f"{TOY} generate plan.toml --out new", plan=options.plan_file, step="inventing"
)
plot = verbs.plotting("toy", "Draw a histogram.", f"{TOY} plot release --out pictures")


@command("evaluate", example=f"{TOY} evaluate {RECORDS} --release release")
@options.plan_file
@persons
@options.compared
def evaluate(plan: Path, persons: Path, release: Path) -> Result:
    """How far a release is off the truth. NOT PRIVATE."""
    exact = Persons(Plan.load(plan), persons).exact().value
    with open_release(release) as opened:
        noisy = opened.table("histogram")["count"].to_pylist()
    errors = [one - other for one, other in zip(noisy, exact, strict=True)]
    return Result(lambda: f"NOT PRIVATE: errors {errors}", lambda: {"errors": errors, "not_private": True})
