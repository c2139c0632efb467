"""`starling groups generate`, `evaluate` and `plot`: groups that nobody has, a release beside the truth, and a release as pictures."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.auditing import pin
from starling.cli.commands import Result, command
from starling.cli.groups import records, shares_option
from starling.cli.progress import working
from starling.errors import SourceError

if TYPE_CHECKING:
    from starling.groups.evaluate import Evaluation, Reading
    from starling.release.statement import Json


@command("generate", example="starling groups generate plan.toml --out invented")
@click.argument("plan", type=options.PATH, required=False)
@click.option(
    "--counties",
    type=options.PATH,
    metavar="FILE",
    help="Without PLAN: the households of the paper, over these counties.",
)
@click.option("--taxis", is_flag=True, help="Without PLAN: the taxis of the paper, over 263 zones.")
@shares_option
@click.option(
    "--kind",
    type=click.Choice(["groups", "counts"]),
    help="Of the records without PLAN, which says it.  [default: groups]",
)
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="parquet", show_default=True)
@options.new_folder
@options.seed
def generate(*, plan: Path | None, counties: Path | None, taxis: bool, shares: Path | None, **output: Any) -> Result:
    """Invent groups for a plan, or over counties or taxi zones with a plan of their own, to try everything with. Nobody is in them."""
    from starling.groups.generate import census_like, taxi_like, world_of
    from starling.groups.generate.files import write
    from starling.groups.plan import Plan
    from starling.groups.plan.shares import read_shares
    from starling.groups.preview import known_shares
    from starling.release.text import facts

    if (plan is not None) + (counties is not None) + taxis != 1:
        raise click.UsageError("Give PLAN, or --counties FILE, or --taxis")
    if (output["kind"] if plan is not None else shares) is not None:
        raise click.UsageError("Give --shares with PLAN, and --kind without it")
    working("inventing groups")
    seed, chosen = output["seed"], None if plan is None else Plan.load(plan)
    if chosen is not None:
        known = None if shares is None else read_shares(shares, chosen.largest, chosen.format)
        world = world_of(chosen, known_shares(chosen, known)[0], seed=seed)
    else:
        world = taxi_like(seed=seed) if counties is None else census_like(counties, seed=seed)
    kind = chosen.kind if chosen is not None else output["kind"] or "groups"
    generated = write(world, output["out"], seed=seed, kind=kind, format=output["form"], plan=chosen)
    files = {"records": str(generated.records), "plan": str(generated.plan or plan), "note": str(generated.note)}
    sizes = {"groups": world.groups, "members": world.members, "leaves": len(world.regions.leaves)}
    words = f"groups ({world.group}): {world.groups:,}, members ({world.member}): {world.members:,}, over {sizes['leaves']:,} leaves"
    return Result(lambda: facts([*files.items(), ("invented", words)]), lambda: {**files, "sizes": sizes})


@command("evaluate", example="starling groups evaluate plan.toml --release release --records records.csv")
@options.plan_file
@click.option("--release", type=options.PATH, required=True, metavar="DIR", help="The release to compare.")
@records
@options.engine
def evaluate(plan: Path, *, release: Path, records: Path, engine: str) -> Result:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
    from starling.engine.spark import check_engine
    from starling.groups.evaluate import evaluate as compare
    from starling.groups.plan import Plan
    from starling.groups.source import open_records

    check_engine(engine)
    chosen = Plan.load(plan)
    opened = open_records(records, chosen)
    working("counting the groups and comparing them with the release")
    evaluation = compare(chosen, opened, release, engine=engine).value
    return Result(partial(_evaluation_text, evaluation), partial(_evaluation_json, evaluation))


def _evaluation_text(evaluation: "Evaluation") -> str:
    from starling.groups.evaluate import THRESHOLDS, WARNING
    from starling.release.text import facts, table

    rows = [
        (name, *(f"{each:,}" for each in (errors.l1, errors.emd, errors.largest)), *map(_false, errors.readings))
        for name, errors in evaluation.levels.items()
    ]
    header = ("level", "L1", "earth mover's", "largest", *(f"false, of {least}+" for least in THRESHOLDS))
    broken = evaluation.violations
    pairs = [
        ("plan", evaluation.title),
        (
            "broken",
            f"consistency {broken.consistency:,}, validity {broken.validity:,}, faithfulness {broken.faithfulness:,}",
        ),
    ]
    what = "false, of 10+: sizes that a region is said to have 10 groups of or more, and has not"
    return "\n\n".join([WARNING, facts(pairs), table(header, rows), what])


def _false(reading: "Reading") -> str:
    return f"{reading.false:,} of {reading.claimed:,}"


def _evaluation_json(evaluation: "Evaluation") -> "dict[str, Json]":
    from dataclasses import asdict

    from starling.groups.evaluate import WARNING

    return {"not_private": True, "warning": WARNING, **asdict(evaluation)}


@command("plot", example="starling groups plot release --out pictures")
@click.argument("release", type=options.PATH)
@click.option(
    "--region",
    "regions",
    multiple=True,
    metavar="ID",
    help="Draw its sizes. May be given again.  [default: the root]",
)
@click.option(
    "--outlines",
    type=options.PATH,
    metavar="FILE",
    help="GeoJSON of polygons, each with the property region: draw a map too.",
)
@options.new_folder
@options.signer
def plot(release: Path, *, regions: tuple[str, ...], outlines: Path | None, out: Path, key: str | None) -> Result:
    """Draw a release as SVG: sizes of regions with intervals, the expected error by level, a map of mean sizes. Opens no records."""
    from starling import open_release
    from starling.groups.analysis import GroupsRelease
    from starling.groups.pictures import write
    from starling.release.text import facts

    working("checking the release and drawing it")
    with open_release(release, key=None if key is None else pin(key)) as opened:
        if not isinstance(opened, GroupsRelease):
            raise SourceError("release", "is none of group sizes", "name the folder of one")
        files = write(out, opened.plan, opened.table, regions, outlines)
    named = {path.stem: str(path) for path in files}
    return Result(lambda: facts(list(named.items())), lambda: {"pictures": named})
