"""Released flows as a map of arcs: the larger ones that surely are there, over the outlines of the areas."""

from math import cos, hypot, radians, sqrt
from typing import Final

import numpy as np
import shapely

from starling.pages.marks import Point, Sheet
from starling.places.flows.answers.deviation import Floats
from starling.places.flows.answers.released import ReleasedFlows

WIDE: Final = 560.0
"""Points of the picture, across."""
MOST: Final = 150
"""Arcs."""
STEPS: Final = 12
"""Straight pieces of an arc."""
BEND: Final = 0.18
"""How far an arc bends to the right of the straight way, as a part of its length: the way back lies on the other side."""
THICK: Final = (0.5, 5.0)
SMOOTH: Final = 1.0
"""Points of the picture by which outlines may be simplified."""
_HIGHEST: Final = 700.0


def arc_map(released: ReleasedFlows) -> Sheet:
    """A picture of at most `MOST` pairs of areas that surely have trips (`ReleasedFlows.certain`), thicker where more lead.

    An arc bends to the right of its way. Trips within an area are dots.
    """
    areas = released.plan.areas
    west, south, east, north = shapely.total_bounds(areas.geometries).tolist()
    across = cos(radians((south + north) / 2))
    scale = min(WIDE / max((east - west) * across, 1e-9), _HIGHEST / max(north - south, 1e-9))
    sheet = Sheet((east - west) * across * scale, 0.0, (north - south) * scale)

    def placed(corners: Floats) -> list[Point]:
        return [((x - west) * across * scale, (y - south) * scale) for x, y in corners.tolist()]

    simple = shapely.simplify(areas.geometries, SMOOTH / scale)
    rings = [placed(shapely.get_coordinates(ring)) for ring in shapely.get_rings(simple)]
    sheet.shapes(rings, line="soft", mark="areas", thick=0.5)
    places = placed(middles(released))
    pairs, trips = (each[:MOST] for each in released.certain)
    most = float(trips.max()) if len(trips) else 1.0
    ends = sorted({place for pair in pairs.tolist() for place in pair})
    sheet.dots([places[place] for place in ends], "o", "accent", "ends", size=2.2, hollow=True)
    # The largest last, so that they lie above.
    for (origin, destination), many in zip(reversed(pairs.tolist()), reversed(trips.tolist()), strict=True):
        thick = THICK[0] + (THICK[1] - THICK[0]) * many / most
        if origin == destination:
            sheet.dots([places[origin]], "o", "accent", "within", size=2 + 2 * thick)
        else:
            path = arc(places[origin], places[destination])
            sheet.lines([path], "accent", "flows", thick=thick, alpha=0.35 + 0.6 * sqrt(many / most))
    return sheet


def middles(released: ReleasedFlows) -> Floats:
    """float64 (areas, 2): a longitude and a latitude within each area."""
    return np.asarray(shapely.get_coordinates(shapely.point_on_surface(released.plan.areas.geometries)))


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
