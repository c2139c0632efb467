"""The released points of each area as a map of shaded areas; those of which nothing can be said are hatched."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians
from typing import Any, Final, TypeAlias

import numpy as np
import shapely

from starling.pages.marks import Entry, Sheet, heat
from starling.pages.signs import Point
from starling.places.areas.plan.polygons import Geometries
from starling.places.arrays import Float64

WIDE: Final = 330.0
HIGH: Final = 420.0
"""The most that the map is high; both in points of the sheet."""
DETAIL: Final = 0.4
"""Points of the sheet that a simplified border may be off."""
APART: Final = 3.5
"""Points between two lines of a hatch."""
TOP: Final = 99.5
"""The percentile of the areas from which on all are as dark."""
LEAST_STEP: Final = 1e-9
"""Between the lightest and the darkest number."""
LIGHT: Final = 0.08
"""How strong the colour of an area is where two slices have the same number."""
LEAST: Final = 0.25
"""Of the height, the least that a degree of longitude is drawn wide."""
Rings: TypeAlias = list[list[Point]]


@dataclass(frozen=True, slots=True)
class Shaded:
    """The numbers of a map.

    Attributes:
        points: The estimate of each area, float64 (areas,): points, sums or means, or differences of two slices.
        unknown: Whether each is hatched: its interval holds 0, or of means all that is possible.
        says: The lines that each area says; empty where none says any.
        what: What is counted.
        top: The number from which on all areas are as dark; None for that of these points.
        signed: Of numbers of either sign, what the darkest red and blue are, with {} for the number; None of others.
        low: Of means the least that is known, which is lightest; None of others.
        hatch: What is said of hatched areas.
    """

    points: Float64
    unknown: Sequence[bool]
    says: Sequence[Sequence[str]]
    what: str
    top: float | None = None
    signed: tuple[str, str] | None = None
    low: float | None = None
    hatch: str = "there may be none"


def darkest(points: Float64) -> float:
    """The number from which on all areas of a map are as dark."""
    return max(float(np.percentile(np.abs(points), TOP)), 1.0)


def choropleth(geometries: Geometries, shaded: Shaded, *, plain: bool = False) -> Sheet:
    """A map of areas, polygons (areas,) in degrees, or in plain units."""
    drawn, wide, high = _on_sheet(geometries, plain=plain)
    sheet = Sheet(wide, 0, high)
    points = shaded.points
    top = darkest(points) if shaded.top is None else shaded.top
    low = 0.0 if shaded.low is None else shaded.low
    # Areas that say nothing stand together by colour. The largest last, as in every picture whose marks say their numbers.
    rings: dict[tuple[str, float, int], Rings] = {}
    for at in np.argsort(points, kind="stable").tolist():
        value = (float(points[at]) - low) / max(top - low, LEAST_STEP)
        colour = (("accent" if value > 0 else "warn") if value else "muted") if shaded.signed else heat(value)
        alpha = LIGHT + (1 - LIGHT) * min(abs(value), 1.0) if shaded.signed else 1.0
        rings.setdefault((colour, alpha, at if shaded.says else -1), []).extend(_rings(drawn[at]))
    for (colour, alpha, at), paths in rings.items():
        says = shaded.says[at] if shaded.says else ()
        sheet.shapes(paths, colour, "paper", "areas", thick=0.4, alpha=alpha, says=says)
    hatched = [geometry for geometry, none in zip(drawn, shaded.unknown, strict=True) if none]
    if hatched:
        sheet.lines(_hatch(hatched, wide, high), "muted", "hatched", thick=0.4)
    sheet.legend(0, high + 12, wide, _legend(shaded, top, hatched=bool(hatched)))
    return sheet


def _legend(shaded: Shaded, top: float, *, hatched: bool) -> list[Entry]:
    low, points = shaded.low or 0.0, shaded.points
    middle, most, least = (
        f"{each:z,.0f}" if abs(each) >= 1000 else f"{each:z.4g}" for each in ((low + top) / 2, top, low)
    )
    if shaded.signed:
        signs = zip(("warn", "accent"), shaded.signed, strict=True)
        entries = [Entry("box", colour, words.format(most)) for colour, words in signs] if points.any() else []
    else:
        first, last = "0 or less" if points.min() < 0 else "0", f"{most} or more {shaded.what}"
        if shaded.low is not None:
            first, last = f"{shaded.what} {least}", most
        steps = (("heat-0", first), (heat(0.5), middle), ("heat-9", last))
        entries = [Entry("box", colour, words) for colour, words in steps]
    return [*entries, *([Entry("/", "muted", shaded.hatch)] if hatched else [])]


def _on_sheet(geometries: Geometries, *, plain: bool) -> tuple[list[Any], float, float]:
    """The geometries in points of the sheet, simplified, with its width and height: degrees as they lie at the middle of the map."""
    west, south, east, north = shapely.total_bounds(geometries).tolist()
    narrow = 1.0 if plain else max(cos(radians((south + north) / 2)), LEAST)
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
    ends = np.stack([starts, np.zeros_like(starts), starts + high, np.full_like(starts, high)], axis=1)
    lines = shapely.linestrings(ends.reshape(-1, 2, 2))
    tree = shapely.STRtree(lines)
    valid = shapely.make_valid(np.array(geometries, dtype=np.object_))
    area, line = tree.query(valid, predicate="intersects")
    parts = shapely.get_parts(shapely.intersection(valid[area], lines[line]))
    cut = parts[shapely.get_type_id(parts) == shapely.GeometryType.LINESTRING]
    return [[(x, y) for x, y in shapely.get_coordinates(each).tolist()] for each in cut.tolist()]
