"""`starling tables`: one command for each verb of the domain. They parse, call and print; the work is done in starling.tables.

`plan` and `preview` have no option that could name records.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import accepting, inputs
from starling.cli.commands import Command, Group, show
from starling.cli.progress import working
from starling.errors import ParameterError

if TYPE_CHECKING:
    from typing import Unpack

    from starling.cli.publishing import Paying
    from starling.release.statement import Json
    from starling.tables.plan import Geography, Plan
    from starling.tables.publish import Published

INPUTS = "--persons invented/person-records.txt --geography invented/GRF-C.txt"
"""What `generate`'s example makes."""

tables = Group(
    "tables",
    example="starling tables preview demo",
    help="Detailed race and ethnicity tables (SafeTab): totals, and sex by age, of every group of a plan.\n\nPLAN is a Census"
    " configuration folder, a plan file (TOML), or the name of a plan that comes with Starling: demo; with a folder of Census"
    " definition files, safetab-2022:FOLDER and safetab-2022-geometric:FOLDER (the paper's margins of error, kept exactly), or"
    " safetab-2022-printed:FOLDER and safetab-2022-geometric-printed:FOLDER (its printed budgets).",
    lazy={
        "plan": "starling.cli.tables:plan",
        "convert": "starling.cli.conversion:convert",
        "preview": "starling.cli.tables:preview",
        "generate": "starling.cli.tables:generate",
        "validate": "starling.cli.tables:validate",
        "release": "starling.cli.tables:release",
        "evaluate": "starling.cli.evaluation:evaluate",
        "diff": "starling.cli.comparison:diff",
    },
)


@click.command("plan", cls=Command, example="starling tables plan demo")
@inputs.plan
@inputs.geography(required=False)
@click.option("--scale", metavar="X", help="Solve again with every promised margin times X, such as 1.5.")
@click.option("--total", metavar="X", help="Solve again for a whole cost of at most X: what margins does it pay for?")
@click.option(
    "--earlier",
    type=inputs.PATH,
    multiple=True,
    metavar="RELEASE",
    help="An earlier release about the same people: what both tell together. May be given again.",
)
@inputs.as_json
def plan(
    plan: str,
    *,
    geography: Path | None,
    scale: str | None,
    total: str | None,
    earlier: tuple[Path, ...],
    as_json: bool,
) -> None:
    """What a plan costs, level by level, how much noise that buys, and which promised margin is dear. Opens no records."""
    from starling.cli.accuracy_targets import plan_json, plan_text, scaled
    from starling.tables.plan import describe, load, prices

    if scale is not None and total is not None:
        raise ParameterError(field="--total", problem="stands beside --scale", fix="give one of the two")
    factor, chosen = scaled(load(plan), scale, total)
    overview, promised = describe(chosen, _regions(chosen, geography)), prices(chosen)
    more: tuple[dict[str, Json], str] = ({}, "")
    if earlier:
        from starling.cli.earlier import earlier_json, earlier_text
        from starling.tables.earlier.releases import beside

        working("reading the earlier releases")
        found = beside(chosen, earlier, geography)
        more = {"earlier": earlier_json(found)}, f"\n\n{earlier_text(found)}"
    show(
        plan_json(overview, promised, factor) | more[0] if as_json else plan_text(overview, promised, factor) + more[1]
    )


@click.command("preview", cls=Command, example="starling tables preview demo")
@inputs.plan
@inputs.geography(required=False)
@inputs.top_up
@click.option("--sizes", metavar="N,N,...", help="True sizes of groups to look at.  [default: 0, 10, ... 1000000]")
@click.option("--out", type=inputs.PATH, metavar="DIR", help="Write a page with pictures too: preview.html there.")
@click.option(
    "--group-sizes",
    type=inputs.PATH,
    metavar="FILE",
    help="Of the page: how many groups have how many persons, CSV size,groups or level,size,groups.  [default: assumed]",
)
@inputs.as_json
def preview(
    plan: str,
    *,
    geography: Path | None,
    top_up: Path | None,
    sizes: str | None,
    out: Path | None,
    group_sizes: Path | None,
    as_json: bool,
) -> None:
    """How far each kind of number of a release will be off, before anything is spent. Opens no records."""
    from starling.cli.plans import preview_json, preview_text
    from starling.tables.plan import load
    from starling.tables.preview import SIZES, fates, read_sizes, write_page
    from starling.tables.preview import preview as foresee

    if group_sizes is not None and out is None:
        raise ParameterError(
            field="--group-sizes", problem="is of the page, and none is asked for", fix="add --out DIR"
        )
    chosen = load(plan)
    regions = _regions(chosen, geography)
    chosen = _topping_up(chosen, top_up, regions)
    working("computing how far each number may be off")
    seen = foresee(chosen, regions, sizes=SIZES if sizes is None else _numbers(sizes, "--sizes"))
    if out is not None:
        found = fates(chosen, None if group_sizes is None else read_sizes(group_sizes))
        click.echo(f"starling: wrote {write_page(seen, found, out)}", err=True)
    show(preview_json(seen) if as_json else preview_text(seen))


