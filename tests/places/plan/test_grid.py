"""Edges of public grids: exact, ascending, and what is refused by the box alone."""

from fractions import Fraction
from math import asin, degrees, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.places.plan import Grid
from starling.places.plan.grid import RADIUS, TURN, Crs
from starling.places.source.cells import _place


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


@pytest.mark.series(1)
@pytest.mark.parametrize("sides", [("-74.3", "40.5", "-73.7", "41"), ("0.1", "-0.7", "0.3", "0.2")])
def test_ends_on_borders_of_cells_are_there_however_doubles_round(sides: tuple[str, ...]) -> None:
    """A rectangle of whole cells in units of the box would cut boxes that it holds: 255.99999999999997 for 256."""
    for side in (256, 1000, 1 << 20):
        grid = Grid(box(*sides), side, side, "degrees")
        x0, y0, x1, y1 = grid.box
        at = np.unique(np.linspace(0, side, 300).astype(np.int64))
        borders = [[float(x0 + (x1 - x0) * k / side), float(y0 + (y1 - y0) * k / side)] * 2 for k in at.tolist()]
        assert (grid.in_cells(borders) == at[:, None]).all()
        inside = [float(x0 + (x1 - x0) * Fraction("7.01") / side), float(y0), float(x1), float(y1)]
        assert abs(grid.in_cells([inside])[0, 0] - 7.01) < 1e-5, "others are not moved"


@pytest.mark.parametrize("crs", ["degrees", "equal-area"])
def test_a_box_across_the_antimeridian_places_points_as_one_that_is_turned(crs: Crs) -> None:
    half = TURN[crs] / 2
    ends = (half - half / 12, Fraction(0), -half + half / 20, Fraction(10))
    across = Grid((Fraction(int(ends[0])), ends[1], Fraction(int(ends[2])), ends[3]), 2, 7, crs)
    x0, _, x1, _ = across.ends
    assert across.crosses
    assert "across the antimeridian" in across.box_text
    random = np.random.default_rng(5)
    x = np.concatenate([random.uniform(-180, 180, 3000), random.uniform(160, 180, 500), [180, -180, 179.9999, np.nan]])
    y = np.full(len(x), 0.00001)
    column = np.full(len(x), -1, dtype=np.int64)
    _place(x, y, *across.edges, 0, 7, column)
    first, beyond = across.edges_beyond
    _place(x, y, beyond, across.edges[1], first, 7, column)
    for lon, at in zip(x.tolist(), column.tolist(), strict=True):
        if np.isnan(lon):
            assert at == -1
            continue
        unit = float(half) / 180 * lon
        place = (unit if unit >= float(x0) else unit + float(2 * half)) - float(x0)
        wanted = place / float(x1 - x0) * 7
        assert at == (int(wanted) if wanted < 7 else -1) or abs(wanted - round(wanted)) < 1e-9
    assert (across.holds(x, y) == (column >= 0)).all()
    assert column[-4] == column[-3] >= 0


def test_the_edges_on_both_sides_of_the_antimeridian_are_exact() -> None:
    across = Grid((Fraction(1701, 10), Fraction(0), Fraction(-1699, 10), Fraction(1)), 1, 20, "degrees")
    first, beyond = across.edges_beyond
    assert (first, beyond[0], len(beyond)) == (9, -180, 12)
    for number, edge in enumerate(beyond[1:].tolist(), start=first + 1):
        exact = Fraction(1701, 10) + number - 360
        assert Fraction(edge) >= exact > Fraction(np.nextafter(edge, -np.inf))
    ends_there = Grid((Fraction(170), Fraction(0), Fraction(-180), Fraction(1)), 1, 2, "degrees")
    assert ends_there.holds(np.array([179.9, 180, -180]), np.zeros(3)).tolist() == [True, False, False]
