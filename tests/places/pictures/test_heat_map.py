"""A heat map: the released points where they lie, the south at the bottom."""

import doctest
import xml.etree.ElementTree as ET
from math import cos, radians

import numpy as np
import pytest

from starling.places.pictures import heat_map as heat_map_module
from starling.places.pictures.heat_map import heat_map
from tests.genome.pictures.studies import lines
from tests.places.plans import plan


def test_examples_hold() -> None:
    assert doctest.testmod(heat_map_module).failed == 0


def test_cells_are_drawn_in_the_box_of_the_plan() -> None:
    grid = np.array([[1.0, 0, 0, 2], [0, 3, 0, 0]])
    svg = heat_map(plan().grid, "points (pickup)", grid).svg("points", "Points")
    ((edge),) = lines(svg, "edge")
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*edge, strict=True))
    step, rise = (right - left) / 4, (bottom - top) / 2
    assert step / rise == pytest.approx(cos(radians(1)), abs=1e-3), "a degree east is shorter than one north"
    darkest = next(
        each
        for each in ET.fromstring(svg).iter()
        if each.get("class") == "fill-heat-9" and "cells" in each.get("id", "")
    )
    xs, ys = zip(*lines(svg, darkest.get("id", "").removeprefix("points-"))[0], strict=True)
    assert (min(xs), max(xs)) == pytest.approx((left + step, left + 2 * step), abs=1e-2)
    assert (min(ys), max(ys)) == pytest.approx((top, top + rise), abs=1e-2), "the second row is the northern one"
    assert {"degrees east", "degrees north"} <= {each.text for each in ET.fromstring(svg).iter()}
