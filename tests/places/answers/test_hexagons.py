"""H3 cells on a grid: they tile it, over the antimeridian and at the poles too."""

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers import hexagons
from starling.places.answers.hexagons import Projection, hexagon_regions, touching
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.regions import count_regions
from starling.places.arrays import Float64

h3 = pytest.importorskip("h3", reason="the extra `test` installs it")

BOXES = {
    "a city": ((-74.3, 40.5, -73.7, 41.0), 6),
    "the world": ((-180.0, -90.0, 180.0, 90.0), 1),
    "the far north": ((-180.0, 60.0, 180.0, 90.0), 2),
    "beside the antimeridian": ((170.0, -20.0, 180.0, 10.0), 2),
    "south-west of it": ((-180.0, -30.0, -171.0, 10.0), 3),
}


def projection(box: tuple[float, float, float, float], rows: int, columns: int) -> Projection:
    west, south, east, north = box

    def project(points: Float64) -> Float64:
        result: Float64 = (points - (west, south)) * (columns / (east - west), rows / (north - south))
        return result

    return project


@pytest.mark.parametrize("name", BOXES)
def test_the_cells_that_touch_a_box_tile_it(name: str) -> None:
    box, resolution = BOXES[name]
    grid = CumulativeGrid(np.random.default_rng(1).poisson(5.0, (40, 60)))
    cells = touching(box, resolution)
    counts = count_regions(grid, hexagon_regions(cells, projection(box, 40, 60))).counts
    assert counts.sum() == pytest.approx(grid.grid.sum(), rel=1e-9)
    assert (counts >= 0).all()
    assert cells == sorted(set(cells))


def test_a_cell_has_the_points_around_its_centre() -> None:
    box = (-74.3, 40.5, -73.7, 41.0)
    cells = np.zeros((200, 200))
    cells[100, 100] = 50.0
    centre = h3.latlng_to_cell(40.5 + 100.5 / 400, -74.3 + 0.6 * 100.5 / 200, 6)
    (region,) = hexagon_regions([centre], projection(box, 200, 200))
    assert count_regions(CumulativeGrid(cells), [region]).counts == pytest.approx([50])


def test_arcs_stay_near_the_straight_edges_that_stand_for_them() -> None:
    def unit(place: Float64) -> Float64:
        return np.array([np.cos(place[0]) * np.cos(place[1]), np.cos(place[0]) * np.sin(place[1]), np.sin(place[0])])

    for latitude in (-60, -33, 0.5, 20, 45, 60):
        for longitude in (-120, 10, 100):
            ring = np.array(h3.cell_to_boundary(h3.latlng_to_cell(latitude, longitude, 4)))
            for one, other in zip(ring, np.roll(ring, -1, axis=0), strict=True):
                middle = unit(np.radians(one)) + unit(np.radians(other))
                middle /= np.linalg.norm(middle)
                off = np.degrees([np.arcsin(middle[2]), np.arctan2(middle[1], middle[0])]) - (one + other) / 2
                assert np.abs(off).max() < 0.001 * np.ptp(ring, axis=0).max()


def test_what_is_no_cell_and_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(points: Float64) -> Float64:
        return points

    with pytest.raises(ParameterError, match=r"^hexagon 2 is no H3 cell"):
        hexagon_regions(["861203a6fffffff", "861203a6ffffff"], same)
    for resolution in (-1, 16):
        with pytest.raises(ParameterError, match="is not in 0 to 15"):
            touching((0.0, 0.0, 1.0, 1.0), resolution)
    with pytest.raises(ParameterError, match="more than 1,000,000 cells"):
        touching((-180.0, -90.0, 180.0, 90.0), 7)
    monkeypatch.setitem(__import__("sys").modules, "h3", None)
    with pytest.raises(ParameterError, match=r"install 'starling-dp\[h3\]'"):
        hexagons.hexagon_regions([], same)
