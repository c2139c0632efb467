"""`starling places`: one command for each verb of the domain. They parse, call and print; the work is done in starling.places.

`plan` and `preview` have no option that could name records.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import options
from starling.cli.commands import Group, Result, command
from starling.cli.progress import working
from starling.cli.publishing import Destination, destination, released
from starling.cli.verbs import previewed, validating

if TYPE_CHECKING:
    from starling.places.evaluate import Evaluation
    from starling.places.plan import Plan
    from starling.places.preview import Preview
    from starling.release.statement import Json

places = Group(
    "places",
    example="starling places plan plan.toml",
    help="Where points lie (pickups, crimes, visits): a public grid, from which any rectangle is counted.\n\n"
    "PLAN is a plan file (TOML); docs/reference/places.md says what stands in it.",
    lazy={
        "plan": "starling.cli.places:plan",
        "preview": "starling.cli.places:preview",
        "validate": "starling.cli.places:validate",
        "release": "starling.cli.places:release",
        "generate": "starling.cli.places:generate",
        "count": "starling.cli.places_reading:count",
        "compare": "starling.cli.places_reading:compare",
        "hotspots": "starling.cli.places_reading:hotspots",
        "map": "starling.cli.places_reading:map_",
        "export": "starling.cli.places_reading:export",
        "evaluate": "starling.cli.places:evaluate",
    },
)
records = click.option(
    "--records",
    type=options.PATH,
    required=True,
    metavar="FILE",
    help="Confidential: CSV, Parquet, GeoParquet or GeoJSON, a file or a folder of Parquet parts.",
)


@command("plan", example="starling places plan plan.toml")
@options.plan_file
def plan(plan: Path) -> Result:
    """What a plan publishes and costs, and what the budget is spent on. Opens no records."""
    from starling.places.mechanism.table import mechanism_of
    from starling.places.plan import Plan

    chosen = Plan.load(plan)
    mechanism_of(chosen)
    return Result(partial(_plan_text, chosen), partial(_plan_json, chosen))


@command("preview", example="starling places preview plan.toml --size 1 --size 5")
@options.plan_file
@click.option(
    "--size",
    "sizes",
    type=float,
    multiple=True,
    metavar="PERCENT",
    help="Side of squares that matter, in percent of the grid's sides. May be given again.  [default: 1, 5 and 25]",
)
@click.option(
    "--expected",
    type=click.IntRange(1),
    metavar="N",
    help="About how many points there are, publicly.  [default: the plan's]",
)
@click.option(
    "--world",
    "worlds",
    type=click.Choice(("gather", "everywhere", "city")),
    multiple=True,
    help="How the true points may lie: in few places, everywhere, or filling a city. May be given again.  [default: all]",
)
@click.option(
    "--trials",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="N",
    help="Releases to simulate by each method; more tell methods apart that are nearly as good.",
)
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Public: of the invented points.")
@options.page
def preview(
    plan: Path,
    *,
    sizes: tuple[float, ...],
    expected: int | None,
    worlds: tuple[str, ...],
    trials: int,
    seed: int,
    out: Path | None,
) -> Result:
    """How far counts of squares will be off by method and size, on invented points, and which method is best. Opens no records."""
    from starling.places.plan import Plan
    from starling.places.preview import CITY, EVERYWHERE, GATHERED, SIZES, WORLDS
    from starling.places.preview import preview as foresee

    chosen = Plan.load(plan)
    names = {"gather": GATHERED, "everywhere": EVERYWHERE, "city": CITY}
    working("simulating releases of invented points")
    seen = foresee(
        chosen,
        expected=expected,
        sizes=sizes or SIZES,
        seed=seed,
        trials=trials,
        worlds=[names[each] for each in worlds] or tuple(WORLDS),
    )
    return previewed(Result(partial(_preview_text, seen), partial(_preview_json, seen)), lambda: seen, out)


validate = validating(
    "places",
    "starling places validate plan.toml --records records.csv",
    "Find which points a release would drop, and why: file, line, field and fix.",
    records,
)


@command("release", example="starling places release plan.toml --records records.csv --out release --unvalidated --yes")
@options.plan_file
@records
@options.engine
@destination
def release(plan: Path, *, records: Path, engine: str, destination: Destination) -> Result:
    """Charge the plan's cost, count the points, draw the noise, and publish one grid that answers every rectangle, as a folder.

    A run that died is taken up by the same command with the same ledger and request id, at no further cost.
    """
    from starling.places.mechanism.table import mechanism_of
    from starling.places.plan import Plan
    from starling.places.publish import release as publish_places

    chosen = Plan.load(plan)

    def tables(data: Path) -> list[tuple[str, str]]:
        cells = [] if chosen.grid.sparse else [("cells", f"{chosen.cells:,} cells in {data / 'cells.parquet'}")]
        return [*cells, ("boxes", f"{data / 'boxes.parquet'}")]

    run = partial(publish_places, chosen, records, engine=engine)
    return released(destination, mechanism_of(chosen).guarantee, chosen.title, run, tables)


@command("generate", example="starling places generate --sigma 50 --out invented")
@click.option(
    "--sigma",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    metavar="CELLS",
    help="Standard deviation around the centre; the paper has 20, 50 and 100.",
)
@click.option(
    "--points",
    type=click.IntRange(0, 100_000_000),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="How many points.",
)
@options.new_folder
@options.seed
def generate(*, sigma: int, points: int, out: Path, seed: int) -> Result:
    """Invent the paper's points, normal around one centre of 1024 x 1024 cells, with a plan. Nobody was there."""
    from starling.places.generate import write
    from starling.release.text import facts

    working("inventing points")
    generated = write(out, sigma=sigma, seed=seed, points=points)
    files = {name: str(getattr(generated, name)) for name in ("records", "plan", "note")}
    return Result(lambda: facts([*files.items(), ("points", f"{points:,}")]), lambda: {**files, "points": points})


