"""`starling groups`: one command for each verb of the domain. They parse, call and print; the work is done in starling.groups.

`plan` and `preview` have no option that could name records.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import options
from starling.cli.commands import Group, Result, command
from starling.cli.progress import working
from starling.cli.publishing import Destination, destination, released
from starling.cli.verbs import previewed, schema_of, validating
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.groups.plan import Plan
    from starling.groups.preview import Error, Preview
    from starling.groups.preview.best_split import Search
    from starling.release.statement import Json

groups = Group(
    "groups",
    example="starling groups plan plan.toml",
    help="Numbers of groups by size (households by persons, vehicles by trips) over nested regions, in integers that add up.\n\n"
    "PLAN is a plan file (TOML); docs/reference/groups.md says what stands in it.",
    lazy={
        "plan": "starling.cli.groups:plan",
        "schema": "starling.cli.groups:schema",
        "preview": "starling.cli.groups:preview",
        "validate": "starling.cli.groups:validate",
        "release": "starling.cli.groups:release",
        "generate": "starling.cli.groups_custody:generate",
        "evaluate": "starling.cli.groups_custody:evaluate",
        "plot": "starling.cli.groups_custody:plot",
    },
)
records = click.option(
    "--records",
    type=options.PATH,
    required=True,
    metavar="FILE",
    help="Confidential: CSV or Parquet of the plan's kind, a file or a folder of Parquet parts.",
)
shares_option = click.option(
    "--shares",
    type=options.PATH,
    metavar="FILE",
    help="Public shares of the sizes, CSV size,share.  [default: those of the plan, or assumed]",
)


@command("plan", example="starling groups plan plan.toml")
@options.plan_file
def plan(plan: Path) -> Result:
    """What a plan publishes and costs, and how much noise each level gets. Opens no records."""
    from starling.groups.plan import Plan

    chosen = Plan.load(plan)
    return Result(partial(str, chosen), partial(_plan_json, chosen))


schema = schema_of("groups")


@command("preview", example="starling groups preview plan.toml")
@options.plan_file
@shares_option
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="LEVEL=ERROR",
    help="Find the split over levels, and with public shares over sizes, that comes nearest to this sum of errors at a level."
    " May be given again.",
)
@options.seed
@options.page
def preview(plan: Path, shares: Path | None, targets: tuple[str, ...], seed: int, out: Path | None) -> Result:
    """How far numbers will be off by method and level, simulated from public facts, and which method is best. Opens no records."""
    from starling.groups.plan import Plan
    from starling.groups.plan.shares import read_shares
    from starling.groups.preview import preview as simulate
    from starling.groups.preview.best_split import best_split

    chosen = Plan.load(plan)
    known = None if shares is None else read_shares(shares, chosen.largest, chosen.format)
    working("simulating releases of invented groups")
    search = best_split(chosen, _targets(targets), known, seed=seed) if targets else None
    simulated = simulate(chosen if search is None else search.best.plan, known or chosen.shares, seed=seed)
    result = replace(simulated, search=search)
    return previewed(Result(partial(str, result), partial(_preview_json, result)), lambda: result, out)


validate = validating(
    "groups",
    "starling groups validate plan.toml --records records.csv",
    "Find what is wrong with records of groups: file, line, field and fix.",
    records,
)


@command("release", example="starling groups release plan.toml --records records.csv --out release --unvalidated --yes")
@options.plan_file
@records
@options.engine
@destination
def release(plan: Path, *, records: Path, engine: str, destination: Destination) -> Result:
    """Charge the plan's cost, count the groups, draw the noise, and publish numbers that add up, as a folder.

    A run that died is taken up by the same command with the same ledger and request id, at no further cost.
    """
    from starling.groups.plan import Plan
    from starling.groups.publish import release as publish_groups

    chosen = Plan.load(plan)

    def tables(data: Path) -> list[tuple[str, str]]:
        levels = zip(chosen.regions.levels, chosen.regions.ids, strict=True)
        return [(level, f"{len(ids):,} regions in {data / level}.parquet") for level, ids in levels]

    run = partial(publish_groups, chosen, records, engine=engine)
    return released(destination, chosen.guarantee, chosen.title, run, tables)


def _targets(texts: tuple[str, ...]) -> dict[str, float]:
    """The error that is aimed at, by level."""
    try:
        return {level: float(error) for level, _, error in (each.partition("=") for each in texts)}
    except ValueError:
        raise ParameterError("--target", "is not LEVEL=ERROR", "write it like county=1000") from None


def _preview_json(preview: "Preview") -> "dict[str, Json]":
    levels = preview.plan.regions.levels
    search: dict[str, Json] = {} if preview.search is None else {"search": _search_json(preview.search)}
    return search | {
        "assumed": preview.assumed,
        "method": preview.plan.method,
        "best": preview.best,
        "budget": [[str(amount) for amount in amounts] for amounts in preview.plan.budget.amounts],
        "bands": list(preview.plan.budget.bands),
        "errors": {method: _errors_json(levels, errors) for method, errors in preview.methods.items()},
    }


def _errors_json(levels: Sequence[str], errors: "Sequence[Error]") -> "dict[str, Json]":
    return {
        level: {
            "l1": error.l1,
            "l1_standard_error": error.doubt,
            "emd": error.emd,
            "largest": error.largest,
        }
        for level, error in zip(levels, errors, strict=True)
    }


def _search_json(search: "Search") -> "dict[str, Json]":
    """The split that was found, first of those that it was compared with."""
    levels = search.best.plan.regions.levels
    return {
        "targets": dict(search.targets),
        "tried": dict(search.tried),
        "releases": {"search": search.searched, "result": search.releases},
        "splits": [
            {
                "split": split.name,
                "bands": list(split.plan.budget.bands),
                "budget": [[str(amount) for amount in amounts] for amounts in split.plan.budget.amounts],
                "importance": None
                if split.plan.shares is None or split.plan.shares.importance is None
                else [str(weight) for weight in split.plan.shares.importance],
                "errors": _errors_json(levels, split.errors),
                "over_target": split.missed,
                "behind": split.behind,
                "standard_error": split.doubt,
            }
            for split in search.splits
        ],
    }


def _plan_json(plan: "Plan") -> "dict[str, Json]":
    from starling.groups.artifact.pages import bounds, parameters
    from starling.release.statement import claim

    return {
        "title": plan.title,
        "neighbours": str(plan.relation),
        "cost": claim(plan.guarantee).adjacencies(),
        "bounds": bounds(plan),
        **parameters(plan),
    }
