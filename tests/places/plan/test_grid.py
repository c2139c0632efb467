"""Edges of public grids: exact, ascending, and what is refused by the box alone."""

from fractions import Fraction
from math import asin, degrees, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.places.plan import Grid
from starling.places.plan.grid import RADIUS


def box(*sides: int | str) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    x0, y0, x1, y1 = map(Fraction, sides)
    return x0, y0, x1, y1


sides = st.fractions(-1000, 1000, max_denominator=10**6)


@pytest.mark.examples(33)
@given(sides, st.fractions("1/1000", 1000, max_denominator=1000), st.integers(2, 40), st.data())
def test_a_double_is_beyond_the_edge_where_it_is_beyond_the_exact_one(
    first: Fraction, width: Fraction, cells: int, data: st.DataObject
) -> None:
    grid = Grid((first, Fraction(0), first + width, Fraction(1)), 1, cells, "plain", "x")
    edges, _ = grid.edges
    at = data.draw(st.integers(0, cells))
    exact = first + at * width / cells
    for value in (edges[at], np.nextafter(edges[at], -np.inf), float(exact)):
        assert (value >= edges[at]) == (Fraction(float(value)) >= exact)


def test_cells_of_equal_area_have_the_edges_of_the_projection() -> None:
    half = RADIUS / 2
    grid = Grid((Fraction(-1000), -half, Fraction(1000), RADIUS), 3, 2, "equal-area")
    x, y = grid.edges
    assert y[0] == -30
    assert y[3] == np.nextafter(90, np.inf), "the pole lies in the last row"
    assert y[2] == pytest.approx(degrees(asin(0.5)), abs=1e-13)
    assert x[1] == 0
    assert x[2] == pytest.approx(1000 / float(RADIUS) * 180 / pi, rel=1e-15)


def test_rectangles_of_the_box_become_rectangles_of_cells() -> None:
    grid = Grid(box(-10, 20, 30, 30), 5, 8, "degrees")
    assert grid.in_cells(np.array([[-10, 20, 30, 30], [0, 21, 2.5, 22]])).tolist() == [[0, 0, 8, 5], [2, 0.5, 2.5, 1]]


@pytest.mark.parametrize(
    ("sides", "shape", "crs", "cause"),
    [
        ((0, 0, 0, 1), (2, 2), "degrees", "box is empty"),
        ((0, 2, 1, 1), (2, 2), "degrees", "box is reversed; give x0"),
        ((170, 0, -170, 1), (2, 2), "degrees", "across the antimeridian; publish two boxes"),
        ((3, 0, 2, 1), (2, 2), "plain", "box is reversed; give x0"),
        ((0, 0, 1, 91), (2, 2), "degrees", "beyond latitude 90"),
        ((0, 0, 181, 1), (2, 2), "degrees", "beyond longitude 180"),
        ((0, 0, 1, 6_400_000), (2, 2), "equal-area", "beyond latitude 90"),
        ((0, 0, 20_100_000, 1), (2, 2), "equal-area", "beyond longitude 180"),
        ((0, 0, 1, 1), (1, 1), "degrees", "are one cell"),
        ((0, 0, 1, 1), (1 << 20, (1 << 20) + 1), "degrees", "are not from 1 to 1,048,576"),
        ((0, 0, 1, 1), (0, 4), "degrees", "are not from 1"),
        ((1, 1, "1.000000000000001", 2), (2, 99), "degrees", "narrower than the distance between two doubles"),
    ],
)
def test_a_wrong_box_is_refused_with_its_cause(
    sides: tuple[int | str, ...], shape: tuple[int, int], crs: str, cause: str
) -> None:
    with pytest.raises(PlanError, match=cause):
        Grid(box(*sides), *shape, crs, "EPSG:2263" if crs == "plain" else "")  # type: ignore[arg-type]


@pytest.mark.parametrize(("crs", "name"), [("plain", ""), ("degrees", "EPSG:4326")])
def test_plain_units_alone_are_named(crs: str, name: str) -> None:
    with pytest.raises(PlanError, match="crs_name is missing for plain units"):
        Grid(box(0, 0, 1, 1), 2, 2, crs, name)  # type: ignore[arg-type]
