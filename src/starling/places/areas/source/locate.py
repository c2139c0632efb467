"""Which area each of many points lies in: by a public raster where that settles it, and by shapely elsewhere; the same areas either way.

Rule. A point lies in an area if it is in it or on its border, by the even-odd rule over all rings; in the first of the file where several
hold it; in none where none does, and where a coordinate is no finite number.

Raster. A box around all areas is cut into cells, and each cell that an edge of any area touches is marked, with room for the rounding of
doubles. An unmarked cell, and any two that share a side, lie wholly inside or outside of each area: on the way from one point of them to
another no border is crossed. So all points of a patch of unmarked cells that are joined by sides lie in the area of one of them, which
shapely is asked for. Points in marked cells are all asked for themselves: STRtree of shapely gives the areas whose boxes
hold a point, and prepared geometries, whose predicates are exact on doubles, say which of them do.
"""

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import shapely

from starling.places.areas.plan.polygons import Areas
from starling.places.arrays import Bool, Float64, Int32
from starling.privacy.compiled import compiled

CELLS: Final = 4096
"""Cells of a side of the raster."""
ROOM: Final = 1e-6
"""Of a cell, by which the cells around an edge are taken to be wider: many times what doubles round."""
BORDER: Final = -2
"""In the raster: a border may go through the cell."""
NONE: Final = -1
BATCH: Final = 1 << 18
"""Points that shapely is asked for at a time, so that memory does not grow with them."""


class Locator:
    """Assigns points to areas.

    Args:
        areas: The public areas.
        cells: Cells of a side of the raster.
    """

    def __init__(self, areas: Areas, cells: int = CELLS) -> None:
        self._geometries = areas.geometries.copy()
        shapely.prepare(self._geometries)
        # Their indexes are made when they are first asked: now, and not by several threads.
        corners, at = shapely.get_coordinates(self._geometries, return_index=True)
        first = corners[np.searchsorted(at, np.arange(len(areas)))]
        shapely.intersects_xy(self._geometries, first[:, 0], first[:, 1])
        self._tree = shapely.STRtree(self._geometries)
        west, south, east, north = shapely.total_bounds(areas.geometries).tolist()
        # A cell more all around, so that what is outside is outside of the raster too.
        self._corner = (west - (east - west) / cells, south - (north - south) / cells)
        self._scale = ((cells - 2) / (east - west), (cells - 2) / (north - south))
        self._raster = self._rastered(areas, cells)

    def _rastered(self, areas: Areas, cells: int) -> Int32:
        """int32 (cells, cells): the area of all points of a cell, NONE or BORDER; row 0 in the south."""
        # Of records that name areas by their ids nobody asks for it, and it is slow to import.
        from scipy import ndimage

        rings = shapely.get_rings(shapely.get_parts(areas.geometries))
        corners, ring = shapely.get_coordinates(rings, return_index=True)
        marked = np.zeros((cells, cells), dtype=np.bool_)
        _mark((corners - self._corner) * self._scale, ring, marked)
        patches, many = ndimage.label(~marked)
        first = np.full(many + 1, -1, dtype=np.int64)
        # The first cell of each patch, since the last that is written stays.
        first[patches.reshape(-1)[::-1]] = np.arange(cells * cells - 1, -1, -1)
        row, column = np.divmod(first[1:], cells)
        middles = np.stack([column, row], axis=1) + 0.5
        waiting = middles / self._scale + self._corner
        of_patch = np.concatenate([[BORDER], self.ask(waiting[:, 0], waiting[:, 1])]).astype(np.int32)
        return np.ascontiguousarray(of_patch[patches])

    def assign(self, x: Float64, y: Float64) -> Int32:
        """int32 (points,): the area of each point, float64 (points,) each; -1 for none."""
        areas = np.empty(len(x), dtype=np.int32)
        _look_up(x, y, *self._corner, *self._scale, self._raster, areas)
        waiting = np.flatnonzero(areas == BORDER)
        for first in range(0, len(waiting), BATCH):
            some = waiting[first : first + BATCH]
            areas[some] = self.ask(x[some], y[some])
        return areas

    def ask(self, x: Float64, y: Float64) -> Int32:
        """What `assign` gives, by shapely alone; coordinates are finite."""
        areas = np.full(len(x), np.iinfo(np.int32).max, dtype=np.int32)
        point, area = self._tree.query(shapely.points(x, y))
        inside = shapely.intersects_xy(self._geometries[area], x[point], y[point])
        np.minimum.at(areas, point[inside], area[inside].astype(np.int32))
        areas[areas == np.iinfo(np.int32).max] = NONE
        return areas


@lru_cache(maxsize=4)
def locator_of(areas: Areas) -> Locator:
    """The locator of some areas, made once in a process."""
    return Locator(areas)


@compiled
def _mark(corners: Float64, ring: npt.NDArray[np.intp], marked: Bool) -> None:
    """Mark the cells that the edges of rings touch, from corners in units of cells: column by column, those between the ends of an edge."""
    side = marked.shape[0]
    for at in range(1, len(corners)):
        if ring[at] != ring[at - 1]:
            continue
        x0, y0 = corners[at - 1, 0], corners[at - 1, 1]
        x1, y1 = corners[at, 0], corners[at, 1]
        if x0 > x1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        first, last = int(np.floor(x0 - ROOM)), int(np.floor(x1 + ROOM))
        for column in range(max(first, 0), min(last, side - 1) + 1):
            low, high = min(y0, y1), max(y0, y1)
            if x1 - x0 > ROOM:
                slope = (y1 - y0) / (x1 - x0)
                begin = y0 + slope * (max(column - ROOM, x0) - x0)
                end = y0 + slope * (min(column + 1 + ROOM, x1) - x0)
                low, high = max(low, min(begin, end)), min(high, max(begin, end))
            for row in range(max(int(np.floor(low - ROOM)), 0), min(int(np.floor(high + ROOM)), side - 1) + 1):
                marked[row, column] = True


@compiled
def _look_up(
    x: Float64, y: Float64, west: float, south: float, wide: float, high: float, raster: Int32, out: Int32
) -> None:
    side = raster.shape[0]
    for at in range(len(x)):
        column, row = (x[at] - west) * wide, (y[at] - south) * high
        # Comparisons with what is no number are false.
        if 0 <= column < side and 0 <= row < side:
            out[at] = raster[int(row), int(column)]
        else:
            out[at] = NONE