@command("evaluate", example="starling places evaluate plan.toml --release release --records records.csv")
@options.plan_file
@click.option("--release", type=options.PATH, required=True, metavar="DIR", help="The release to compare.")
@records
@options.engine
@options.seed
def evaluate(plan: Path, *, release: Path, records: Path, engine: str, seed: int) -> Result:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
    from starling.engine.spark import check_engine
    from starling.places.evaluate import evaluate as compare
    from starling.places.plan import Plan
    from starling.places.source import open_records

    check_engine(engine)
    chosen = Plan.load(plan)
    opened = open_records(records, chosen)
    working("counting the points and comparing them with the release")
    evaluation = compare(chosen, opened, release, seed=seed, engine=engine).value
    return Result(partial(_evaluation_text, evaluation), partial(_evaluation_json, evaluation))


def _plan_text(plan: "Plan") -> str:
    from starling.places.artifact.pages import box
    from starling.places.mechanism.table import mechanism_of
    from starling.places.plan import METHODS
    from starling.privacy.budget import decimal_up
    from starling.privacy.neighbours import as_replace_one
    from starling.release.text import facts, table

    mechanism = mechanism_of(plan)
    cost, grid = mechanism.guarantee.cost, plan.grid
    bound = f", of whom at most {plan.points} points count" if plan.unit == "person" else ""
    pairs = [
        ("plan", plan.title),
        ("protects", f"one {plan.unit}{bound} ({plan.relation})"),
        ("cost", f"{cost}, under the replace-one adjacency {as_replace_one(cost)}"),
        ("box", box(plan)),
        (
            "cells",
            f"{grid.rows:,} rows of {grid.columns:,}, {grid.cells:,} in each of {len(plan.slice_names):,} slices",
        ),
        ("method", f"{plan.method}: {METHODS[plan.method]}"),
    ]
    pairs += [(name, text) for name, text in plan.parameters.items()]
    rows = [(line.name, decimal_up(line.epsilon)) for line in mechanism.method.budget]
    return f"{facts(pairs)}\n\n{table(('spent on', 'epsilon'), rows)}"


def _preview_text(seen: "Preview") -> str:
    from starling.places.mechanism.table import mechanism_of
    from starling.places.preview import times
    from starling.release.text import facts, table

    pairs = [
        ("plan", seen.plan.title),
        ("cost", str(mechanism_of(seen.plan).guarantee.cost)),
        ("simulated", f"{seen.expected:,} invented points in each slice, {times(seen.trials)} of each method"),
        ("best", seen.why()),
    ]
    header = tuple(name.lower() for name in seen.header())
    parts = [facts(pairs)]
    for world in seen.worlds:
        parts.append(f"{world}: how far counts of squares are off, and in percent of {seen.true_count}")
        parts.append(table(header, seen.rows(world)))
    return "\n\n".join(parts)


def _preview_json(seen: "Preview") -> "dict[str, Json]":
    from dataclasses import asdict

    return {
        "title": seen.plan.title,
        "expected_points": seen.expected,
        "sizes_percent": list(seen.sizes),
        "trials": seen.trials,
        "best": seen.best,
        "best_by_world": {world: seen.best_in(world) for world in seen.worlds},
        "advice": seen.advice,
        "methods": {
            label: {
                "method": plan.method,
                "parameters": dict(plan.parameters),
                "errors": {world: [asdict(each) for each in errors] for world, errors in seen.errors[label].items()},
            }
            for label, plan in seen.plans.items()
        },
    }


def _plan_json(plan: "Plan") -> "dict[str, Json]":
    from starling.places.artifact.pages import bounds, parameters
    from starling.places.mechanism.table import mechanism_of
    from starling.release.statement import claim

    mechanism = mechanism_of(plan)
    return {
        "title": plan.title,
        "neighbours": str(plan.relation),
        "cost": claim(mechanism.guarantee).adjacencies(),
        "bounds": bounds(plan),
        **parameters(plan, mechanism),
    }


def _evaluation_text(evaluation: "Evaluation") -> str:
    from starling.places.evaluate import WARNING
    from starling.places.generate.rectangles import RANDOM, SQUARES
    from starling.release.text import facts, rounded, table

    kinds = (*SQUARES, RANDOM)
    rows = [
        (
            name,
            f"{each.points:,}",
            rounded(each.total),
            rounded(each.largest),
            *(rounded(each.relative[kind]) for kind in kinds),
        )
        for name, each in evaluation.slices.items()
    ]
    header = ("slice", "points", "total off by", "cell off by", *kinds)
    what = "of each kind of rectangle: mean error in percent of the true count, taken as at least 20"
    return "\n\n".join([WARNING, facts([("plan", evaluation.title)]), table(header, rows), what])


def _evaluation_json(evaluation: "Evaluation") -> "dict[str, Json]":
    from dataclasses import asdict

    from starling.places.evaluate import WARNING

    return {"not_private": True, "warning": WARNING, **asdict(evaluation)}
