"""Regions: exact shares of cells, counts by them, sure intervals of any shape."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.regions import cell_shares, count_regions, region_of, regions_of, sum_rings
from starling.places.answers.sure import Surety
from starling.places.arrays import Float64, Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.singular import of_cells
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.places.answers.trees import measured_trees

SHAPE = (5, 6)
GRID = CumulativeGrid(np.arange(30.0).reshape(SHAPE))
SQUARE = np.array([[1.0, 1], [4, 1], [4, 3], [1, 3]])
HOLE = np.array([[2.0, 1.5], [3, 1.5], [3, 2.5], [2, 2.5]])


def dense(region: list[list[Float64]], shape: tuple[int, int] = SHAPE) -> Float64:
    result = cell_shares(region, shape)
    whole = np.zeros(shape)
    rows, columns = result.share.shape
    whole[result.row : result.row + rows, result.column : result.column + columns] = result.share
    return whole


@st.composite
def stars(draw: st.DrawFn) -> Float64:
    """The corners of a simple polygon around a centre, some on edges of cells, clockwise or not, some beyond the grid."""
    many = draw(st.integers(3, 9))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    turns = np.sort(random.uniform(0, 2 * np.pi, many))
    ring = random.uniform(-2, 8, 2) + random.uniform(0.2, 6, (many, 1)) * np.stack(
        [np.cos(turns), np.sin(turns)], axis=1
    )
    ring = np.round(ring) if draw(st.booleans()) else ring
    corners: Float64 = ring[::-1].copy() if draw(st.booleans()) else ring
    return corners


@pytest.mark.examples(30)
@given(ring=stars())
def test_shares_are_the_areas_of_intersections(ring: Float64) -> None:
    shapely = pytest.importorskip("shapely", reason="the extra `test` installs it")
    polygon = shapely.Polygon(ring)
    assume(polygon.is_valid and polygon.area > 0)
    cells = [[shapely.box(x, y, x + 1, y + 1) for x in range(SHAPE[1])] for y in range(SHAPE[0])]
    areas = shapely.area(shapely.intersection(polygon, np.array(cells)))
    assert dense([[ring]]) == pytest.approx(areas, abs=1e-8)
    west, south, east, north = polygon.bounds
    assert cell_shares([[ring]], SHAPE).clipped == (west < 0 or south < 0 or east > SHAPE[1] or north > SHAPE[0])


@pytest.mark.slow
@pytest.mark.examples(30)
@given(rings=st.lists(stars(), max_size=4))
def test_rings_one_after_the_other_are_counted_as_regions_are(rings: list[Float64]) -> None:
    shapely = pytest.importorskip("shapely", reason="the extra `test` installs it")
    polygons = [shapely.Polygon(ring) for ring in rings]
    assume(all(polygon.is_valid and polygon.area > 0 for polygon in polygons))
    points, within, whole = np.zeros((3, len(rings)))
    corners = np.concatenate([np.zeros((0, 2)), *rings])
    sum_rings(corners, np.cumsum([0, *map(len, rings)]), GRID.grid, points, within, whole)
    shares = [cell_shares([[ring]], SHAPE) for ring in rings]
    assert points == pytest.approx([each.of(GRID.grid) for each in shares], abs=1e-6)
    assert within == pytest.approx([each.share.sum() for each in shares], abs=1e-7)
    assert whole == pytest.approx([polygon.area for polygon in polygons], abs=1e-8)


def test_holes_and_several_polygons() -> None:
    assert dense([[SQUARE]]).sum() == pytest.approx(6)
    assert dense([[SQUARE, HOLE]])[1:3, 1:4].tolist() == [[1, 0.5, 1], [1, 0.5, 1]]
    assert dense([[SQUARE, HOLE], [HOLE[::-1]]]) == pytest.approx(dense([[SQUARE]]))
    assert count_regions(GRID, [[[SQUARE]], [[SQUARE, HOLE]], []]).counts == pytest.approx([66, 55, 0])


def test_a_rectangle_is_the_region_of_its_corners() -> None:
    query = np.array([[0.25, 1.5, 4.75, 3.125], [-2, -2, 9, 9], [2, 2, 3, 3]])
    regions = [[[np.array([[a, b], [c, b], [c, d], [a, d]])]] for a, b, c, d in query.tolist()]
    rectangles, result = GRID.count(query), count_regions(GRID, regions)
    assert result.counts == pytest.approx(rectangles.counts)
    assert result.clipped.tolist() == rectangles.clipped.tolist() == [False, True, False]


def test_a_region_beyond_the_grid_has_no_points() -> None:
    for shift in ((20.0, 0.0), (-20, 0), (0, 20), (0, -20), (20, 20)):
        result = count_regions(GRID, [[[SQUARE + shift]]])
        assert (result.counts.tolist(), result.clipped.tolist()) == ([0.0], [True])


@pytest.mark.examples(30)
@given(
    case=measured_trees(fresh_leaves=True), corner=st.tuples(st.floats(0, 8), st.floats(0, 8)), size=st.floats(0.01, 9)
)
def test_sure_intervals_of_a_rectangle_are_those_of_its_region(
    case: tuple[Int64, MeasuredTree], corner: tuple[float, float], size: float
) -> None:
    _, measured = case
    x, y = (round(each, 2) for each in corner)
    x1, y1 = round(x + size, 2), round(y + size, 2)
    assume(x1 > x and y1 > y)
    surety = Surety([measured])
    one = surety.of(np.array([[x, y, x1, y1]]))
    other = surety.of_regions([[[np.array([[x, y], [x1, y], [x1, y1], [x, y1]])]]])
    assert [one.lower[0], one.upper[0], one.cut[0]] == [other.lower[0], other.upper[0], other.cut[0]]


def test_a_triangle_touches_what_it_cuts_and_holds_what_lies_within() -> None:
    measured = of_cells((4, 4), np.ones(16, dtype=np.int64), DiscreteLaplace(Fraction(1, 1000)))
    result = Surety([measured]).of_regions([[[np.array([[0.0, 0], [4, 0], [0, 4]])]], []])
    assert (result.lower.tolist(), result.upper.tolist(), result.cut.tolist()) == ([6, 0], [10, 0], [4, 0])


@pytest.mark.parametrize(
    "region",
    [
        pytest.param([[np.array([[0.0, 0], [2, 2], [2, 0], [0, 2]])]], id="a figure of eight"),
        pytest.param([[SQUARE], [SQUARE]], id="a polygon twice"),
        pytest.param([[HOLE, SQUARE]], id="a hole around its polygon"),
        pytest.param([[SQUARE[:2]]], id="two corners"),
        pytest.param([[np.array([[0.0, 0], [np.nan, 2], [2, 0]])]], id="not a number"),
        pytest.param([[np.array([0.0, 0, 2])]], id="no corners"),
    ],
)
def test_what_is_no_region_is_refused(region: list[list[Float64]]) -> None:
    with pytest.raises(ParameterError, match="region"):
        cell_shares(region, SHAPE)


def test_regions_of_geojson() -> None:
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    high = [[*each, 7] for each in square]
    one = region_of({"type": "Polygon", "coordinates": [square]})
    many = region_of({"type": "MultiPolygon", "coordinates": [[high], [square]]})
    assert [[ring.tolist() for ring in polygon] for polygon in one] == [[square]]
    assert [[ring.tolist() for ring in polygon] for polygon in many] == [[square], [square]]
    for bad in (
        {"type": "Point", "coordinates": [0, 0]},
        {"type": "Polygon"},
        {"type": "Polygon", "coordinates": [[0, 1]]},
        {"type": "Polygon", "coordinates": [[["x", "y"]]]},
        {},
    ):
        with pytest.raises(ParameterError, match="is no polygon"):
            region_of(bad)


def test_every_region_that_cannot_be_counted_is_named() -> None:
    bowtie = [np.array([[0, 0], [4, 4], [4, 0], [0, 4]])]
    with pytest.raises(ParameterError) as refused:
        count_regions(GRID, [[[SQUARE]], [bowtie], [[SQUARE]], [[SQUARE[:2]]]])
    assert [each.field for each in refused.value.problems] == ["polygon 2", "polygon 4"]
    with pytest.raises(ParameterError, match="polygon 2 is no polygon"):
        regions_of([{"type": "Polygon", "coordinates": [SQUARE.tolist()]}, {"type": "Point", "coordinates": [1, 2]}])
