"""`starling tables init`: a first plan about records of one's own."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.tables.plan.columns import Unit

_DIGITS: Final = 10
_EXAMPLE: Final = "starling tables init --columns age:int:0..110 --columns sex:F,M --out first.toml"


@command("init", example=_EXAMPLE)
@click.option(
    "--columns",
    multiple=True,
    metavar="NAME:VALUES",
    help="A column of the records and its public values: age:int:0..110, sex:F,M, district:@districts.csv (codes and, in a second"
    " column, their names) or admitted:dates:2024-01-01,2025-01-01. May be given again.",
)
@click.option(
    "--regions",
    metavar="FILE:LEVEL,...",
    help="Public CSV file of areas, and its columns that are levels of regions, from large to small, the last a column of the records:"
    " areas.csv:state,county.",
)
@click.option(
    "--person",
    metavar="COLUMN:K",
    help="The column that says which person a record is of, and the most records of a person that count, such as id:3; without it each"
    " record is another person's.",
)
@click.option("--title", default="Tables of one's own", show_default=True, help="What the tables are.")
@click.option("--epsilon", default="1", show_default=True, metavar="X", help="What a release may cost.")
@click.option("--out", type=options.PATH, required=True, metavar="FILE", help="Plan file (.toml) to make.")
def init(
    columns: tuple[str, ...], *, regions: str | None, person: str | None, title: str, epsilon: str, out: Path
) -> Result:
    """Write a first plan about records of one's own, from what their columns may say and never from what they do say.

    Each value of a column is a group, and everybody is one; every level of regions has all of them, for the same share of epsilon. Opens
    no records.
    """
    from starling.cli.plans import overview_json
    from starling.privacy.budget import exact
    from starling.release.text import facts
    from starling.tables.plan import describe
    from starling.tables.plan.first_plan import write_first_plan

    if not columns and regions is None:
        raise ParameterError("--columns", "is missing", "declare a column, such as sex:F,M, or give --regions")
    budget, unit = exact(epsilon, field="--epsilon"), None if person is None else _unit(person)
    made = write_first_plan(out, title, columns, _regions(regions), budget, unit)
    overview = describe(made)
    pairs = [
        ("plan file", str(out)),
        ("protects", f"a person, of whom {unit.most} records count" if unit else "a person with one record"),
        ("cost", str(made.cost)),
        ("levels", f"{len(overview.levels)}; starling tables plan {out} shows them"),
        ("next", f"starling tables preview {out}"),
    ]
    return Result(partial(facts, pairs), lambda: {"file": str(out), **overview_json(overview)})


def _unit(said: str) -> "Unit":
    from starling.tables.plan.columns import Unit

    column, _, most = said.rpartition(":")
    if not column or not (most.isascii() and most.isdigit() and 0 < len(most) < _DIGITS):
        raise ParameterError("--person", "names no column and a number of records", "write it like id:3")
    return Unit(column, int(most))


def _regions(said: str | None) -> list[str]:
    if said is None:
        return []
    file, colon, levels = said.rpartition(":")
    if not colon or not file or not all(levels.split(",")):
        raise ParameterError("--regions", "names no file and its levels", "write it like areas.csv:state,county")
    return [file, *levels.split(",")]
