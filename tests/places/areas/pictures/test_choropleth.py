"""The map draws every area in its shade, leaves holes empty, and hatches those of which nothing can be said."""

import numpy as np
import shapely

from starling.places.areas.pictures.choropleth import _hatch, _rings, choropleth
from tests.places.areas.worlds import areas_of_shapes, hard_shapes

AREAS = areas_of_shapes(hard_shapes())


def test_areas_of_one_shade_stand_together_and_unknown_ones_are_hatched() -> None:
    points = np.array([0.0, -3.0, 50.0, 100.0, 100.0, 100.0])
    known = choropleth(AREAS.geometries, points, [False] * 6, "visits").svg("a", "A map")
    assert "there may be none" not in known
    assert "0 or less" in known
    assert "100 or more visits" in known
    hatched = choropleth(AREAS.geometries, points, [True] + [False] * 5, "visits").svg("a", "A map")
    assert "there may be none" in hatched


def test_holes_turn_the_other_way() -> None:
    outer, hole = _rings(hard_shapes()[0])
    assert shapely.is_ccw(shapely.linearrings(outer))
    assert not shapely.is_ccw(shapely.linearrings(hole))


def test_a_hatch_lies_in_its_area_alone() -> None:
    ring = shapely.Polygon([(0, 0), (40, 0), (40, 40), (0, 40)], [[(10, 10), (30, 10), (30, 30), (10, 30)]])
    lines = shapely.multilinestrings([shapely.linestrings(each) for each in _hatch([ring], 60, 60)])
    assert shapely.covers(ring.buffer(1e-6), lines)
    assert lines.length > 100
