"""The released points of each area as a map of shaded areas; those of which nothing can be said are hatched."""

from collections.abc import Sequence
from math import cos, radians
from typing import Any, Final, TypeAlias

import numpy as np
import shapely

from starling.pages.marks import Entry, Point, Sheet, heat
from starling.places.areas.plan.polygons import Float64, Geometries

WIDE: Final = 330.0
HIGH: Final = 420.0
"""The most that the map is high; both in points of the sheet."""
DETAIL: Final = 0.4
"""Points of the sheet that a simplified border may be off."""
APART: Final = 3.5
"""Points between two lines of a hatch."""
TOP: Final = 99.5
"""The percentile of the areas from which on all are as dark."""
LEAST: Final = 0.25
"""Of the height, the least that a degree of longitude is drawn wide."""
Rings: TypeAlias = list[list[Point]]


def choropleth(geometries: Geometries, points: Float64, unknown: Sequence[bool], what: str) -> Sheet:
    """A map of areas.

    Args:
        geometries: Polygons in degrees, (areas,).
        points: The estimate of each, float64 (areas,).
        unknown: Whether the interval of each holds 0: it cannot be said that anybody is there.
        what: What is counted.
    """
    drawn, wide, high = _on_sheet(geometries)
    sheet = Sheet(wide, 0, high)
    top = max(float(np.percentile(points, TOP)), 1.0)
    rings: dict[str, Rings] = {}
    for geometry, value in zip(drawn, points.tolist(), strict=True):
        rings.setdefault(heat(value / top), []).extend(_rings(geometry))
    for colour in sorted(rings):
        sheet.shapes(rings[colour], colour, "paper", "areas", thick=0.4)
    middle, most = (f"{each:z,.0f}" if each >= 1000 else f"{each:z.4g}" for each in (top / 2, top))
    least = "0 or less" if points.min() < 0 else "0"
    entries = [
        Entry("box", "heat-0", least),
        Entry("box", heat(0.5), middle),
        Entry("box", "heat-9", f"{most} or more {what}"),
    ]
    hatched = [geometry for geometry, none in zip(drawn, unknown, strict=True) if none]
    if hatched:
        sheet.lines(_hatch(hatched, wide, high), "muted", "hatched", thick=0.4)
        entries.append(Entry("/", "muted", "there may be none"))
    sheet.legend(0, high + 12, wide, entries)
    return sheet


def _on_sheet(geometries: Geometries) -> tuple[list[Any], float, float]:
    """The geometries in points of the sheet, simplified, with its width and height: degrees as they lie at the middle of the map."""
    west, south, east, north = shapely.total_bounds(geometries).tolist()
    narrow = max(cos(radians((south + north) / 2)), LEAST)
    scale = min(WIDE / ((east - west) * narrow), HIGH / (north - south))
    stretch = np.array([scale * narrow, scale])
    placed = shapely.transform(geometries, lambda corners: (corners - [west, south]) * stretch)
    simple = shapely.simplify(placed, DETAIL, preserve_topology=True)
    return simple.tolist(), (east - west) * narrow * scale, (north - south) * scale


def _rings(geometry: Any) -> Rings:
    """Outer rings to the left and holes to the right, so that holes stay empty."""
    rings: Rings = []
    for part in shapely.get_parts(geometry).tolist():
        for number, ring in enumerate((part.exterior, *part.interiors)):
            corners = shapely.get_coordinates(ring)
            left = shapely.is_ccw(ring)
            rings.append([(x, y) for x, y in (corners if bool(left) == (number == 0) else corners[::-1])[:-1].tolist()])
    return rings


def _hatch(geometries: Sequence[Any], wide: float, high: float) -> Rings:
    """Lines from the lower left to the upper right across geometries."""
    starts = np.arange(-high, wide, APART)
    lines = shapely.linestrings(
        np.stack(
            [np.stack([starts, np.zeros_like(starts)], 1), np.stack([starts + high, np.full_like(starts, high)], 1)], 1
        )
    )
    tree = shapely.STRtree(lines)
    valid = shapely.make_valid(np.array(geometries, dtype=np.object_))
    area, line = tree.query(valid, predicate="intersects")
    parts = shapely.get_parts(shapely.intersection(valid[area], lines[line]))
    cut = parts[shapely.get_type_id(parts) == shapely.GeometryType.LINESTRING]
    return [[(x, y) for x, y in shapely.get_coordinates(each).tolist()] for each in cut.tolist()]
