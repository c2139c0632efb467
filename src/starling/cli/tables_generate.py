"""`starling tables generate`: invented records for a plan."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working

if TYPE_CHECKING:
    from starling.tables.generate.files import Format


@command("generate", example="starling tables generate demo --persons 100000 --out invented")
@options.plan
@click.option(
    "--persons",
    type=int,
    metavar="N",
    help="How many persons to invent.  [default: of a plan of custom tables, as many as it expects]",
)
@options.new_folder
@options.seed
@click.option(
    "--land-for",
    type=int,
    metavar="N",
    help="Of the Census: make land for so many persons.  [default: as many as there are]",
)
@click.option("--states", metavar="NN,NN,...", help="Of the Census: codes of the states.  [default: the plan's]")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "parquet"]),
    default="text",
    show_default=True,
    help="Text is CSV for custom tables.",
)
def generate(
    plan: str,
    *,
    persons: int | None,
    out: Path,
    seed: int,
    land_for: int | None,
    states: str | None,
    kind: "Format",
) -> Result:
    """Invent records for a plan, to try everything with; of the Census also a geography. Nobody in them exists."""
    from starling.release.text import facts
    from starling.tables.generate import generate as invent
    from starling.tables.plan import Plan

    chosen, codes = Plan.load(plan), None if states is None else states.split(",")
    working("inventing persons" if persons is None else f"inventing {persons:,} persons")
    generated = invent(chosen, persons=persons, seed=seed, out=out, states=codes, land_for=land_for, format=kind)
    files = {name: str(generated.files[name]) for name in ("persons", "geography") if name in generated.files}
    sizes = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in generated.sizes.items())
    return Result(
        lambda: facts([*files.items(), ("invented", sizes)]),
        lambda: {**files, "note": str(generated.note), "sizes": generated.sizes},
    )
