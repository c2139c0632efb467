"""The public grid: a box in public units, cut into half-open cells whose edges no engine rounds its own way.

An edge is a double. In degrees and in plain units it is the smallest double that is no less than the exact edge x0 + j (x1 - x0)/columns,
so that a coordinate, itself a double, is at or beyond the one where it is at or beyond the other. A point on an edge lies in the cell to
the north or east of it; one on the northern or eastern edge of the box lies outside. But the pole lies in the last row of a box that ends
there, and a longitude of 180 is one of -180 where the box begins there. Whoever counts compares with these doubles and divides
nothing, so that DuckDB, Spark and Python put every point into the same cell.

A box whose western end is the larger one lies across the antimeridian: from 170 to -170 it is 20 degrees wide. Its edges go on beyond 180,
and a point is compared with them, or, west of the antimeridian's other side, with the same edges a turn back, each rounded on its own.

Cells of equal area are rectangles of Lambert's cylindrical projection of a sphere with the earth's surface, in metres: x is the longitude
in radians times R, y is R times the sine of the latitude. Points come in degrees all the same: the edges are taken back to degrees, each
to the nearest double, by interval arithmetic.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf, lcm, nextafter
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import PlanError, Problem
from starling.places.arrays import Float64

Crs: TypeAlias = Literal["degrees", "equal-area", "plain"]
Box: TypeAlias = tuple[Fraction, Fraction, Fraction, Fraction]

NEAR: Final = 2.0**-20
"""Of a cell; map_drawing.js has the same."""
MOST_DENSE: Final = 1 << 26
"""Cells of all slices together that a release holds in memory, at some tens of bytes a cell. A grid of more is sparse: its cells with
points are counted alone, and it is released as boxes."""
MOST_CELLS: Final = 1 << 40
"""Cells of all slices together."""
MOST_SIDE: Final = 1 << 20
"""Rows, or columns."""
RADIUS: Final = Fraction(63_710_072, 10)
"""R: metres, of the sphere with the surface of the WGS 84 ellipsoid."""
EAST: Final = 180
NORTH: Final = 90
TURN: Final = {
    "degrees": Fraction(360),
    # A turn's length to far more digits than a double has.
    "equal-area": 2 * RADIUS * Fraction(3141592653589793238462643383279502884197169399375105820974944, 10**60),
}
"""All the way round, in units of the box."""
UNITS: Final = {"degrees": "degrees of longitude and latitude", "equal-area": "metres of cylindrical equal area"}
"""The units of a box in words, of all but plain ones."""
_BITS: Final = 256


@dataclass(frozen=True)
class Grid:
    """A public grid.

    Attributes:
        box: x0, y0, x1, y1, exact: degrees of longitude and latitude, metres of the equal-area projection, or plain units. Where it lies
            across the antimeridian, x0 is larger than x1.
        crs: The units of the box.
        crs_name: The coordinate reference system of plain units, like "EPSG:2263"; empty for the two others.
    """

    box: Box
    rows: int
    columns: int
    crs: Crs
    crs_name: str = ""

    def __post_init__(self) -> None:
        problems = [Problem(f"grid.{field}", problem, fix) for field, problem, fix in self._problems()]
        if problems:
            raise PlanError(problems=problems)
        if not all((np.diff(edges) > 0).all() for edges in self.edges):
            fix = "take fewer cells, or a box nearer to 0"
            raise PlanError("grid.box", "has cells that are narrower than the distance between two doubles", fix)

    def _problems(self) -> Iterator[tuple[str, str, str]]:
        """Field, problem and fix of all that is wrong."""
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.columns <= MOST_SIDE):
            yield "rows", f"or columns are not from 1 to {MOST_SIDE:,}", "write how many cells a side has"
        elif self.cells > MOST_CELLS:
            yield "rows", f"times columns are beyond {MOST_CELLS:,} cells", "take larger cells"
        elif self.cells == 1:
            yield "rows", "times columns are one cell", "take at least two: one cell has a total alone"
        if (self.crs == "plain") != bool(self.crs_name):
            fix = 'write crs_name = "EPSG:..." beside crs = "plain", and beside nothing else'
            yield "crs_name", "is missing for plain units, or stands beside others", fix
        x0, y0, x1, y1 = self.box
        if x0 == x1 or y0 == y1:
            yield "box", "is empty", "give x0 < x1 and y0 < y1"
        elif y0 > y1 or (x0 > x1 and self.crs == "plain"):
            yield "box", "is reversed", "give x0, y0, x1, y1 with x0 < x1 and y0 < y1"
        if self.crs != "plain":
            # 22/7 is above pi: what it lets through beyond longitude 180 holds no point.
            beyond = (EAST, NORTH) if self.crs == "degrees" else (RADIUS * Fraction(22, 7), RADIUS)
            if max(abs(y0), abs(y1)) > beyond[1]:
                yield "box", "lies beyond latitude 90", "give x0, y0, x1, y1: eastings or longitudes come first"
            if max(abs(x0), abs(x1)) > beyond[0]:
                yield "box", "lies beyond longitude 180", "give longitudes from -180 to 180, or metres of equal area"

    @property
    def box_text(self) -> str:
        """The box in words."""
        x0, y0, x1, y1 = (f"{float(side):z.10g}" for side in self.box)
        across = " across the antimeridian" if self.crosses else ""
        return f"x from {x0} to {x1}{across}, y from {y0} to {y1}, in {UNITS.get(self.crs, self.crs_name)}"

    @property
    def stated(self) -> dict[str, Any]:
        """What privacy.json says of it."""
        box = [str(side) for side in self.box]
        return {"crs": self.crs_name or self.crs, "box": box, "rows": self.rows, "columns": self.columns}

    @property
    def crosses(self) -> bool:
        """Whether the box lies across the antimeridian."""
        return self.box[0] > self.box[2]

    @property
    def across(self) -> int | None:
        """The columns of a box across the antimeridian; None of another."""
        return self.columns if self.crosses else None

    @property
    def ends(self) -> Box:
        """The box with x0 < x1: where it lies across the antimeridian, its eastern end is a turn further."""
        x0, y0, x1, y1 = self.box
        return (x0, y0, x1 + TURN[self.crs], y1) if self.crosses else self.box

    @property
    def shape(self) -> tuple[int, int]:
        """Cells of the grid (rows, columns)."""
        return self.rows, self.columns

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.rows * self.columns

    @property
    def sparse(self) -> bool:
        """Whether there are too many cells to hold a number of each."""
        return self.cells > MOST_DENSE

    @cached_property
    def edges(self) -> tuple[Float64, Float64]:
        """float64 (columns + 1,) and (rows + 1,): the edges in x and in y, ascending, in the units in which points come."""
        x0, y0, x1, y1 = self.ends
        if self.crs == "plain":
            return _edges(x0, x1, self.columns), _edges(y0, y1, self.rows)
        if self.crs == "degrees":
            return _edges(x0, x1, self.columns), _to_pole(_edges(y0, y1, self.rows))
        return _projected(x0, x1, self.columns, _longitude), _to_pole(_projected(y0, y1, self.rows, _latitude))

    @cached_property
    def edges_beyond(self) -> tuple[int, Float64]:
        """Of a box across the antimeridian, the column that holds it, and float64 (columns + 1,): -180 and the edges east of it, of that
        column on; none where no point lies there.
        """
        if not self.crosses or self.box[2] == -TURN[self.crs] / 2:
            return 0, np.empty(0)
        x0, x1 = self.box[0] - TURN[self.crs], self.box[2]
        back = _edges(x0, x1, self.columns) if self.crs == "degrees" else _projected(x0, x1, self.columns, _longitude)
        first = int(np.count_nonzero(back <= -EAST)) - 1
        return first, np.concatenate([[-float(EAST)], back[first + 1 :]])

    def turned(self, x: Float64) -> Float64:
        """float64 (points,): longitudes, of which 180 is -180 where the box begins there; plain units as they are."""
        if self.crs == "plain" or self.edges[0][0] != -EAST:
            return x
        return np.where(x == EAST, -float(EAST), x)

    def holds(self, x: Float64, y: Float64) -> npt.NDArray[np.bool_]:
        """bool (points,): whether points lie in the box."""
        (x_edges, y_edges), (_, beyond), x = self.edges, self.edges_beyond, self.turned(x)
        across = (x >= x_edges[0]) & (x < x_edges[-1])
        if len(beyond):
            across |= (x >= beyond[0]) & (x < beyond[-1])
        return np.asarray(across & (y >= y_edges[0]) & (y < y_edges[-1]))

    def in_cells(self, rectangles: npt.ArrayLike) -> Float64:
        """Rectangles in units of the box as rectangles in cells, with fractions; both float64 (rectangles, 4): x0, y0, x1, y1. An end
        within `NEAR` of a border of cells is on it: doubles of decimals are off by less, and would cut boxes that the rectangle holds.
        """
        x0, y0, x1, y1 = self.ends
        points = np.asarray(rectangles, dtype=np.float64)
        origin = np.array([float(x0), float(y0)] * 2)
        per_unit = np.array([float(self.columns / (x1 - x0)), float(self.rows / (y1 - y0))] * 2)
        cells = (points - origin) * per_unit
        borders = np.rint(cells)
        return np.asarray(np.where(np.abs(cells - borders) < NEAR, borders, cells))


def _to_pole(edges: Float64) -> Float64:
    """Edges whose last row holds the northern pole, if they end there."""
    if edges[-1] != NORTH:
        return edges
    closed = edges.copy()
    closed[-1] = nextafter(NORTH, inf)
    return closed


@lru_cache(maxsize=4)
def _edges(first: Fraction, last: Fraction, cells: int) -> Float64:
    """float64 (cells + 1,): the smallest doubles that are no less than the edges, by integers over one denominator.

    >>> low, middle, high = _edges(Fraction(1, 10), Fraction(3, 10), 2).tolist()
    >>> low == 0.1, Fraction(0.1) > Fraction(1, 10), high > 0.3, Fraction(0.3) < Fraction(3, 10)
    (True, True, True, True)
    """
    below = lcm(first.denominator, last.denominator) * cells
    begin, step = int(first * below), int((last - first) * below / cells)
    edges = np.empty(cells + 1)
    for at in range(cells + 1):
        above = begin + at * step
        nearest = above / below  # Python divides integers to the nearest double.
        top, bottom = nearest.as_integer_ratio()
        edges[at] = nearest if top * below >= above * bottom else nextafter(nearest, inf)
    edges.flags.writeable = False
    return edges


@lru_cache(maxsize=4)
def _projected(first: Fraction, last: Fraction, cells: int, degrees: Callable[[Fraction], float]) -> Float64:
    """float64 (cells + 1,): the edges of cells of equal area, taken back to degrees."""
    width = (last - first) / cells
    edges = np.array([degrees(first + at * width) for at in range(cells + 1)])
    edges.flags.writeable = False
    return edges


def _longitude(metres: Fraction) -> float:
    return _nearest(lambda flint: _arb(flint, metres / RADIUS * EAST) / flint.arb.pi())


def _latitude(metres: Fraction) -> float:
    return _nearest(lambda flint: _arb(flint, metres / RADIUS).asin() * EAST / flint.arb.pi())


def _arb(flint: Any, exact: Fraction) -> Any:
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def _nearest(value: Any) -> float:
    """The double nearest to a number of interval arithmetic."""
    import flint

    before, flint.ctx.prec = flint.ctx.prec, _BITS
    try:
        return float(value(flint).mid())
    finally:
        flint.ctx.prec = before
