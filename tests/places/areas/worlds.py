"""Small worlds of areas: a file of squares with a hierarchy, shapes that are hard to place points in, and plans of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Areas

SQUARES = [("a", "north", 0, 1), ("b", "north", 1, 1), ("c", "south", 0, 0), ("d", "south", 1, 0), ("e", "south", 2, 0)]
"""Id, side of the world, and the south-western corner of each square."""


def square(x: float, y: float, side: float = 1) -> list[list[float]]:
    """A closed ring."""
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]


def feature(properties: dict[str, Any], *rings: list[list[float]]) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": list(rings)}}


def document() -> dict[str, Any]:
    features = [feature({"id": i, "side": side, "number": x}, square(x, y)) for i, side, x, y in SQUARES]
    return {"type": "FeatureCollection", "features": features}


def values(**changes: Any) -> dict[str, Any]:
    """The keys of a plan of the squares, which lie in areas.geojson."""
    return {
        "title": "Visits",
        "point": "visit",
        "areas": {"file": "areas.geojson", "id": "id", "levels": ["side"]},
        "input": {"x": "x", "y": "y"},
        "privacy": {"unit": "point", "epsilon": "3"},
    } | changes


def plan(folder: Path, **changes: Any) -> AreasPlan:
    """A plan of the squares, whose file is made in a folder."""
    (folder / "areas.geojson").write_text(json.dumps(document()))
    return AreasPlan.of(values(**changes), folder=folder)


def areas_of_shapes(shapes: list[Any]) -> Areas:
    """Areas of geometries, without levels."""
    geometries = np.empty(len(shapes), dtype=np.object_)
    geometries[:] = shapes
    ids = tuple(str(at) for at in range(len(shapes)))
    return Areas(ids, ids, ("id", "", ()), (), geometries)


def hard_shapes() -> list[Any]:
    """A hole with an island, two parts that touch, a ring that touches itself, one that crosses itself, 1,000 corners, overlaps."""
    turn = np.linspace(0, 2 * np.pi, 1001)[:-1]
    star = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (1 + 0.5 * np.cos(40 * turn))[:, None] + [6, 2]
    return [
        shapely.Polygon(square(0, 0, 4), [square(1, 1, 2)]),
        shapely.MultiPolygon([shapely.Polygon(square(1.5, 1.5)), shapely.Polygon(square(2.5, 2.5, 0.5))]),
        shapely.Polygon([(4, 0), (5, 0), (5, 1), (4.5, 0.5), (5, 1), (4, 1), (4, 0)]),
        shapely.Polygon([(0, 5), (2, 6), (2, 5), (0, 6), (0, 5)]),
        shapely.Polygon(star),
        shapely.Polygon(square(3.5, 0.25, 3)),
    ]
