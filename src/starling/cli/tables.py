"""`starling tables`: what the domain adds to the commands of every domain, which release/domain.py and cli/verbs.py declare."""

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options, verbs
from starling.cli.commands import Group, Result, command
from starling.cli.progress import working
from starling.errors import ParameterError
from starling.lazy import later
from starling.release.session import Described

if TYPE_CHECKING:
    from starling.tables.export import Form

INPUTS = "--persons invented/person-records.txt --geography invented/GRF-C.txt"
"""What `generate`'s example makes."""
FORMS: Final = ("csv", "parquet", "excel", "duckdb", "sdmx", "wide")
"""The forms of an export, as `starling.tables.export` has them."""
HERE = ("plan", "convert", "schema", "preview", "generate", "validate", "release", "plot", "evaluate", "diff", "export")

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
        **{name: f"starling.cli.tables:{name}" for name in HERE},
    },
)


def _numbers(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        raise ParameterError("--sizes", "is not a list of whole numbers", "write it like 0,100,5000")
    return tuple(int(part) for part in parts)


def _with_page(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuses sizes of groups where no page is written, which alone shows them."""

    @wraps(function)
    def checked(*, group_sizes: Path | None, out: Path | None, **values: Any) -> Any:
        if group_sizes is not None and out is None:
            raise ParameterError("--group-sizes", "is of the page, and none is asked for", "add --out DIR")
        return function(group_sizes=group_sizes, out=out, **values)

    return checked


plan = verbs.planning(
    "tables",
    "What a plan costs, level by level, how much noise that buys, and which accuracy target is costly. Opens no records.",
    "starling tables plan demo",
    options.geography_if_known,
    click.option("--scale", metavar="X", help="Solve again with every accuracy target times X, such as 1.5."),
    click.option(
        "--total", metavar="X", help="Solve again for a whole cost of at most X: what margins does it pay for?"
    ),
    click.option("--epsilon", metavar="E", help="Solve again for the largest budgets that keep E at --delta."),
    click.option("--delta", metavar="D", help="The delta of --epsilon, such as 1e-10."),
    options.path("--out", metavar="FILE", help="Write the plan as a plan file (.toml)."),
    options.path(
        "--earlier",
        multiple=True,
        metavar="RELEASE",
        help="An earlier release about the same people: what both reveal together. Repeatable.",
    ),
    plan=options.plan,
)
preview = verbs.previewing(
    "tables",
    "How far each kind of number of a release will be off, before anything is spent. Opens no records.",
    "starling tables preview demo",
    options.geography_if_known,
    options.top_up,
    click.option(
        "--sizes",
        metavar="N,N,...",
        callback=_numbers,
        help="True sizes of groups to look at.  [default: 0, 10, ... 1000000]",
    ),
    options.path(
        "--group-sizes",
        metavar="FILE",
        help="Of the page: how many groups have how many persons, CSV size,groups or level,size,groups.  [default: assumed]",
    ),
    _with_page,
    plan=options.plan,
    step="computing how far each number may be off",
    pages=later("starling.screens.tables.accuracy:pages_of"),
)
validate = verbs.validating(
    "tables",
    f"starling tables validate demo {INPUTS}",
    "Find what is wrong with person records: file, line, field and fix.",
    options.persons,
    options.geography,
    plan=options.plan,
)
release = verbs.releasing(
    "tables",
    "Charge the plan's cost, read the records, draw the noise, and publish the tables as a folder.",
    f"starling tables release demo {INPUTS} --out release --unvalidated --yes",
    options.persons,
    options.geography,
    options.path("--names", metavar="FILE", help="Names of regions, public: REGION_TYPE|REGION_ID|REGION_NAME."),
    options.top_up,
    options.engine,
    plan=options.plan,
)
generate = verbs.generating(
    "tables",
    "Invent records for a plan, to try everything with; of the Census also a geography. Nobody in them exists.",
    "starling tables generate demo --persons 100000 --out invented",
    options.number(
        "--persons", help="How many persons to invent.  [default: of a plan of custom tables, as many as it expects]"
    ),
    options.number("--land-for", help="Of the Census: make land for so many persons.  [default: as many as there are]"),
    click.option("--states", metavar="NN,NN,...", help="Of the Census: codes of the states.  [default: the plan's]"),
    options.with_default(
        "--format",
        "kind",
        type=click.Choice(["text", "parquet"]),
        default="text",
        help="Text is CSV for custom tables.",
    ),
    plan=options.plan,
    step="inventing persons",
)
plot = verbs.plotting(
    "tables",
    "Draw released numbers as SVG, each with its interval of 95 %.",
    "starling tables plot release --out pictures",
    options.with_default("--table", type=click.Choice(["t1", "t2"]), default="t1", help="Which table."),
    options.number("--most", default=40, help="Draw the first rows, so many."),
)


@command("convert", example="starling tables convert census --out plan.toml")
@click.argument("folder", type=options.PATH)
@options.path("--out", required=True, metavar="FILE", help="Plan file (.toml) to make.")
def convert(folder: Path, out: Path) -> Result:
    """Say a Census configuration FOLDER (config.json and definitions) as a plan file: the same plan, budgets exact.

    The plan file names the folder of definitions relative to itself, and is read back before this ends. Opens no records.
    """
    from starling.release.text import facts
    from starling.tables.plan import describe
    from starling.tables.plan.model import convert as write
    from starling.tables.preview.described import overview_json

    overview = describe(write(folder, out))
    levels = f"{len(overview.levels)}; starling tables plan {out} shows them"
    pairs = [("plan file", str(out)), ("cost", str(overview.plan.cost)), ("levels", levels)]
    return Result(partial(facts, pairs), lambda: {"file": str(out), **overview_json(overview)})


schema = verbs.schema_of("tables")


@command(
    "evaluate",
    example=f"starling tables evaluate demo --release release {INPUTS}",
)
@options.plan
@options.path("--release", required=True, metavar="DIR", help="The folder of a release.")
@options.persons
@options.geography
@options.engine
@options.path("--out", metavar="DIR", help="Write a page with pictures too: NOT-PRIVATE-evaluation.html there.")
def evaluate(
    plan: str, *, release: Path, persons: Path, geography: Path | None, engine: str, out: Path | None
) -> Described:
    """How far a release is off the truth. NOT PRIVATE: for the custodian of the records alone; never publish it."""
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
    return evaluation


@command("diff", example="starling tables diff release second")
@click.argument("first", type=options.PATH, metavar="RELEASE")
@click.argument("second", type=options.PATH, metavar="RELEASE")
@options.with_default(
    "--confidence",
    default="0.95",
    metavar="P",
    help="Of what is listed as different, at most 1 - P is expected to be equal in truth.",
)
@options.path("--csv", "csv_file", metavar="FILE", help="Write all that differs, and groups in one alone.")
def diff(first: Path, second: Path, *, confidence: str, csv_file: Path | None) -> Described:
    """Which numbers of two releases differ by more than their noise, and which groups are in one alone.

    Compared are the noisy measurements of both, before anything was dropped or clamped. Reads released folders alone.
    """
    from starling.cli.comparison import with_csv
    from starling.tables.earlier.comparison import compare

    working("comparing the measurements of both releases")
    comparing = partial(compare, first, second, confidence=confidence)
    return comparing() if csv_file is None else with_csv(comparing, csv_file)


@command("export", example="starling tables export release --format excel --out release.xlsx")
@click.argument("release", type=options.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    required=True,
    help="csv, parquet: a folder of tables. excel: a workbook (extra excel). duckdb: a database. sdmx: a folder of data and structure"
    " (extra sdmx), or the data as .csv. wide: one row for each group, as .csv or .parquet.",
)
@click.option("--table", "names", multiple=True, metavar="NAME", help="Write this table alone. Repeatable.")
@click.option("--across", metavar="COLUMN", help="A column whose values stand side by side.")
@options.number("--round", "round_to", help="Round counts to multiples of N; 1 for whole numbers.")
@options.number("--hide-below", help="Leave out counts below N.")
@click.option("--hide-wider", type=float, metavar="X", help="Leave out counts whose interval's half width is above X.")
@click.option(
    "--structure",
    metavar="AGENCY:ID(1.0)",
    help="Of sdmx: the data structure that the numbers keep.  [default: the plan's]",
)
@options.path("--out", required=True, metavar="PATH", help="File or folder to make.")
@options.signer
def export(release: Path, *, form: "Form", names: tuple[str, ...], out: Path, key: str | None, **layout: Any) -> Result:
    """Write a release for other programs: a table with columns of its own for each level of the plan, every number with its interval.

    RELEASE is a folder or its zip; it is compared with its signature. Opens no records and charges nothing.
    """
    from starling.release.text import facts

    working("checking the release and writing its numbers")
    tables: Any = verbs.opened_release(release, "tables", key)
    with tables as opened:
        opened.export(out, form, tables=names, **layout)
    return Result(lambda: facts([("written", str(out))]), lambda: {"written": str(out)})
