"""`starling demo`: invented people, what is published about them in front of the user's eyes, and the truth beside it."""

from pathlib import Path
from typing import Final

import click

from starling.cli.commands import Result, command
from starling.cli.options import PATH
from starling.errors import OutputError

PERSONS: Final = 1_000_000


@command("demo", example="starling demo")
@click.option("--out", type=PATH, default=Path("starling-demo"), show_default=True, metavar="DIR")
@click.option("--persons", type=int, default=PERSONS, show_default=True, metavar="N", help="How many to invent.")
def demo(out: Path, *, persons: int) -> Result:
    """Invent people, publish about them under differential privacy, and show what the noise did. About a minute.

    First a nation and its tables, then a case-control study and what a researcher finds in it, then real flights per aircraft, at last
    the airports of the world on a map.
    """
    from starling.cli.demo import airports, flights, nation, study
    from starling.cli.progress import steps

    study.check()
    flights.data()
    airports.data()
    new_folder(out)
    with steps() as step:
        tables, then_tables = nation.chapter(out / "tables", persons, step)
        genome, then_genome = study.chapter(out / "genome", step)
        groups, then_groups = flights.chapter(out / "groups", step)
        places, then_places = airports.chapter(out / "places", step)
    following = (*then_tables, *then_genome, *then_groups, *then_places)
    then = "Try next:\n" + "\n".join(following)
    titled = {
        "A nation, published": tables,
        "A study, explored": genome,
        "Flights, counted": groups,
        "Airports, mapped": places,
    }
    named = {"tables": tables, "genome": genome, "groups": groups, "places": places}
    return Result(
        lambda: (
            "\n\n\n".join(
                [f"{number}. {title}\n\n{each.text()}" for number, (title, each) in enumerate(titled.items(), start=1)]
            )
            + f"\n\n{then}"
        ),
        lambda: {"folder": str(out), **{name: each.json() for name, each in named.items()}, "next": [*following]},
    )


def new_folder(out: Path) -> None:
    """Make the folder of a demo; raises OutputError where it is there, or cannot be made."""
    try:
        out.mkdir()
    except OSError as error:
        raise OutputError(
            str(out),
            f"cannot be made ({error.strerror})",
            "name a new folder with --out, in a place that you may write",
        ) from None
