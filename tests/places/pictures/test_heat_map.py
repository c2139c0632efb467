"""A heat map: the released points where they lie, the south at the bottom."""

import doctest
import xml.etree.ElementTree as ET
from dataclasses import replace
from math import cos, radians

import numpy as np
import pytest

from starling.places.answers.sure import LEVEL, Surety
from starling.places.pictures import heat_map as heat_map_module
from starling.places.pictures.heat_map import blank, heat_map
from tests.genome.pictures.studies import lines
from tests.places.pictures.worlds import GRID, HIGH, WIDE, measured
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


@pytest.mark.parametrize("side", [1, 4])
def test_squares_whose_sure_interval_holds_0_are_hatched(side: int) -> None:
    drawn_once = measured(3)
    surety = Surety([replace(drawn_once, value=drawn_once.value * (drawn_once.node % 3) * 40)])
    grid = np.ones((HIGH // side, WIDE // side))
    hatched = set(blank(GRID, side, surety))
    for row in range(HIGH // side):
        for column in range(WIDE // side):
            square = np.array([[column, row, column + 1, row + 1]], dtype=np.float64) * side
            assert ((row, column) in hatched) == (surety.of(square, LEVEL).lower[0] <= 0)
    assert 0 < len(hatched) < grid.size
    svg = heat_map(GRID, "points", grid, surety, side=side).svg("points", "Points")
    ((edge),) = lines(svg, "edge")
    (left, right), (top, bottom) = ((min(each), max(each)) for each in zip(*edge, strict=True))
    step, rise = (right - left) / grid.shape[1], (bottom - top) / grid.shape[0]
    drawn = set()
    for (x0, y0), (x1, _) in lines(svg, "hatched"):
        column, row = round((x0 - left) / step), round((bottom - y0) / rise)
        drawn |= {(row + at, column + at) for at in range(round((x1 - x0) / step))}
    assert drawn == hatched
    assert "there may be none" in svg
    assert "there may be none" not in heat_map(GRID, "points", grid).svg("points", "Points")
