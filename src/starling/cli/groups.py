"""`starling groups`: what the domain adds to the commands of every domain, which release/domain.py and cli/verbs.py declare."""

from pathlib import Path

import click

from starling.cli import options, verbs
from starling.cli.commands import Group, command
from starling.cli.progress import working
from starling.errors import ParameterError
from starling.release.session import Described

groups = Group(
    "groups",
    example="starling groups plan plan.toml",
    help="Numbers of groups by size (households by persons, vehicles by trips) over nested regions, in integers that add up.\n\n"
    "PLAN is a plan file (TOML); docs/reference/groups.md says what stands in it.",
    lazy={
        name: f"starling.cli.groups:{name}"
        for name in ("plan", "schema", "preview", "validate", "release", "generate", "evaluate", "plot")
    },
)
records = options.path(
    "--records",
    required=True,
    metavar="FILE",
    help="Confidential: CSV or Parquet of the plan's kind, a file or a folder of Parquet parts.",
)
shares = options.path(
    "--shares",
    metavar="FILE",
    help="Public shares of the sizes, CSV size,share.  [default: those of the plan, or assumed]",
)


def _targets(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, float]:
    """The error that is aimed at, by level."""
    try:
        return {level: float(error) for level, _, error in (each.partition("=") for each in texts)}
    except ValueError:
        raise ParameterError("--target", "is not LEVEL=ERROR", "write it like county=1000") from None


plan = verbs.planning(
    "groups",
    "What a plan publishes and costs, and how much noise each level gets. Opens no records.",
    "starling groups plan plan.toml",
)
schema = verbs.schema_of("groups")
preview = verbs.previewing(
    "groups",
    "How far numbers will be off by method and level, simulated from public facts, and which method is best. Opens no records.",
    "starling groups preview plan.toml",
    shares,
    click.option(
        "--target",
        "targets",
        multiple=True,
        metavar="LEVEL=ERROR",
        callback=_targets,
        help="Find the split over levels, and with public shares over sizes, that comes nearest to this sum of errors at a level."
        " Repeatable.",
    ),
    options.seed,
    step="simulating releases of invented groups",
)
validate = verbs.validating(
    "groups",
    "starling groups validate plan.toml --records records.csv",
    "Find what is wrong with records of groups: file, line, field and fix.",
    records,
)
release = verbs.releasing(
    "groups",
    "Charge the plan's cost, count the groups, draw the noise, and publish numbers that add up, as a folder.",
    "starling groups release plan.toml --records records.csv --out release --unvalidated --yes",
    records,
    options.engine,
)

generate = verbs.generating(
    "groups",
    "Invent groups for a plan, or over counties or taxi zones with a plan of their own, to try everything with. Nobody is in them.",
    "starling groups generate plan.toml --out invented",
    options.path("--counties", metavar="FILE", help="Without PLAN: the households of the paper, over these counties."),
    options.flag("--taxis", help="Without PLAN: the taxis of the paper, over 263 zones."),
    shares,
    click.option(
        "--kind",
        type=click.Choice(["groups", "counts"]),
        help="Of the records without PLAN, which says it.  [default: groups]",
    ),
    options.with_default(
        "--format", "form", type=click.Choice(["csv", "parquet"]), default="parquet", help="Of the records' file."
    ),
    plan=options.plan_file_if_any,
    step="inventing groups",
)
plot = verbs.plotting(
    "groups",
    "Draw a release as SVG: sizes of regions with intervals, the expected error by level, a map of mean sizes. Opens no records.",
    "starling groups plot release --out pictures",
    click.option(
        "--region",
        "regions",
        multiple=True,
        metavar="ID",
        help="Draw its sizes. Repeatable.  [default: the root]",
    ),
    options.path(
        "--outlines", metavar="FILE", help="GeoJSON of polygons, each with the property region: draw a map too."
    ),
)


@command("evaluate", example="starling groups evaluate plan.toml --release release --records records.csv")
@options.plan_file
@options.compared
@records
@options.engine
def evaluate(plan: Path, *, release: Path, records: Path, engine: str) -> Described:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
    from starling.engine.spark import check_engine
    from starling.groups.evaluate import evaluate as compare
    from starling.groups.plan import Plan
    from starling.groups.source import open_records

    check_engine(engine)
    chosen = Plan.load(plan)
    opened = open_records(records, chosen)
    working("counting the groups and comparing them with the release")
    return compare(chosen, opened, release, engine=engine).value
