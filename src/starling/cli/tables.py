"""`starling tables`: one command for each verb of the domain. They parse, call and print; the work is done in starling.tables.

`plan` and `preview` have no option that could name records.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import options
from starling.cli.commands import Group, Result, command
from starling.cli.progress import working
from starling.cli.publishing import Destination, destination
from starling.cli.verbs import previewed, schema_of, validating
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.plan import Geography, Plan
    from starling.tables.publish import Published

INPUTS = "--persons invented/person-records.txt --geography invented/GRF-C.txt"
"""What `generate`'s example makes."""

tables = Group(
    "tables",
    example="starling tables preview demo",
    help="Tables of population groups (SafeTab): a total of every group of a plan, and more detail of larger ones. The groups are the"
    " Census's of race and ethnicity, by sex and age, or those of any records.\n\nPLAN is a Census"
    " configuration folder, a plan file (TOML), or the name of a plan that comes with Starling: demo; with a folder of Census"
    " definition files, safetab-2022:FOLDER and safetab-2022-geometric:FOLDER (the paper's margins of error, kept exactly), or"
    " safetab-2022-printed:FOLDER and safetab-2022-geometric-printed:FOLDER (its printed budgets).",
    lazy={
        "init": "starling.cli.tables_init:init",
        "plan": "starling.cli.tables:plan",
        "convert": "starling.cli.tables:convert",
        "schema": "starling.cli.tables:schema",
        "preview": "starling.cli.tables:preview",
        "generate": "starling.cli.tables_generate:generate",
        "validate": "starling.cli.tables:validate",
        "release": "starling.cli.tables:release",
        "evaluate": "starling.cli.tables:evaluate",
        "diff": "starling.cli.tables:diff",
        "export": "starling.cli.tables_export:export",
    },
)


@command("plan", example="starling tables plan demo")
@options.plan
@options.geography_if_known
@click.option("--scale", metavar="X", help="Solve again with every accuracy target times X, such as 1.5.")
@click.option("--total", metavar="X", help="Solve again for a whole cost of at most X: what margins does it pay for?")
@click.option(
    "--earlier",
    type=options.PATH,
    multiple=True,
    metavar="RELEASE",
    help="An earlier release about the same people: what both reveal together. May be given again.",
)
def plan(
    plan: str, *, geography: Path | None, scale: str | None, total: str | None, earlier: tuple[Path, ...]
) -> Result:
    """What a plan costs, level by level, how much noise that buys, and which accuracy target is costly. Opens no records."""
    from starling.cli.comparison import earlier_json, earlier_text
    from starling.cli.plans import plan_json, plan_text, scaled
    from starling.tables.earlier.releases import joint_cost
    from starling.tables.plan import Plan, describe, known_regions, prices

    if scale is not None and total is not None:
        raise ParameterError("--total", "stands beside --scale", "give one of the two")
    factor, chosen = scaled(Plan.load(plan), scale, total)
    planned = describe(chosen, known_regions(chosen, geography)), prices(chosen), factor
    if not earlier:
        return Result(partial(plan_text, *planned), partial(plan_json, *planned))
    working("reading the earlier releases")
    joint = joint_cost(chosen, earlier, geography)
    return Result(
        lambda: f"{plan_text(*planned)}\n\n{earlier_text(joint)}",
        lambda: plan_json(*planned) | {"earlier": earlier_json(joint)},
    )


@command("convert", example="starling tables convert census --out plan.toml")
@click.argument("folder", type=options.PATH)
@click.option("--out", type=options.PATH, required=True, metavar="FILE", help="Plan file (.toml) to make.")
def convert(folder: Path, out: Path) -> Result:
    """Say a Census configuration FOLDER (config.json and definitions) as a plan file: the same plan, budgets exact.

    The plan file names the folder of definitions relative to itself, and is read back before this ends. Opens no records.
    """
    from starling.cli.plans import overview_json
    from starling.release.text import facts
    from starling.tables.plan import describe
    from starling.tables.plan.model import convert as write

    overview = describe(write(folder, out))
    levels = f"{len(overview.levels)}; starling tables plan {out} shows them"
    pairs = [("plan file", str(out)), ("cost", str(overview.plan.cost)), ("levels", levels)]
    return Result(partial(facts, pairs), lambda: {"file": str(out), **overview_json(overview)})


