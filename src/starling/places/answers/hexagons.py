"""H3 cells as regions of a grid, and those of a resolution that touch a box.

An H3 cell is taken for the polygon of its corners, straight between them in longitude and latitude. Neighbours share corners, so the cells
of a resolution tile the map: no point is counted twice or left out. Their true edges are arcs of great circles; at resolution 4 and finer
an arc leaves its straight edge by less than a thousandth of the cell's width, up to 60 degrees of latitude. The package h3 comes with
the extra `h3`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from types import ModuleType
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.distribution import install
from starling.errors import ParameterError
from starling.places.answers.regions import Region, meeting
from starling.places.arrays import Float64

Projection: TypeAlias = Callable[[Float64], Float64]
"""From float64 (points, 2), longitude and latitude in degrees, to other units."""

FINEST: Final = 15
MOST_CELLS: Final = 1_000_000
"""H3 cells of one table."""
_WIDE: Final = 60.0
"""Degrees of a box that is given to h3 at once: it takes a polygon wider than half the globe for its other side."""


def library(field: str = "hexagons", problem: str = "need the extra h3") -> ModuleType:
    """The package h3; raises ParameterError, at a field, where it is not installed."""
    try:
        import h3
    except ImportError:
        raise ParameterError(field, problem, install("h3")) from None
    return h3  # type: ignore[no-any-return]


def hexagon_regions(cells: Sequence[str], project: Projection, across: int | None = None) -> list[Region]:
    """The polygons of H3 cells, by their ids as h3 writes them: 15 hexadecimal digits. `across` is how many columns a grid has that lies
    across the antimeridian, None of another. Raises ParameterError for an id that is none, or h3 is not installed.
    """
    rings = hexagon_rings(cells, project, across)
    regions: list[Region] = [[] for _ in cells]
    for cell, begin, end in zip(rings.cells.tolist(), rings.ends[:-1].tolist(), rings.ends[1:].tolist(), strict=True):
        regions[cell] = [*regions[cell], [rings.corners[begin:end]]]
    return regions


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Rings of H3 cells, one after the other.

    Attributes:
        corners: float64 (corners, 2) of x and y.
        ends: Where each ring begins, and the last one ends: int64 (rings + 1,).
        cells: The place of the H3 cell of each ring; one that crosses the antimeridian has two.
    """

    corners: Float64
    ends: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]


def hexagon_rings(cells: Sequence[str], project: Projection, across: int | None = None) -> Rings:
    """The rings of H3 cells; arguments and what is raised are as of `hexagon_regions`."""
    h3 = library()
    for number, cell in enumerate(cells, start=1):
        if not h3.is_valid_cell(cell):
            raise ParameterError(f"hexagon {number}", "is no H3 cell", "give an id such as 872a1072bffffff")
    resolutions = set(map(h3.get_resolution, cells))
    poles = {h3.latlng_to_cell(pole, 0.0, each): pole for each in resolutions for pole in (90.0, -90.0)}
    rings = [(at, ring) for at, cell in enumerate(cells) for ring in _rings(h3, cell, poles.get(cell))]
    if across is not None:
        # The first ring of each, as often as it meets the grid.
        first = [_rings(h3, cell, poles.get(cell))[0] for cell in cells]
        rings = [(at, each[0]) for at, ring in enumerate(first) for each in meeting([ring], project, 360.0, across)]
    corners = np.concatenate([ring for _, ring in rings]) if rings else np.zeros((0, 2))
    ends = np.cumsum([0, *(len(ring) for _, ring in rings)], dtype=np.int64)
    return Rings(project(corners), ends, np.array([at for at, _ in rings], dtype=np.int64))


def _rings(h3: ModuleType, cell: str, pole: float | None) -> list[Float64]:
    """Longitude and latitude of the corners; once more, a turn further, where it crosses the antimeridian."""
    ring = np.array(h3.cell_to_boundary(cell), dtype=np.float64)[:, ::-1]
    if pole is not None:
        # All that lies between its corners and the pole.
        ring = ring[np.argsort(ring[:, 0])]
        along = np.interp(180.0, [ring[-1, 0], ring[0, 0] + 360], [ring[-1, 1], ring[0, 1]])
        return [np.array([[-180, pole], [-180, along], *ring.tolist(), [180, along], [180, pole]])]
    if np.ptp(ring[:, 0]) <= 180:
        return [ring]
    ring[ring[:, 0] < 0, 0] += 360
    return [ring, ring - (360.0, 0.0)]


def touching(box: tuple[float, float, float, float], resolution: int) -> list[str]:
    """The H3 cells of a resolution, 0 to 15, that share area with a box (west, south, east and north end in degrees), sorted. Raises
    ParameterError for another resolution, more than a million cells, or h3 is not installed.
    """
    h3 = library()
    if not 0 <= resolution <= FINEST:
        raise ParameterError("resolution", f"is not in 0 to {FINEST}", "give one of H3's")
    west, south, east, north = box
    earth = h3.get_num_cells(resolution)
    part = (east - west) / 360 * (np.sin(np.radians(north)) - np.sin(np.radians(south))) / 2
    if part * earth > MOST_CELLS:
        raise ParameterError("resolution", f"has more than {MOST_CELLS:,} cells in the box", "give a coarser one")
    cells_near: set[str] = set()
    across, up = (np.linspace(a, b, ceil((b - a) / _WIDE) + 1) for a, b in ((west, east), (south, north)))
    if west < 180 < east:
        across = np.unique([*across, 180.0])
    pieces = [(a - 360, b - 360) if a >= 180 else (a, b) for a, b in pairwise(across)]
    for x0, x1 in pieces:
        for y0, y1 in pairwise(up):
            corners = [(y0, x0), (y0, x1), (y1, x1), (y1, x0)]
            cells_near.update(h3.polygon_to_cells_experimental(h3.LatLngPoly(corners), resolution, contain="overlap"))
    return sorted(cells_near)
