"""The map draws every area in its shade, leaves holes empty, and hatches those of which nothing can be said."""

import re

import numpy as np
import shapely

from starling.places.areas.pictures.choropleth import Shaded, _hatch, _rings, choropleth
from tests.places.areas.worlds import areas_of_shapes, hard_shapes

AREAS = areas_of_shapes(hard_shapes())


SAYS = [(name, "1", "0 to 2") for name in AREAS.names]


def drawn(points: list[float], unknown: list[bool], *, says: bool = False, signed: bool = False) -> str:
    words = ("{} or more visits less", "{} or more visits more") if signed else None
    shaded = Shaded(np.array(points), unknown, SAYS if says else (), "visits", signed=words, hatch="as hatched")
    return choropleth(AREAS.geometries, shaded).svg("a", "A map")


def test_areas_of_one_shade_stand_together_and_unknown_ones_are_hatched() -> None:
    points = [0.0, -3.0, 50.0, 100.0, 100.0, 100.0]
    known = drawn(points, [False] * 6)
    assert "as hatched" not in known
    assert "0 or less" in known
    assert "100 or more visits" in known
    assert known.count('id="a-areas') == 3
    hatched = drawn(points, [True] + [False] * 5)
    assert "as hatched" in hatched


def test_each_area_says_its_number_the_largest_last() -> None:
    points = [0.0, -3.0, 50.0, 120.0, 100.0, 110.0]
    known = drawn(points, [False] * 6, says=True)
    assert re.findall(r"<title>(\d)\n1\n0 to 2</title>", known) == ["1", "0", "2", "4", "5", "3"]


def test_a_difference_has_two_colours_as_strong_as_it_is_large() -> None:
    svg = drawn([-100.0, -50.0, 0.0, 25.0, 50.0, 100.0], [False] * 2 + [True] + [False] * 3, signed=True)
    assert "100 or more visits less" in svg
    assert "as hatched" in svg
    assert "or more" not in drawn([0.0] * 6, [True] * 6, signed=True), "of nothing no colour is explained"
    marks = re.findall(r'id="a-areas[^>]*class="fill-(\w+) .*?opacity="([\d.]+)"', svg)
    assert marks == [("warn", "0.54"), ("muted", "0.08"), ("accent", "0.31"), ("accent", "0.54")]


def test_means_are_shaded_from_the_least_to_the_greatest_that_are_known() -> None:
    shaded = Shaded(
        np.array([2.0, 7, 2, 2, 3, 3]),
        [False, False, True, True, False, False],
        (),
        "fare",
        7.0,
        low=2.0,
        hatch="as hatched",
    )
    svg = choropleth(AREAS.geometries, shaded).svg("a", "A map")
    assert "fare 2" in svg
    assert "as hatched" in svg
    assert "fill-heat-9" in svg
    nothing = Shaded(np.zeros(6), [True] * 6, (), "fare", 0.0, low=0.0)
    assert "fare 0" in choropleth(AREAS.geometries, nothing).svg("a", "A map")


def test_holes_turn_the_other_way() -> None:
    outer, hole = _rings(hard_shapes()[0])
    assert shapely.is_ccw(shapely.linearrings(outer))
    assert not shapely.is_ccw(shapely.linearrings(hole))


def test_a_hatch_lies_in_its_area_alone() -> None:
    ring = shapely.Polygon([(0, 0), (40, 0), (40, 40), (0, 40)], [[(10, 10), (30, 10), (30, 30), (10, 30)]])
    lines = shapely.multilinestrings([shapely.linestrings(each) for each in _hatch([ring], 60, 60)])
    assert shapely.covers(ring.buffer(1e-6), lines)
    assert lines.length > 100
