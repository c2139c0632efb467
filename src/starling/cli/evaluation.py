"""`starling tables evaluate`: a release beside the truth, marked as what it is: exact errors, for the custodian's eyes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import inputs
from starling.cli.commands import Command
from starling.cli.progress import working
from starling.cli.text import facts, rounded, table

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.evaluate.errors import Errors, Evaluation


@click.command(
    "evaluate",
    cls=Command,
    example="starling tables evaluate demo --release release --persons invented/person-records.txt --geography invented/GRF-C.txt",
)
@inputs.plan
@click.option("--release", type=inputs.PATH, required=True, metavar="DIR", help="The folder of a release.")
@inputs.persons
@inputs.geography(required=True)
@inputs.engine
@click.option(
    "--out", type=inputs.PATH, metavar="DIR", help="Write a page with pictures too: NOT-PRIVATE-evaluation.html there."
)
@inputs.as_json
def evaluate(
    plan: str, *, release: Path, persons: Path, geography: Path, engine: str, out: Path | None, as_json: bool
) -> None:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
    from starling.engine.choice import check_engine
    from starling.tables.evaluate import evaluate as compare
    from starling.tables.evaluate.page import check_place, write_page
    from starling.tables.plan import load, read_geography
    from starling.tables.source import open_persons

    if out is not None:
        check_place(out)
    check_engine(engine)
    chosen = load(plan)
    source = open_persons(persons, chosen)
    regions = read_geography(geography, chosen)
    working("counting the records and comparing them with the release")
    found = compare(chosen, regions, source, release, engine=engine).value
    if out is not None:
        click.echo(f"starling: {write_page(found, out)} is for the custodian alone", err=True)
    click.echo(json.dumps(evaluation_json(found), indent=2, ensure_ascii=False) if as_json else evaluation_text(found))


def evaluation_text(found: "Evaluation") -> str:
    """Errors by level and kind of number, what the release states beside them, and what was left out."""
    from starling.tables.evaluate.errors import WARNING, Errors

    header = ("level", "number", "rows", "mean error", "mean |error|", "rms error", "stated", "covered")
    rows = [
        (found.levels[str(level)], str(number), *_row(errors))
        for (level, number), errors in found.by("level", "number").items()
    ]
    everything = sum((each.errors for each in found.classes), start=Errors())
    rows.append(("all", "", *_row(everything)))
    gone: dict[str, tuple[int, int, int]] = {}
    for each in found.groups:
        groups, dropped, persons = gone.get(each.level, (0, 0, 0))
        gone[each.level] = (groups + each.groups, dropped + each.suppressed, persons + each.persons)
    left_out = [
        (found.levels[level], f"{groups:,}", f"{dropped:,}", f"{persons / max(dropped, 1):.2f}")
        for level, (groups, dropped, persons) in gone.items()
    ]
    return "\n\n".join(
        [
            WARNING,
            facts([("plan", found.title)]),
            table(header, rows, left=2),
            table(("level", "groups", "not published", "persons in one of these"), left_out),
        ]
    )


def _row(errors: "Errors") -> tuple[str, ...]:
    numbers = (errors.bias, errors.mean_absolute, errors.root_mean_square, errors.stated)
    return (f"{errors.rows:,}", *(rounded(number) for number in numbers), f"{100 * errors.coverage:.2f} %")


def evaluation_json(found: "Evaluation") -> "dict[str, Json]":
    """Every class and group count."""
    from starling.tables.evaluate.errors import WARNING

    return {
        "not_private": True,
        "warning": WARNING,
        "title": found.title,
        "classes": [
            {
                "level": each.level,
                "level_in_words": found.levels[each.level],
                "size": each.size,
                "branch": each.branch,
                "number": each.number,
                "rows": each.errors.rows,
                "mean_error": each.errors.bias,
                "mean_absolute_error": each.errors.mean_absolute,
                "root_mean_square_error": each.errors.root_mean_square,
                "stated_standard_deviation": each.errors.stated,
                "covered": each.errors.covered,
            }
            for each in found.classes
        ],
        "groups": [
            {
                "level": each.level,
                "size": each.size,
                "groups": each.groups,
                "suppressed": each.suppressed,
                "persons_suppressed": each.persons,
            }
            for each in found.groups
        ],
    }
