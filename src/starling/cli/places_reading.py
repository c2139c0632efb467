"""`starling places count`, `compare`, `hotspots`, `map` and `export`: what analysts ask of releases. None opens records or spends."""

from collections.abc import Callable
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.places import part as slice_option
from starling.cli.progress import working
from starling.cli.verbs import opened_release
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.places.analysis import PlacesRelease
    from starling.places.answers.hotspots import Hotspots
    from starling.places.answers.released import Answers, ReleasedGrid

UNITS: Final = ("cells", "box", "degrees")

RELEASE: Final = click.argument("release", type=options.PATH)
LEVEL: Final = options.with_default(
    "--level", default="0.95", metavar="P", help="With this probability each sure interval holds the truth."
)
QUERIES: Final = (
    options.path("--rectangles", metavar="FILE", help="CSV x0,y0,x1,y1, fractions allowed."),
    options.path("--polygons", metavar="FILE", help="GeoJSON of polygons."),
    options.path("--hexagons", metavar="FILE", help="H3 cells, one a line."),
    click.option(
        "--units",
        type=click.Choice(UNITS),
        help="Of rectangles and polygons: cells of the grid, units of its box, or degrees."
        "  [default: cells of rectangles, degrees of polygons]",
    ),
    LEVEL,
    options.flag("--together", "joined", help="With that probability all sure intervals hold the truth at once."),
    options.signer,
)
TYPICAL: Final = options.with_default(
    "--typical/--no-typical", default=True, help="Typical errors too, which take some seconds."
)
TYPICALLY: Final = (
    "A typical error is no promise: in studies nine of ten answers were off by at most so much, fewer of the\n"
    "smallest squares."
)
CHANCES: Final = (
    "A chance is no promise: in studies, of the squares of each stated chance about that share were among those with most points. Chances\n"
    "below 0.6 were not right, and are not stated."
)
MEANING: Final = (
    "A sure interval holds the true number with the probability of --level, whatever the data, if the query was chosen before the release\n"
    "was seen; each on its own, or all at once with --together. Points of boxes that a query cuts widen it: a release does not say where\n"
    "in a box they lie. The released points are made of other measurements too, and may lie outside."
)


def _opened(path: Path, key: str | None) -> "PlacesRelease":
    return _of_grid(opened_release(path, "places", key))


def _of_grid(release: Any) -> "PlacesRelease":
    from starling.places.analysis import PlacesRelease

    if not isinstance(release, PlacesRelease):
        command = "flows" if release.main == "flows" else "areas"
        fix = f"ask it by `starling places {command}`, draw it by `starling places plot`"
        raise ParameterError("release", f"is of {command}, not of a grid", fix)
    return release


def _with_queries(function: Callable[..., Any]) -> Any:
    return options.with_options(function, *QUERIES)


@command("count", example="starling places count release --rectangles rectangles.csv")
@RELEASE
@slice_option
@TYPICAL
@_with_queries
def count(release: Path, *, part: str | None, typical: bool, key: str | None, **queries: Any) -> Result:
    """Points in rectangles, polygons or H3 cells, each with an interval that surely holds the true number, and with its typical error.

    RELEASE is a folder or its zip; it is compared with its signature.
    """
    from starling.places.typical import typical_answers

    ask = _asker(**queries)
    working("checking the release")
    with _opened(release, key) as opened:
        working("counting, and measuring the released grid again for typical errors" if typical else "counting")
        return _shown(typical_answers(ask, *opened.parts(part), typical=typical))


@command("means", example="starling places means release --rectangles rectangles.csv")
@RELEASE
@click.option(
    "--slice", "part", metavar="NAME", help="Which slice of records, without a layer.  [default: the only one]"
)
@_with_queries
def means(release: Path, *, part: str | None, key: str | None, level: str, joined: bool, **queries: Any) -> Result:
    """Points, sums and means of a value in rectangles, polygons or H3 cells, each with an interval that surely holds the true one.

    RELEASE is of a plan with [value]. All three intervals of a query hold together.
    """
    from starling.release.text import table

    chosen = exact_level(level)
    ask = _asker(level=str((1 + chosen) / 2), joined=joined, **queries)
    working("checking the release and counting")
    with _opened(release, key) as opened:
        answers = opened.means_of(lambda grid, _: ask(grid), chosen, part)
    return Result(lambda: "\n\n".join([table(*answers.grid()), MEANING]), answers.as_json)