@click.command("generate", cls=Command, example="starling tables generate demo --persons 100000 --out invented")
@inputs.plan
@click.option("--persons", type=int, required=True, metavar="N", help="How many persons to invent.")
@click.option("--out", type=inputs.PATH, required=True, metavar="DIR", help="Folder to make.")
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="Public: the same gives the same bytes."
)
@click.option(
    "--land-for", type=int, metavar="N", help="Make land for so many persons.  [default: as many as there are]"
)
@click.option("--states", metavar="NN,NN,...", help="Codes of the states to invent.  [default: the plan's]")
@click.option("--format", "kind", type=click.Choice(["text", "parquet"]), default="text", show_default=True)
@inputs.as_json
def generate(
    plan: str,
    *,
    persons: int,
    out: Path,
    seed: int,
    land_for: int | None,
    states: str | None,
    kind: Any,
    as_json: bool,
) -> None:
    """Invent persons and a geography for a plan, to try everything with. Nobody in them exists."""
    from starling.cli.text import facts
    from starling.tables.generate import generate as invent
    from starling.tables.plan import load

    chosen, codes = load(plan), None if states is None else states.split(",")
    working(f"inventing {persons:,} persons")
    made = invent(chosen, persons=persons, seed=seed, out=out, states=codes, land_for=land_for, format=kind)
    if as_json:
        files = {"persons": str(made.persons), "geography": str(made.geography), "note": str(made.note)}
        show({**files, "sizes": made.sizes})
        return
    sizes = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in made.sizes.items())
    show(facts([("persons", str(made.persons)), ("geography", str(made.geography)), ("invented", sizes)]))


@click.command("validate", cls=Command, example=f"starling tables validate demo {INPUTS}")
@inputs.plan
@inputs.persons
@inputs.geography(required=True)
@accepting.options
def validate(plan: str, persons: Path, geography: Path, **accept: "Unpack[accepting.Accepting]") -> None:
    """Find what is wrong with person records: file, line, field and fix. For their custodian alone; never publish it.

    It ends with the custodian's word: --accept keeps, in the ledger, that these files were looked at, which a release from it asks for.
    """
    from starling.tables.plan import load
    from starling.tables.source import open_persons
    from starling.tables.source import validate as check

    book = accepting.accepting_ledger(accept)
    chosen = load(plan)
    source = open_persons(persons, chosen)
    regions = _known_regions(chosen, geography)
    working("reading every record")
    found = check(chosen, regions, source, most=accepting.listed(accept)).value
    words = f"{found.lines:,} records, {found.counted:,} of them counted"
    machine = {"lines": found.lines, "counted": found.counted}
    files = (*source.parts, geography)
    accepting.conclude(accept, book, files, (found.problems, found.notes), (words, machine))


@click.command(
    "release", cls=Command, example=f"starling tables release demo {INPUTS} --out release --unvalidated --yes"
)
@inputs.plan
@inputs.persons
@inputs.geography(required=True)
@click.option(
    "--names", type=inputs.PATH, metavar="FILE", help="Names of regions, public: REGION_TYPE|REGION_ID|REGION_NAME."
)
@inputs.top_up
@inputs.engine
@inputs.publishing
def release(
    plan: str,
    *,
    persons: Path,
    geography: Path,
    names: Path | None,
    top_up: Path | None,
    engine: str,
    **paying: "Unpack[Paying]",
) -> None:
    """Charge the plan's cost, read the records, draw the noise, and publish the tables as a folder.

    A run that died is taken up by the same command with the same ledger and request id, at no further cost.
    """
    from starling.cli import publishing
    from starling.tables.plan import load
    from starling.tables.publish import release as publish

    chosen = load(plan)
    published = publishing.publish(
        paying,
        lambda: _spending(_topping_up(chosen, top_up, None)),
        partial(
            publish,
            chosen,
            persons,
            geography,
            paying["out"],
            names=names,
            top_up=top_up,
            ledger=publishing.paying_ledger(paying),
            dataset=paying["dataset"],
            analyst=paying["analyst"],
            request_id=paying["request_id"],
            unvalidated=paying["unvalidated"],
            engine=engine,
        ),
    )
    show(_published_json(published) if paying["as_json"] else _published_text(published))


def _spending(plan: "Plan") -> str:
    """What a release is charged for."""
    if plan.variants.top_up is None:
        return plan.title
    tops = (
        f"It tops up the release of request {plan.variants.top_up.request_id}: together they cost {plan.together.cost}."
    )
    return f"{plan.title}\n{tops}"


def _published_json(published: "Published") -> "dict[str, Json]":
    from starling.cli.publishing import published_json
    from starling.release.statement import amount

    plan = published.plan
    return published_json(plan.guarantee, published) | {
        "adds_to": [each.request_id for each in plan.variants.releases],
        "together": amount(plan.together.cost),
        "rows": {"t1": published.rows("t1"), "t2": published.rows("t2")},
    }


def _published_text(published: "Published") -> str:
    from starling.cli.publishing import published_text

    plan, data = published.plan, published.folder / "data"
    together = [("together", f"{plan.together.cost}, with what it adds to")] if plan.variants.top_up else []
    tables = [
        ("totals", f"{published.rows('t1'):,} rows in {data / 't1.txt'}"),
        ("sex by age", f"{published.rows('t2'):,} rows in {data / 't2.txt'}"),
    ]
    return published_text(plan.guarantee, published, [*together, *tables])


def _regions(plan: "Plan", geography: Path | None) -> "Geography | None":
    return None if geography is None else _known_regions(plan, geography)


def _topping_up(plan: "Plan", release: Path | None, regions: "Geography | None") -> "Plan":
    """The plan, on top of an earlier release if one is named."""
    if release is None:
        return plan
    from starling.tables.earlier.top_up import topping_up

    with topping_up(plan, release, regions) as topped:
        return topped.plan


def _known_regions(plan: "Plan", geography: Path) -> "Geography":
    from starling.tables.plan import read_geography

    return read_geography(geography, plan)


def _numbers(text: str, field: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        raise ParameterError(field=field, problem="is not a list of whole numbers", fix="write it like 0,100,5000")
    return tuple(int(part) for part in parts)
