"""Released flows as a map of arcs: the larger ones that surely are there, over the outlines of the areas. Arcs of trips on a grid are drawn
by the same `draw_arcs`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, hypot, radians, sqrt
from typing import Final

import numpy as np
import shapely

from starling.pages.letters import LETTERS, text_width
from starling.pages.marks import Entry, Sheet
from starling.pages.signs import Point
from starling.places.areas.plan.polygons import Areas
from starling.places.arrays import Float64, Int64
from starling.release.text import rounded

WIDE: Final = 376.0
"""Points of the picture, across."""
MOST: Final = 150
"""Arcs."""
STEPS: Final = 12
"""Straight pieces of an arc."""
BEND: Final = 0.18
"""How far an arc bends to the right of the straight way, as a part of its length: the way back lies on the other side."""
THICK: Final = (0.4, 3.6)
SMOOTH: Final = 1.0
"""Points of the picture by which outlines may be simplified."""
_HIGHEST: Final = 470.0


@dataclass(frozen=True, slots=True)
class Arcs:
    """What is drawn.

    Attributes:
        pairs: int64 (arcs, 2): the areas of origin and of destination, or other places.
        trips: float64 (arcs,): the trips of each, the largest first; or of a difference of two slices, below 0 where the other has more.
        says: The lines that each says.
        most: The trips of the thickest arc.
        counted: "trips", or "legs".
    """

    pairs: Int64
    trips: Float64
    says: Sequence[Sequence[str]]
    most: float
    counted: str = "trips"


def lines_of(
    names: Sequence[str], pairs: Int64, trips: Float64, ends: Iterable[tuple[int, int]], interval: str = "95 % interval"
) -> list[tuple[str, str, str]]:
    """The lines that arcs say: from where to where, how many trips, and the interval."""
    return [
        (f"{names[origin]} to {names[destination]}", rounded(many), f"{interval}: {low:,} to {high:,}")
        for (origin, destination), many, (low, high) in zip(pairs.tolist(), trips.tolist(), ends, strict=True)
    ]


def arc_map(areas: Areas, arcs: Arcs) -> Sheet:
    """A picture of pairs of areas, thicker where more trips lead, red where they are fewer than in another slice.

    An arc bends to the right of its way. Trips within an area are dots.
    """
    west, south, east, north = shapely.total_bounds(areas.geometries).tolist()
    across = cos(radians((south + north) / 2))
    scale = min(WIDE / max((east - west) * across, 1e-9), _HIGHEST / max(north - south, 1e-9))
    wide, high = (east - west) * across * scale, (north - south) * scale
    sheet = Sheet(wide, 0.0, high)

    def placed(corners: Float64) -> list[Point]:
        return [((x - west) * across * scale, (y - south) * scale) for x, y in corners.tolist()]

    simple = shapely.simplify(areas.geometries, SMOOTH / scale)
    rings = [placed(shapely.get_coordinates(ring)) for ring in shapely.get_rings(simple)]
    sheet.shapes(rings, line="soft", mark="areas", thick=0.5)
    draw_arcs(sheet, placed(middles(areas)), arcs, "an area")
    return sheet


def draw_arcs(sheet: Sheet, places: Sequence[Point], arcs: Arcs, what: str) -> None:
    """Draw arcs between places of a map, with their legend above it; `what` a place stands for."""
    ends = sorted({place for pair in arcs.pairs.tolist() for place in pair})
    sheet.dots([places[place] for place in ends], "o", "accent", "ends", size=2.2, hollow=True)
    # The largest last, so that they lie above.
    drawn = reversed([*zip(arcs.pairs.tolist(), arcs.trips.tolist(), arcs.says, strict=True)])
    for (origin, destination), many, says in drawn:
        part = abs(many) / arcs.most
        thick = THICK[0] + (THICK[1] - THICK[0]) * part
        colour = "accent" if many > 0 else "warn"
        if origin == destination:
            sheet.dots([places[origin]], "o", colour, "within", size=2 + 2 * thick, says=says)
        else:
            path = arc(places[origin], places[destination])
            sheet.lines([path], colour, "flows", thick=thick, alpha=0.35 + 0.6 * sqrt(part), says=says)
    if len(arcs.trips):
        _legend(sheet, arcs, what)


def _legend(sheet: Sheet, arcs: Arcs, what: str) -> None:
    """How thick an arc is of how many trips, and what else there is."""
    y, x = sheet.high + 14.0, 0.0
    for part in (1.0, 0.25):
        words = f"{arcs.most * part:z,.0f} {arcs.counted}"
        sheet.lines([[(x, y), (x + 18, y)]], "accent", "key", thick=THICK[0] + (THICK[1] - THICK[0]) * part)
        sheet.text(x + 22, y, words, anchor="start")
        x += 34 + text_width(words, LETTERS)
    entries = [Entry("o", "accent", f"within {what}")]
    if arcs.trips.min() < 0:
        entries += [Entry("-", "accent", "more"), Entry("-", "warn", "fewer")]
    sheet.legend(x, y, sheet.wide - x, entries)


def middles(areas: Areas) -> Float64:
    """float64 (areas, 2): a longitude and a latitude within each area."""
    return np.asarray(shapely.get_coordinates(shapely.point_on_surface(areas.geometries)))


def arc(begin: Point, end: Point) -> list[Point]:
    """The points of an arc that bends to the right of the way from one place to another.

    >>> begin, *_, end = arc((0.0, 0.0), (10.0, 0.0))
    >>> begin, end, min(y for _, y in arc((0.0, 0.0), (10.0, 0.0))) < 0
    ((0.0, 0.0), (10.0, 0.0), True)
    """
    (x0, y0), (x1, y1) = begin, end
    if hypot(x1 - x0, y1 - y0) == 0:
        return [begin, end]
    turn_x, turn_y = (x0 + x1) / 2 + BEND * (y1 - y0), (y0 + y1) / 2 - BEND * (x1 - x0)
    parts = [step / STEPS for step in range(STEPS + 1)]
    return [
        (
            (1 - t) ** 2 * x0 + 2 * t * (1 - t) * turn_x + t * t * x1,
            (1 - t) ** 2 * y0 + 2 * t * (1 - t) * turn_y + t * t * y1,
        )
        for t in parts
    ]
