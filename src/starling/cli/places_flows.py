"""`starling places flows`: what analysts ask of releases of flows. It opens no records, and costs nothing."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.places import part as slice_option
from starling.cli.places_reading import LEVEL, RELEASE, UNITS, exact_level
from starling.cli.progress import working
from starling.cli.verbs import opened_release
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.places.answers.coordinates import Units
    from starling.places.flows.analysis import FlowsRelease
    from starling.places.flows.answers.released import FlowCount, FlowDifference, LargestFlows
    from starling.places.trips.analysis import TripsRelease

_MEANING = (
    "A sure interval holds the true number with the probability of --level, whatever the data, if the query was chosen before the release\n"
    "was seen. Trips of pairs of boxes that a query cuts widen it: a release does not say where in a box they begin or end."
)
_MINUS = {"minus": "--minus", "minus_origin": "--minus-from", "minus_destination": "--minus-to"}
_END = "An id of an area, or the name of one or of a larger one. Repeatable. On a grid a rectangle x0,y0,x1,y1.  [default: all]"


def _opened(path: Path, key: str | None) -> "FlowsRelease | TripsRelease":
    from starling.places.flows.analysis import FlowsRelease
    from starling.places.trips.analysis import TripsRelease

    release: Any = opened_release(path, "places", key)
    if not isinstance(release, FlowsRelease | TripsRelease):
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
@click.option(
    "--units",
    type=click.Choice(UNITS),
    help="Of rectangles: cells of the grid, units of its box, or degrees.  [default: cells]",
)
@LEVEL
@options.signer
def flows(
    release: Path,
    *,
    origin: tuple[str, ...],
    destination: tuple[str, ...],
    part: str | None,
    k: int | None,
    units: "Units | None",
    level: str,
    key: str | None,
    **minus: Any,
) -> Result:
    """Trips from some areas to some areas with an interval, also less those between others; or with --k the pairs of areas with most
    trips, with chances. Of flows on a grid trips from a rectangle to a rectangle, with a sure interval.

    RELEASE is a folder or its zip; it is compared with its signature.
    """
    from starling.places.trips.analysis import TripsRelease

    chance = exact_level(level)
    taking = [option for name, option in _MINUS.items() if minus[name] not in (None, ())]
    if k is not None and (origin or destination or taking):
        raise click.UsageError("--k lists pairs of all areas; give it without areas, and nothing to take away")
    working("checking the release")
    with _opened(release, key) as opened:
        if isinstance(opened, TripsRelease):
            others = [*(["--k"] if k is not None else []), *(["--slice"] if part is not None else []), *taking]
            if others:
                problem = "is of flows between areas, and this release is of a grid"
                raise ParameterError(others[0], problem, "leave it out")
            ends = (_rectangle(origin, "--from"), _rectangle(destination, "--to"))
            answers = opened.count(*ends, units or "cells", chance)
            return Result(lambda: "\n\n".join([str(answers), _MEANING]), answers.as_json)
        if units is not None:
            raise ParameterError("--units", "are of rectangles, and this release is of areas", "leave it out")
        if k is not None:
            largest = opened.largest(k, chance, part)
            return Result(partial(_largest_text, largest, level), largest.as_json)
        taken = minus["minus_origin"] or origin, minus["minus_destination"] or destination
        answer: FlowCount | FlowDifference = (
            opened.difference((origin, destination), taken, chance, part, minus["minus"])
            if taking
            else opened.count(origin, destination, chance, part)
        )
        return Result(partial(str, answer), answer.as_json)


def _rectangle(texts: tuple[str, ...], option: str) -> list[float] | None:
    """The rectangle that an option states; None where it is left out."""
    if not texts:
        return None
    try:
        (rectangle,) = [[float(each) for each in text.split(",")] for text in texts]
    except ValueError:
        rectangle = []
    if len(rectangle) != 4:
        raise ParameterError(option, "is not one rectangle of a grid", f"write {option} x0,y0,x1,y1, as 10,20,30,40")
    return rectangle


def _largest_text(largest: "LargestFlows", level: str) -> str:
    from starling.release.text import table

    notes = [f"All intervals and marks hold together with a probability of at least {level}, whatever the data."]
    if largest.chance is not None:
        words = "A chance is that of being among them, by the exact noise around what was released; it is stated from 0.6 on,"
        notes.append(f"{words} of pairs that surely have trips.")
    return "\n\n".join([table(largest.header(), largest.rows()), "\n".join(notes)])
