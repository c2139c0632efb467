"""`starling places areas`: what analysts ask of a release of areas. It opens no records and spends nothing."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.commands import command
from starling.cli.places import part as slice_option
from starling.cli.progress import working
from starling.cli.verbs import opened_release
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.places.areas.analysis import AreasRelease
    from starling.release.session import Described


def opened_areas(path: Path, key: str | None) -> "AreasRelease":
    """An opened release of areas; raises ParameterError where it is of a grid."""
    from starling.places.areas.analysis import AreasRelease

    release: Any = opened_release(path, "places", key)
    if not isinstance(release, AreasRelease):
        kind, command = ("flows", "flows") if release.main == "flows" else ("a grid", "count")
        raise ParameterError("release", f"is of {kind}, not of areas", f"ask it by `starling places {command}`")
    return release


@command("areas", example="starling places areas release Manhattan Brooklyn")
@click.argument("release", type=options.PATH)
@click.argument("areas", nargs=-1, metavar="[AREA]...")
@slice_option
@click.option("--minus", metavar="NAME", help="Another slice, whose points are taken away.")
@options.path(
    "--minus-release",
    metavar="FOLDER",
    help="Another release of the same areas, whose points are taken away; --minus names its slice.",
)
@options.with_default(
    "--level", default="0.95", metavar="P", help="With this probability the interval holds the true number."
)
@options.signer
def areas(
    release: Path,
    areas: tuple[str, ...],
    *,
    part: str | None,
    minus: str | None,
    minus_release: Path | None,
    level: str,
    key: str | None,
) -> "Described":
    """Points in a union of released areas, with an interval and the exact deviation of the noise.

    AREA is an id or name of an area, or the name of what lies above areas; without any, all areas are counted. The interval holds for areas
    that were chosen before the release was seen.
    """
    working("checking the release")
    with ExitStack() as stack:
        opened = stack.enter_context(opened_areas(release, key))
        if minus_release is not None:
            other = stack.enter_context(opened_areas(minus_release, key))
            return opened.compare(other, *areas, slice=part, other_slice=minus, level=level)
        return opened.number(*areas, slice=part, minus=minus, level=level)
