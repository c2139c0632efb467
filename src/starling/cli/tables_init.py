"""`starling tables init`: a first plan of custom tables."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working
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
    " column, their names), admitted:dates:2024-01-01,2025-01-01, needs:2;:a,b,c (up to two in a field, with ; between them) or"
    " spent:num:0..500.00 (for --sum). May be given again; without any it is asked for, where there is a terminal.",
)
@click.option(
    "--detail",
    metavar="NAME,...",
    help="Columns by which larger groups are published, one more from 100, 1,000, ... persons on: sex,age.",
)
@click.option(
    "--sum", "sums", multiple=True, metavar="NAME", help="A column of numbers of which every group gets sum and mean."
)
@click.option(
    "--regions",
    metavar="FILE:LEVEL,...",
    help="Public CSV file of areas, and its columns that are levels, from large to small, the last a column of the records:"
    " areas.csv:state,county. A column that is the same everywhere is the level of all areas.",
)
@click.option(
    "--person",
    metavar="COLUMN:K",
    help="The column that says which person a record is of, and the most records of a person that count, such as id:3; without it each"
    " record is another person's.",
)
@options.with_default("--title", default="Custom tables", help="What the tables are.")
@click.option(
    "--cross",
    type=click.IntRange(0, 8),
    metavar="K",
    help="In place of groups: all tables of up to so many of the columns.",
)
@click.option(
    "--margin", type=click.IntRange(1), metavar="N", help="With --cross: how many records each cell may be off."
)
@click.option(
    "--rho",
    metavar="X",
    help="With --cross, instead: what a release may cost; 0.5 without either, from 10 with a warning.",
)
@click.option(
    "--epsilon",
    metavar="X",
    help="Epsilon that a release may cost, such as 0.5; 1 without --cross, from 40 with a warning.",
)
@options.with_default(
    "--out",
    type=options.PATH,
    default=Path("plan.toml"),
    metavar="FILE",
    help="Plan file (.toml) to make; none is overwritten.",
)
def init(  # noqa: PLR0913 - an option each
    columns: tuple[str, ...],
    *,
    detail: str | None,
    sums: tuple[str, ...],
    regions: str | None,
    person: str | None,
    title: str,
    cross: int | None,
    margin: int | None,
    rho: str | None,
    epsilon: str | None,
    out: Path,
) -> Result:
    """Write a first plan of custom tables, from what the columns of the records may say and never from what they do say.

    Each value of a column is a group, and everybody is one; every level of regions has all of them, for the same share of epsilon. With
    --cross there are tables of several columns in place of groups. In a terminal, without columns, it asks for them. Opens no records. It
    ends with what `starling tables preview` shows of the plan.
    """
    from starling.planfile.values import exact_text
    from starling.privacy.budget import positive
    from starling.release.text import facts
    from starling.tables.plan import read_regions
    from starling.tables.plan.first_plan import write_first_plan
    from starling.tables.preview import preview

    if not columns and regions is None:
        if not _at_a_terminal():
            raise ParameterError("--columns", "is missing", "declare a column, such as sex:F,M, or give --regions")
        columns, sums, person = _read_columns(out.parent, person, ask_sums=cross is None)
    _check_price(
        cross, {"--margin": margin, "--rho": rho, "--epsilon": epsilon, "--detail": detail, "--sum": sums or None}
    )
    unit, budget, tables = None if person is None else _unit(person), None, None
    if cross is None:
        budget = positive(epsilon or "1", field="--epsilon")
    elif margin is not None:
        tables = {"cross": cross, "margins": [{"within": margin}]}
    else:
        stated, option = (rho or "0.5", "--rho") if epsilon is None else (epsilon, "--epsilon")
        tables = {"cross": cross, "budget": exact_text(positive(stated, field=option))}
    plan = write_first_plan(
        out,
        title,
        columns,
        _regions(regions),
        budget,
        unit,
        detail.split(",") if detail else [],
        sums,
        tables,
        "rho" if cross is not None and epsilon is None else "epsilon",
    )
    working("computing how far each number may be off")
    seen = preview(plan, read_regions(plan))
    pairs = [
        ("plan file", f"{out}, to be changed as you please; then starling tables preview {out} shows this again"),
        ("protects", f"a person, of whom {unit.most} records count" if unit else "a person with one record"),
    ]
    steps = [("next", f"starling tables validate {out} --persons RECORDS.csv")]
    return Result(
        lambda: "\n\n".join([facts(pairs), str(seen), facts(steps)]),
        lambda: {"file": str(out), **seen.as_json()},
    )


def _check_price(cross: int | None, stated: Mapping[str, Any]) -> None:
    """Refuse options that do not go with --cross, or that need it."""
    idle = ("--margin", "--rho") if cross is None else ("--detail", "--sum")
    for option in idle:
        if stated[option] is not None:
            problem, fix = (
                ("needs --cross", "add --cross 2") if cross is None else ("is of groups", "leave --cross out")
            )
            raise ParameterError(option, problem, fix)
    prices = [option for option in ("--margin", "--rho", "--epsilon") if stated[option] is not None]
    if len(prices) > 1:
        raise ParameterError(prices[1], f"stands beside {prices[0]}", "give one of the two")


def _at_a_terminal() -> bool:
    """Whether questions can be asked: both ends are a terminal."""
    return sys.stdin.isatty()


def _read_columns(
    folder: Path, person: str | None, *, ask_sums: bool
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """The columns, those that are summed, and whose records they are, as answered at a terminal; interrupted, nothing is made."""
    from starling.tables.plan.first_plan import declaration

    click.echo(
        "What may each column of the records say? Nothing is read of the records. An empty answer ends the list.",
        err=True,
    )
    click.echo(
        "Such as age:int:0..110   sex:F,M   district:@districts.csv   needs:2;:a,b,c   spent:num:0..500.00", err=True
    )
    columns: list[str] = []
    while (text := click.prompt("column", default="", show_default=False, err=True)) or not columns:
        try:
            declaration(text, folder)
        except ParameterError as error:
            click.echo(f"  {error}", err=True)
        else:
            columns.append(text)
    numbers = [each.partition(":")[0] for each in columns if ask_sums and (":num:" in each or ":int:" in each)]
    summed = [name for name in numbers if click.confirm(f"sum and mean of {name} in every group?", err=True)]
    several = person is None and click.confirm("can one person have several records?", err=True)
    while several:
        person = click.prompt("which column says whose a record is, and how many of one count? (id:3)", err=True)
        try:
            _unit(person)
            several = False
        except ParameterError as error:
            click.echo(f"  {error}", err=True)
    return tuple(columns), tuple(summed), person


def _unit(text: str) -> "Unit":
    from starling.tables.plan.columns import Unit

    column, _, most = text.rpartition(":")
    if not column or not (most.isascii() and most.isdigit() and 0 < len(most) < _DIGITS):
        raise ParameterError("--person", "names no column and a number of records", "write it like id:3")
    return Unit(column, int(most))


def _regions(text: str | None) -> list[str]:
    if text is None:
        return []
    file, colon, levels = text.rpartition(":")
    if not colon or not file or not all(levels.split(",")):
        raise ParameterError("--regions", "names no file and its levels", "write it like areas.csv:state,county")
    if not Path(file).is_file():
        fix = "make a CSV file with a row for each area and a column for each level, as in areas.csv:state,county"
        raise ParameterError("--regions", f"names {file[:40]!r}, which is no file", fix)
    return [file, *levels.split(",")]
