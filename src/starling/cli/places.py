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
from starling.cli.verbs import previewed, schema_of, validating

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
        "schema": "starling.cli.places:schema",
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
    from starling.places.session import Plan

    chosen = Plan.load(plan)
    return Result(partial(str, chosen), partial(_plan_json, chosen))


schema = schema_of("places")


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
    from starling.places.preview import preview as simulate

    chosen = Plan.load(plan)
    names = {"gather": GATHERED, "everywhere": EVERYWHERE, "city": CITY}
    working("simulating releases of invented points")
    result = simulate(
        chosen,
        expected=expected,
        sizes=sizes or SIZES,
        seed=seed,
        trials=trials,
        worlds=[names[each] for each in worlds] or tuple(WORLDS),
    )
    return previewed(Result(partial(str, result), partial(_preview_json, result)), lambda: result, out)


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


@command("generate", example="starling places generate plan.toml --out invented")
@click.argument("plan", type=options.PATH, required=False)
@click.option(
    "--sigma",
    type=click.IntRange(1, 10_000),
    metavar="CELLS",
    help="Without PLAN: standard deviation around the centre; the paper has 20, 50 and 100.  [default: 50]",
)
@click.option(
    "--points",
    type=click.IntRange(0, 100_000_000),
    metavar="N",
    help="How many points.  [default: as many as PLAN expects, at most 100,000; 1,000,000 without PLAN]",
)
@options.new_folder
@options.seed
def generate(*, plan: Path | None, sigma: int | None, points: int | None, out: Path, seed: int) -> Result:
    """Invent points of a plan; or the paper's, normal around one centre of 1024 x 1024 cells, with a plan of their own."""
    from starling.places.generate import POINTS, write, write_for
    from starling.places.plan import Plan
    from starling.release.text import facts

    if plan is not None and sigma is not None:
        raise click.UsageError("Give --sigma without PLAN")
    working("inventing points")
    if plan is not None:
        generated = write_for(Plan.load(plan), out, seed=seed, points=points)
    else:
        generated = write(out, sigma=sigma or 50, seed=seed, points=POINTS if points is None else points)
    files = {"records": str(generated.records), "plan": str(generated.plan or plan), "note": str(generated.note)}
    return Result(
        lambda: facts([*files.items(), ("points", f"{generated.points:,}")]),
        lambda: {**files, "points": generated.points},
    )


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


def _preview_json(preview: "Preview") -> "dict[str, Json]":
    from dataclasses import asdict

    return {
        "title": preview.plan.title,
        "expected_points": preview.expected,
        "sizes_percent": list(preview.sizes),
        "trials": preview.trials,
        "best": preview.best,
        "best_by_world": {world: preview.best_in(world) for world in preview.worlds},
        "advice": preview.advice,
        "methods": {
            label: {
                "method": plan.method,
                "parameters": dict(plan.parameters),
                "errors": {world: [asdict(each) for each in errors] for world, errors in preview.errors[label].items()},
            }
            for label, plan in preview.plans.items()
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