@command("compare", example="starling places compare release other --rectangles rectangles.csv")
@RELEASE
@click.argument("other", type=options.PATH)
@slice_option
@click.option("--other-slice", metavar="NAME", help="Of the other release.  [default: as --slice]")
@options.flag("--sum", "adds", help="Add the points of both, instead of taking away those of the other.")
@TYPICAL
@_with_queries
def compare(
    release: Path,
    other: Path,
    *,
    part: str | None,
    other_slice: str | None,
    adds: bool,
    typical: bool,
    key: str | None,
    **queries: Any,
) -> Result:
    """How many points more one release, or slice, has than another, with intervals that surely hold the true difference.

    Both are of one public grid. A reader of both can do the same: their costs add up for those who are in both.
    """
    from starling.places.typical import typical_answers

    ask = _asker(**queries)
    working("checking the releases")
    with ExitStack() as stack:
        one, two = (stack.enter_context(_opened(each, key)) for each in (release, other))
        parts = one.parts(part, two, part if other_slice is None else other_slice)
        working("counting, and measuring the released grids again for typical errors" if typical else "counting")
        return _shown(typical_answers(ask, *parts, adds=adds, typical=typical))


def _asker(
    *,
    rectangles: Path | None,
    polygons: Path | None,
    hexagons: Path | None,
    units: str | None,
    level: str,
    joined: bool,
) -> "Callable[[ReleasedGrid], Answers]":
    """Asks a grid the queries, which are read at once."""
    from starling.places.answers import queries

    if (rectangles is not None) + (polygons is not None) + (hexagons is not None) != 1:
        raise click.UsageError("Give --rectangles, --polygons or --hexagons, and one of them")
    if hexagons is not None and units is not None:
        raise click.UsageError("H3 cells have no --units")
    sure: dict[str, Any] = {"level": exact_level(level), "together": joined}
    if rectangles is not None:
        rows = queries.read_rectangles(rectangles, across=units in ("box", "degrees"))
        return lambda grid: grid.count(rows, units or "cells", **sure)  # type: ignore[arg-type]
    if polygons is not None:
        drawn = queries.read_polygons(polygons)
        return lambda grid: grid.count_polygons(drawn, units or "degrees", **sure)  # type: ignore[arg-type]
    assert hexagons is not None
    cells = queries.read_hexagons(hexagons)
    return lambda grid: grid.count_hexagons(cells, **sure)


def exact_level(text: str) -> Fraction:
    """The level that an option states; raises ParameterError where it is not between 0 and 1."""
    from starling.privacy.budget import exact

    level = exact(text, field="--level")
    if not 0 < level < 1:
        raise ParameterError("--level", "is not between 0 and 1", 'give one such as "0.95"')
    return level


def _shown(answers: "Answers") -> Result:
    """All answers, with what their columns mean."""
    from starling.release.text import table

    notes = [] if answers.typical_error is None else [TYPICALLY]
    notes.append("The method of this release measures no boxes, so that it has no sure intervals.")
    if answers.lower is not None:
        notes[-1] = MEANING
    return Result(lambda: "\n\n".join([table(*answers.grid()), *notes]), answers.as_json)


@command("hotspots", example="starling places hotspots release --k 10 --side 4")
@RELEASE
@slice_option
@options.with_default("--k", type=click.IntRange(min=1), default=10, help="How many squares.")
@options.with_default("--side", type=click.IntRange(min=1), default=1, help="Cells of a side.")
@options.with_default("--chance/--no-chance", default=True, help="Chances too, which take some seconds.")
@LEVEL
@options.signer
def hotspots(
    release: Path, *, part: str | None, k: int, side: int, chance: bool, level: str, key: str | None
) -> Result:
    """The squares with most released points: which surely are, and how likely each is, among those with most points."""
    working("checking the release and ranking its squares")
    with _opened(release, key) as opened:
        choices = k, side, exact_level(level)
        hotspots = opened.hotspots(*choices, part) if chance else opened.released(part).hotspots(*choices)
    return Result(partial(_hotspots_text, hotspots, level), hotspots.as_json)


def _hotspots_text(hotspots: "Hotspots", level: str) -> str:
    from starling.release.text import table

    notes = [f"All marks are right together with a probability of at least {level}, whatever the data."]
    if hotspots.chance is not None:
        notes.append(CHANCES)
    return "\n\n".join([table(hotspots.header(), hotspots.rows()), *notes])


