"""A raster that settles most points gives what shapely gives for every point, on borders, corners and shapes of all kinds."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from starling.places.areas.plan.polygons import Areas
from starling.places.areas.source.locate import Locator
from tests.places.areas.worlds import areas_of_shapes, hard_shapes

HARD = areas_of_shapes(hard_shapes())


def one_by_one(areas: Areas, x: np.ndarray, y: np.ndarray) -> list[int]:
    """The first area that holds each point or has it on its border, by shapely's predicate on one pair at a time."""
    return [
        next((at for at, each in enumerate(areas.geometries) if shapely.Point(*point).intersects(each)), -1)
        for point in zip(x.tolist(), y.tolist(), strict=True)
    ]


def points_of(areas: Areas, seed: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    """Points anywhere, on corners, on edges, and a rounding beside them."""
    random = np.random.default_rng(seed)
    west, south, east, north = shapely.total_bounds(areas.geometries)
    anywhere = random.uniform((west - 1, south - 1), (east + 1, north + 1), (many, 2))
    corners = random.permutation(shapely.get_coordinates(areas.geometries))[:many]
    edges = (corners[:-1] + corners[1:]) / 2
    quarters = np.round(random.uniform((west, south), (east, north), (many, 2)) * 4) / 4
    beside = np.nextafter(quarters, random.choice([-9.0, 9.0], quarters.shape))
    x, y = np.concatenate([anywhere, corners, edges, quarters, beside]).T
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


@pytest.mark.parametrize("cells", [4, 64, 512])
def test_raster_and_shapely_give_equal_areas(cells: int) -> None:
    x, y = points_of(HARD, cells, 150)
    assert Locator(HARD, cells).assign(x, y).tolist() == one_by_one(HARD, x, y)


@pytest.mark.examples(20)
@given(st.integers(0, 2**32 - 1))
def test_random_triangles_are_placed_as_one_by_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners = random.integers(0, 9, (5, 3, 2)) + np.array([[0, 0], [9, 0], [0, 9]])
    # A plan refuses polygons without an area.
    triangles = [shapely.Polygon(each) for each in corners.tolist()]
    areas = areas_of_shapes([each for each in triangles if each.area] + [shapely.box(3, 3, 5, 5)] * 2)
    x, y = points_of(areas, seed, 20)
    assert Locator(areas, 32).assign(x, y).tolist() == one_by_one(areas, x, y)


def test_a_cell_that_an_edge_only_grazes_is_left_to_shapely() -> None:
    """A mutant: without the marks along edges, points beside a border would get the area of the middle of their cell."""
    areas = areas_of_shapes([shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)])
    x = np.array([0.9999, 1.0, 1.0001, 2.0, 2.0001])
    y = np.full(5, 0.5)
    locator = Locator(areas, 16)
    assert locator.assign(x, y).tolist() == [0, 0, 1, 1, -1]
    locator._raster[locator._raster == -2] = 0
    assert locator.assign(x, y).tolist() != [0, 0, 1, 1, -1]


def test_what_is_no_place_lies_in_no_area() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.5, 1e300])
    y = np.array([0.5, 0.5, 0.5, np.nan, -1e300])
    assert Locator(HARD, 64).assign(x, y).tolist() == [-1] * 5