schema = schema_of("tables")


@command("preview", example="starling tables preview demo")
@options.plan
@options.geography_if_known
@options.top_up
@click.option("--sizes", metavar="N,N,...", help="True sizes of groups to look at.  [default: 0, 10, ... 1000000]")
@options.page
@click.option(
    "--group-sizes",
    type=options.PATH,
    metavar="FILE",
    help="Of the page: how many groups have how many persons, CSV size,groups or level,size,groups.  [default: assumed]",
)
def preview(
    plan: str,
    *,
    geography: Path | None,
    top_up: Path | None,
    sizes: str | None,
    out: Path | None,
    group_sizes: Path | None,
) -> Result:
    """How far each kind of number of a release will be off, before anything is spent. Opens no records."""
    from starling.cli.plans import preview_json, preview_text
    from starling.tables.plan import Plan, known_regions
    from starling.tables.preview import SIZES
    from starling.tables.preview import preview as preview_of
    from starling.tables.preview.expected_detail import expect_detail, read_sizes
    from starling.tables.preview.page import TablesPage

    if group_sizes is not None and out is None:
        raise ParameterError("--group-sizes", "is of the page, and none is asked for", "add --out DIR")
    chosen = Plan.load(plan)
    regions = known_regions(chosen, geography)
    chosen = _topping_up(chosen, top_up, regions)
    if not chosen.staged:
        for option, value in (("--sizes", sizes), ("--group-sizes", group_sizes)):
            if value is not None:
                problem = "changes nothing: the plan measures each group once, whatever its size"
                raise ParameterError(option, problem, "leave it out, or add [detail] to the plan")
    working("computing how far each number may be off")
    seen = preview_of(chosen, regions, sizes=SIZES if sizes is None else _numbers(sizes, "--sizes"))

    def page() -> TablesPage:
        return TablesPage(seen, expect_detail(chosen, None if group_sizes is None else read_sizes(group_sizes)))

    return previewed(Result(partial(preview_text, seen), partial(preview_json, seen)), page, out)


validate = validating(
    "tables",
    f"starling tables validate demo {INPUTS}",
    "Find what is wrong with person records: file, line, field and fix.",
    options.persons,
    options.geography,
    plan=options.plan,
)


@command("release", example=f"starling tables release demo {INPUTS} --out release --unvalidated --yes")
@options.plan
@options.persons
@options.geography
@click.option(
    "--names", type=options.PATH, metavar="FILE", help="Names of regions, public: REGION_TYPE|REGION_ID|REGION_NAME."
)
@options.top_up
@options.engine
@destination
def release(
    plan: str,
    *,
    persons: Path,
    geography: Path | None,
    names: Path | None,
    top_up: Path | None,
    engine: str,
    destination: Destination,
) -> Result:
    """Charge the plan's cost, read the records, draw the noise, and publish the tables as a folder.

    A run that died is taken up by the same command with the same ledger and request id, at no further cost.
    """
    from starling.cli import publishing
    from starling.tables.plan import Plan
    from starling.tables.publish import release as publish

    chosen = Plan.load(plan)
    published = publishing.publish(
        destination,
        lambda: _spending(_topping_up(chosen, top_up, None)),
        partial(publish, chosen, persons, geography, names=names, top_up=top_up, engine=engine),
    )
    return Result(partial(_published_text, published), partial(_published_json, published))