@command("map", example="starling places map release --open")
@RELEASE
@slice_option
@options.path("--out", metavar="FILE", help="Page to make.")
@options.open_page
@options.with_default(
    "--typical/--no-typical",
    default=True,
    help="Typical errors too, and hotspots with their chances, which take some seconds.",
)
@LEVEL
@options.signer
def map_(
    release: Path, *, part: str | None, out: Path | None, opens: bool, typical: bool, level: str, key: str | None
) -> Result:
    """Draw a release as a page: a map on which a rectangle is read, or what areas and flows say.

    It has all slices, or one, and shows the sure interval and the typical error of a rectangle, and what one slice has more than
    another. Areas and flows have 95 % intervals. The page is one file and fetches nothing.
    """
    from starling.cli.browser import page_folder, show
    from starling.places.areas.analysis import AreasRelease
    from starling.places.flows.analysis import FlowsRelease
    from starling.places.pictures.map_page import page
    from starling.places.trips.analysis import TripsRelease
    from starling.release.report.pages import write_new
    from starling.release.text import facts

    if out is None and not opens:
        raise click.UsageError("Give --out, --open, or both")
    working("checking the release and drawing it")
    opened: Any
    with opened_release(release, "places", key) as opened:
        if isinstance(opened, AreasRelease | FlowsRelease | TripsRelease):
            if exact_level(level) != exact_level("0.95"):
                raise ParameterError("--level", "is of points on a grid", "leave it out")
            if not typical:
                raise ParameterError("--no-typical", "is of points on a grid", "leave it out")
            text = opened.map(part).page()
        else:
            text = page(_of_grid(opened).map(part, exact_level(level), typical=typical))
    file = write_new(page_folder() / "map.html" if out is None else out, text)
    if opens:
        show(file.absolute().as_uri())
    return Result(lambda: facts([("map", str(file))]), lambda: {"map": str(file)})


@command("export", example="starling places export release --out exported")
@RELEASE
@slice_option
@click.option("--h3", "resolution", type=click.IntRange(0, 15), metavar="N", help="Also a table of H3 cells.")
@options.flag("--rounded", help="Points as whole numbers, each rounded up or down so that sums are kept.")
@options.new_folder
@options.signer
def export(
    release: Path, *, part: str | None, resolution: int | None, rounded: bool, out: Path, key: str | None
) -> Result:
    """Write released boxes as GeoParquet and GeoJSON, the grid as .npz, and counts of H3 cells as Parquet, for other programs.

    Of a value, without a layer: boxes with points, sums and means, and their sure intervals. Released areas become GeoParquet, GeoJSON and
    CSV, with their polygons and intervals. Flows become locations.csv and flows.csv, as flowmap.gl reads them, and lines as GeoParquet, of
    the pairs of areas or boxes that surely have trips.
    """
    from starling.places.answers.hotspots import as_rectangles
    from starling.places.areas.analysis import AreasRelease
    from starling.places.areas.artifact.exports import write_all as write_areas
    from starling.places.artifact.exports import write_all, write_means
    from starling.places.flows.analysis import FlowsRelease
    from starling.places.trips.analysis import TripsRelease
    from starling.release.text import facts

    working("checking the release and writing it")
    opened: Any
    with opened_release(release, "places", key) as opened:
        if resolution is not None and isinstance(opened, AreasRelease | FlowsRelease | TripsRelease):
            raise ParameterError("--h3", "is of points on a grid", "leave it out")
        if isinstance(opened, FlowsRelease | TripsRelease):
            if rounded:
                raise ParameterError("--rounded", "is of counts of points", "leave it out")
            files = opened.export(out, part)
        elif isinstance(opened, AreasRelease):
            files = write_areas(out, opened.plan.areas, opened.area_rows(part, rounded=rounded))
        elif opened.plan.value is not None and part not in opened.plan.slice_names:
            if rounded or resolution is not None:
                raise ParameterError(
                    "--slice", "names no layer, and means are neither whole nor of H3 cells", "name one"
                )
            boxes, _ = opened.boxes(opened.layers(part)[0])
            files = write_means(out, opened.plan.grid, boxes, opened.means(as_rectangles(boxes), slice=part))
        else:
            boxes, counts = opened.boxes(part)
            table = None if opened.plan.grid.sparse else opened.released(part).table
            files = write_all(out, opened.plan.grid, table, boxes, counts, resolution, rounded=rounded)
    named = {path.name: str(path) for path in files}
    return Result(lambda: facts(list(named.items())), lambda: {"files": named})
