"""A released grid as analysts ask it: units, kinds of queries, sums and differences."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers.coordinates import Units
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.released import ReleasedGrid
from starling.places.answers.sure import Surety
from starling.places.arrays import Int64
from starling.places.artifact.exports import hexagon_table
from starling.places.measurements import MeasuredCoefficients, MeasuredTree
from starling.places.mechanism.singular import of_cells
from starling.places.plan.grid import Grid
from starling.privacy.distributions.discrete import DiscreteLaplace

NOISE = DiscreteLaplace(Fraction(2))
CITY = Grid((Fraction(-80), Fraction(40), Fraction(-74), Fraction(44)), 40, 60, "degrees")
CELLS = np.random.default_rng(8).poisson(4.0, CITY.shape).astype(np.int64)


def measured(cells: Int64) -> MeasuredTree:
    return of_cells((cells.shape[0], cells.shape[1]), cells.reshape(-1), NOISE)


def released(cells: Int64 = CELLS, grid: Grid = CITY) -> ReleasedGrid:
    return ReleasedGrid(grid, cells.astype(np.float64), [(measured(cells), 1)])


def test_rectangles_in_each_unit() -> None:
    inside = released()
    cells = np.array([[5.0, 10, 20, 30.5], [-3, 0, 5, 5]])
    result = inside.count(cells)
    assert result.counts == pytest.approx(CumulativeGrid(CELLS).count(cells).counts)
    assert result.clipped.tolist() == [False, True]
    degrees = cells / 10 + np.array([-80, 40, -80, 40])
    others: tuple[Units, ...] = ("box", "degrees")
    for units in others:
        other = inside.count(degrees, units)
        assert other.counts == pytest.approx(result.counts)
        assert other.clipped.tolist() == [False, True]
    sure = Surety([measured(CELLS)]).of(cells)
    assert result.lower is not None
    assert result.lower.tolist() == sure.lower.tolist()
    wider = inside.count(cells, level=Fraction(999, 1000))
    assert wider.upper is not None
    assert result.upper is not None
    assert (wider.upper > result.upper).all()


def test_counts_without_intervals_are_the_same_and_look_at_no_measurement() -> None:
    inside, cells = released(), np.array([[5.0, 10, 20, 30.5], [-3, 0, 5, 5]])
    plain = inside.count(cells, intervals=False)
    assert "surety" not in vars(inside)
    assert (plain.lower, plain.upper, plain.cut) == (None, None, None)
    assert plain.counts.tolist() == inside.count(cells).counts.tolist()
    assert "surety" in vars(inside)


def test_degrees_on_a_grid_of_equal_area() -> None:
    grid = Grid((Fraction(0), Fraction(0), Fraction(4_000_000), Fraction(4_000_000)), 40, 60, "equal-area")
    inside = released(grid=grid)
    x, y = grid.edges
    result = inside.count(np.array([[x[6], y[4], x[12], y[30]]]), "degrees")
    assert result.counts == pytest.approx([CELLS[4:30, 6:12].sum()])


def test_polygons_and_hexagons() -> None:
    inside = released()
    ring = [[-79.5, 41.0], [-78.0, 41.0], [-78.0, 43.05], [-79.5, 43.05], [-79.5, 41.0]]
    rectangle = inside.count(np.array([[-79.5, 41.0, -78.0, 43.05]]), "degrees")
    result = inside.count_polygons([{"type": "Polygon", "coordinates": [ring]}])
    assert result.counts == pytest.approx(rectangle.counts)
    assert rectangle.upper is not None
    assert result.upper is not None
    assert result.upper == pytest.approx(rectangle.upper)
    h3 = pytest.importorskip("h3", reason="the extra `test` installs it")
    cell = h3.latlng_to_cell(42.0, -77.0, 5)
    hexagon = [[longitude, latitude] for latitude, longitude in h3.cell_to_boundary(cell)]
    as_polygon = inside.count_polygons([{"type": "Polygon", "coordinates": [hexagon]}])
    assert inside.count_hexagons([cell]).counts == pytest.approx(as_polygon.counts)
    in_cells = {"type": "Polygon", "coordinates": [[[5, 10], [20, 10], [20, 30.5]]]}
    assert inside.count_polygons([in_cells], "cells").counts[0] > 0


def test_sums_and_differences() -> None:
    other = CELLS[::-1].copy()
    one, two = released(), released(other)
    query = np.array([[5.0, 10, 20, 30]])
    both, less = one.plus(two).count(query), one.minus(two).count(query)
    assert both.counts == one.count(query).counts + two.count(query).counts
    assert less.counts == one.count(query).counts - two.count(query).counts
    expected = Surety([measured(CELLS), measured(other)], [1, -1]).of(query)
    assert (less.lower, less.upper) == (expected.lower, expected.upper)
    third = one.minus(two).minus(released(CELLS.copy())).count(query)
    assert third.counts == pytest.approx(-two.count(query).counts)
    with pytest.raises(ParameterError, match="share measurements"):
        one.minus(one)
    with pytest.raises(ParameterError, match="share measurements"):
        one.plus(two).minus(two)
    elsewhere = Grid(CITY.box, 20, 30, "degrees")
    with pytest.raises(ParameterError, match="are not the same"):
        one.minus(released(CELLS[:20, :30], elsewhere))


def test_hotspots_of_a_release() -> None:
    cells = CELLS.copy()
    cells[3, 4] = 500
    result = released(cells).hotspots(1)
    assert result.boxes.tolist() == [[3, 4, 4, 5]]
    assert np.asarray(result.sure).tolist() == [True]


def test_a_transform_has_answers_without_intervals() -> None:
    coefficients = MeasuredCoefficients(CITY.shape, np.zeros((64, 64), dtype=np.int64), NOISE)
    grid = ReleasedGrid(CITY, CELLS.astype(np.float64), [(coefficients, 1)])
    result = grid.count(np.array([[0.0, 0, 60, 40]]))
    assert (result.counts.tolist(), result.lower, result.upper, result.cut) == ([CELLS.sum()], None, None, None)
    assert grid.hotspots(2).sure is None


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="another shape"):
        ReleasedGrid(CITY, np.zeros((3, 3)), [])
    with pytest.raises(ParameterError, match="rectangles"):
        released().count(np.zeros((2, 3)), "degrees")
    plain = Grid((Fraction(0), Fraction(0), Fraction(6), Fraction(4)), 40, 60, "plain", "EPSG:2263")
    with pytest.raises(ParameterError, match="plain units"):
        released(grid=plain).count(np.zeros((1, 4)), "degrees")
    assert released(grid=plain).count(np.array([[0, 0, 6, 4]]), "box").counts == [CELLS.sum()]


ACROSS = Grid((Fraction(170), Fraction(-20), Fraction(-170), Fraction(0)), 4, 8, "degrees")


def test_across_the_antimeridian_answers_are_those_of_a_grid_that_is_turned() -> None:
    counts = np.random.default_rng(3).uniform(0, 9, (4, 8))
    there = ReleasedGrid(ACROSS, counts, [])
    here = ReleasedGrid(replace(ACROSS, box=(Fraction(-10), Fraction(-20), Fraction(10), Fraction(0))), counts, [])
    asked = [[175, -15, -172, -3], [171, -9, 179, -1], [-179, -9, -178, -1], [181, -9, 182, -1], [100, -30, -100, 9]]
    turned = [[-5, -15, 8, -3], [-9, -9, -1, -1], [1, -9, 2, -1], [1, -9, 2, -1], [-80, -30, 80, 9]]
    assert there.count(asked, "box").counts == pytest.approx(here.count(turned, "degrees").counts)
    assert there.count(asked, "degrees").clipped.tolist() == [False, False, False, False, True]
    east, west = ([[x, -12], [x + 4, -12], [x + 4, -2], [x, -2]] for x in (176, -180))
    cut = {"type": "MultiPolygon", "coordinates": [[east], [west]]}
    uncut = {
        "type": "Polygon",
        "coordinates": [[[x + 360 if x < 0 else x, y] for x, y in [*east[:1], *west[1:3], east[3]]]],
    }
    wanted = here.count([[-4, -12, 4, -2]], "degrees").counts[0]
    assert there.count_polygons([cut, uncut]).counts == pytest.approx([wanted, wanted])
    with pytest.raises(ParameterError, match="rectangle 1 meets the box from both sides"):
        there.count([[-180, -5, 180, 0]], "degrees")


@pytest.mark.slow
def test_hexagons_cover_a_grid_across_the_antimeridian_once() -> None:
    pytest.importorskip("h3", reason="needs the extra h3")
    table = hexagon_table(ACROSS, CumulativeGrid(np.ones((4, 8))), 2)
    assert table["count"].to_numpy().sum() == pytest.approx(32)
    cells = table["h3"].to_pylist()
    answers = ReleasedGrid(ACROSS, np.ones((4, 8)), []).count_hexagons(cells)
    assert answers.counts == pytest.approx(table["count"].to_numpy())
