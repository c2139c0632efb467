"""`starling places flows`: what analysts ask of releases of flows. It opens no records, and costs nothing."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.places import part as slice_option
from starling.cli.places_reading import LEVEL, RELEASE, exact_level
from starling.cli.progress import working
from starling.cli.verbs import opened_release
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.places.flows.analysis import FlowsRelease
    from starling.places.flows.answers.released import FlowCount, FlowDifference, LargestFlows

_END = "An id of an area, or the name of one or of a larger one. Repeatable.  [default: all]"


def _opened(path: Path, key: str | None) -> "FlowsRelease":
    from starling.places.flows.analysis import FlowsRelease

    release: Any = opened_release(path, "places", key)
    if not isinstance(release, FlowsRelease):
        raise ParameterError("release", "is not of flows", "ask it by `starling places count`, or `areas`")
    return release


@command("flows", example="starling places flows release --from Queens --to Manhattan")
@RELEASE
@click.option("--from", "origin", multiple=True, metavar="AREA", help=f"Where trips begin. {_END}")
@click.option("--to", "destination", multiple=True, metavar="AREA", help=f"Where trips end. {_END}")
@slice_option
@click.option("--minus", metavar="NAME", help="Another slice, whose trips are taken away.")
@click.option(
    "--minus-from",
    "minus_origin",
    multiple=True,
    metavar="AREA",
    help="Take away the trips that begin there.  [default: as --from]",
)
@click.option(
    "--minus-to",
    "minus_destination",
    multiple=True,
    metavar="AREA",
    help='And end there; "all" is everywhere.  [default: as --to]',
)
@click.option("--k", type=click.IntRange(min=1), help="In place of it: how many pairs of areas with most trips.")
@LEVEL
@options.signer
def flows(
    release: Path,
    *,
    origin: tuple[str, ...],
    destination: tuple[str, ...],
    part: str | None,
    minus: str | None,
    minus_origin: tuple[str, ...],
    minus_destination: tuple[str, ...],
    k: int | None,
    level: str,
    key: str | None,
) -> Result:
    """Trips from some areas to some areas with an interval, also less those between others; or with --k the pairs of areas with most
    trips, with chances.

    RELEASE is a folder or its zip; it is compared with its signature.
    """
    chance = exact_level(level)
    if k is not None and (origin or destination or minus_origin or minus_destination or minus):
        raise click.UsageError("--k lists pairs of all areas; give it without areas, and nothing to take away")
    working("checking the release")
    with _opened(release, key) as opened:
        if k is not None:
            largest = opened.largest(k, chance, part)
            return Result(partial(_largest_text, largest, level), largest.as_json)
        taken = minus_origin or origin, minus_destination or destination
        answer: FlowCount | FlowDifference = (
            opened.difference((origin, destination), taken, chance, part, minus)
            if minus_origin or minus_destination or minus is not None
            else opened.count(origin, destination, chance, part)
        )
        return Result(partial(str, answer), answer.as_json)


def _largest_text(largest: "LargestFlows", level: str) -> str:
    from starling.release.text import table

    notes = [f"All intervals and marks hold together with a probability of at least {level}, whatever the data."]
    if largest.chance is not None:
        words = "A chance is that of being among them, by the exact noise around what was released; it is stated from 0.6 on,"
        notes.append(f"{words} of pairs that surely have trips.")
    return "\n\n".join([table(largest.header(), largest.rows()), "\n".join(notes)])