@command(
    "evaluate",
    example=f"starling tables evaluate demo --release release {INPUTS}",
)
@options.plan
@click.option("--release", type=options.PATH, required=True, metavar="DIR", help="The folder of a release.")
@options.persons
@options.geography
@options.engine
@click.option(
    "--out", type=options.PATH, metavar="DIR", help="Write a page with pictures too: NOT-PRIVATE-evaluation.html there."
)
def evaluate(
    plan: str, *, release: Path, persons: Path, geography: Path | None, engine: str, out: Path | None
) -> Result:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
    from starling.cli.comparison import evaluation_json, evaluation_text
    from starling.engine.spark import check_engine
    from starling.tables.evaluate import evaluate as compare
    from starling.tables.evaluate.page import check_place, write_page
    from starling.tables.plan import Plan, read_regions
    from starling.tables.source import open_records

    if out is not None:
        check_place(out)
    check_engine(engine)
    chosen = Plan.load(plan)
    source = open_records(persons, chosen)
    regions = read_regions(chosen, geography)
    working("counting the records and comparing them with the release")
    evaluation = compare(chosen, regions, source, release, engine=engine).value
    if out is not None:
        click.echo(f"starling: {write_page(evaluation, out)} is for the custodian alone", err=True)
    return Result(partial(evaluation_text, evaluation), partial(evaluation_json, evaluation))


@command("diff", example="starling tables diff release second")
@click.argument("first", type=options.PATH, metavar="RELEASE")
@click.argument("second", type=options.PATH, metavar="RELEASE")
@click.option(
    "--confidence",
    default="0.95",
    show_default=True,
    metavar="P",
    help="Of what is listed as different, at most 1 - P is expected to be equal in truth.",
)
@click.option(
    "--csv", "csv_file", type=options.PATH, metavar="FILE", help="Write all that differs, and groups in one alone."
)
def diff(first: Path, second: Path, *, confidence: str, csv_file: Path | None) -> Result:
    """Which numbers of two releases differ by more than their noise, and which groups are in one alone.

    Compared are the noisy measurements of both, before anything was dropped or clamped. Reads released folders alone.
    """
    from starling.cli.comparison import comparison_json, comparison_text, with_csv
    from starling.tables.earlier.comparison import compare

    working("comparing the measurements of both releases")
    comparing = partial(compare, first, second, confidence=confidence)
    comparison = comparing() if csv_file is None else with_csv(comparing, csv_file)
    return Result(partial(comparison_text, comparison), partial(comparison_json, comparison))


def _spending(plan: "Plan") -> str:
    """What a release is charged for."""
    if plan.variants.top_up is None:
        return plan.title
    tops = f"It tops up the release of request {plan.variants.top_up.request_id}: together they cost {plan.joint_guarantee.cost}."
    return f"{plan.title}\n{tops}"


def _published_json(published: "Published") -> "dict[str, Json]":
    from starling.cli.publishing import published_json
    from starling.release.statement import amount

    plan = published.plan
    return published_json(plan.guarantee, published) | {
        "adds_to": [each.request_id for each in plan.variants.releases],
        "joint": amount(plan.joint_guarantee.cost),
        "rows": {table: published.rows(table) for table in published.tables},
    }


def _published_text(published: "Published") -> str:
    from starling.cli.publishing import published_text

    plan, data = published.plan, published.folder / "data"
    joint = [("together", f"{plan.joint_guarantee.cost}, with what it adds to")] if plan.variants.top_up else []
    kind = "txt" if plan.wording.census_format else "csv"
    tables = [("totals", f"{published.rows('t1'):,} rows in {data / f't1.{kind}'}")] if plan.levels else []
    if plan.aggregates:
        tables.append(("statistics", f"{published.rows('t3'):,} rows in {data / 't3.csv'}"))
    if plan.detail.steps:
        by = " by ".join(attribute.name for attribute in plan.detail.attributes)
        tables.append((by, f"{published.rows('t2'):,} rows in {data / f't2.{kind}'}"))
    return published_text(plan.guarantee, published, [*joint, *tables])


def _topping_up(plan: "Plan", release: Path | None, regions: "Geography | None") -> "Plan":
    """The plan, on top of an earlier release if one is named."""
    if release is None:
        return plan
    from starling.tables.earlier.releases import topping_up

    with topping_up(plan, release, regions) as topped:
        return topped.plan


def _numbers(text: str, field: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        raise ParameterError(field, "is not a list of whole numbers", "write it like 0,100,5000")
    return tuple(int(part) for part in parts)
