"""`starling places`: what the domain adds to the commands of every domain, which release/domain.py and cli/verbs.py declare."""

from pathlib import Path

import click

from starling.cli import options, verbs
from starling.cli.commands import Group, command
from starling.cli.progress import working
from starling.errors import ParameterError
from starling.release.session import Described

HERE = ("plan", "schema", "preview", "validate", "release", "generate", "plot", "evaluate")
READING = {
    "count": "count",
    "means": "means",
    "compare": "compare",
    "hotspots": "hotspots",
    "map": "map_",
    "export": "export",
}

places = Group(
    "places",
    example="starling places plan plan.toml",
    help="Where points lie (pickups, crimes, visits): a public grid, from which any rectangle is counted, or public areas.\n\n"
    "PLAN is a plan file (TOML); docs/reference/places.md says what stands in it.",
    lazy={
        **{name: f"starling.cli.places:{name}" for name in HERE},
        **{name: f"starling.cli.places_reading:{place}" for name, place in READING.items()},
        "areas": "starling.cli.places_areas:areas",
        "flows": "starling.cli.places_flows:flows",
    },
)
records = options.path(
    "--records",
    required=True,
    metavar="FILE",
    help="Confidential: CSV, Parquet, GeoParquet or GeoJSON, a file or a folder of Parquet parts.",
)
part = click.option("--slice", "part", metavar="NAME", help="Which slice.  [default: the only one]")

plan = verbs.planning(
    "places",
    "What a plan publishes and costs, and what the budget is spent on. Opens no records.",
    "starling places plan plan.toml",
)
schema = verbs.schema_of("places")
preview = verbs.previewing(
    "places",
    "How far counts of squares will be off by method and size, on invented points, and which method is best; of areas, exactly."
    " Opens no records.",
    "starling places preview plan.toml --size 1 --size 5",
    click.option(
        "--size",
        "sizes",
        type=float,
        multiple=True,
        metavar="PERCENT",
        help="Side of squares that matter, in percent of the grid's sides. Repeatable.  [default: 1, 5 and 25]",
    ),
    click.option(
        "--expected",
        type=click.IntRange(1),
        metavar="N",
        help="About how many points there are, publicly.  [default: the plan's]",
    ),
    click.option(
        "--world",
        "worlds",
        type=click.Choice(("gather", "everywhere", "city")),
        multiple=True,
        help="How the true points may lie: in few places, everywhere, or filling a city. Repeatable.  [default: all]",
    ),
    options.with_default(
        "--trials",
        type=click.IntRange(1, 100),
        default=1,
        metavar="N",
        help="Releases to simulate by each method; more tell methods apart that are nearly as good.",
    ),
    options.number("--seed", default=1, help="Public: of the invented points."),
    step="simulating releases of invented points",
)
validate = verbs.validating(
    "places",
    "starling places validate plan.toml --records records.csv",
    "Find which points a release would drop, and why: file, line, field and fix.",
    records,
)
release = verbs.releasing(
    "places",
    "Charge the plan's cost, count the points, draw the noise, and publish a grid or areas as a folder.",
    "starling places release plan.toml --records records.csv --out release --unvalidated --yes",
    records,
    options.engine,
)
generate = verbs.generating(
    "places",
    "Invent points of a plan; or the paper's, normal around one centre of 1024 x 1024 cells, with a plan of their own.",
    "starling places generate plan.toml --out invented",
    click.option(
        "--sigma",
        type=click.IntRange(1, 10_000),
        metavar="CELLS",
        help="Without PLAN: standard deviation around the centre; the paper has 20, 50 and 100.  [default: 50]",
    ),
    click.option(
        "--points",
        type=click.IntRange(0, 100_000_000),
        metavar="N",
        help="How many points.  [default: as many as PLAN expects, at most 100,000; 1,000,000 without PLAN]",
    ),
    plan=options.plan_file_if_any,
    step="inventing points",
)
plot = verbs.plotting(
    "places",
    "Draw the released points of each cell, or of each area, as SVG.",
    "starling places plot release --out pictures",
    part,
)


@command("evaluate", example="starling places evaluate plan.toml --release release --records records.csv")
@options.plan_file
@options.compared
@records
@options.engine
@options.seed
def evaluate(plan: Path, *, release: Path, records: Path, engine: str, seed: int) -> Described:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
    from starling.engine.spark import check_engine
    from starling.places.areas.evaluate import evaluate as compare_areas
    from starling.places.evaluate import evaluate as compare
    from starling.places.kinds import OF_AREAS, OF_GRID, load

    check_engine(engine)
    kind, chosen = load(plan)
    if kind not in (OF_GRID, OF_AREAS):
        raise ParameterError("plan", "is of flows, whose errors are not compared", "give a plan of a grid or of areas")
    if kind is OF_AREAS and seed != 1:
        raise ParameterError("--seed", "is of rectangles on a grid, and this plan is of areas", "leave it out")
    opened = kind.from_records.open(records, chosen)
    working("counting the points and comparing them with the release")
    if kind is OF_AREAS:
        return compare_areas(chosen, opened, release, engine=engine).value
    return compare(chosen, opened, release, seed=seed, engine=engine).value
