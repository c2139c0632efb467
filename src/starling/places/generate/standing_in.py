"""Invented points that stand in for those of a plan: in its columns, slices and box, with the plan under a title that says so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.places.answers.hexagons import library
from starling.places.arrays import Float64
from starling.places.plan import Plan
from starling.places.plan.grid import EAST, Grid
from starling.places.plan.points import PlanOfPoints
from starling.places.plan.records import PlanOfRecords
from starling.planfile.invented import NOTE, PLAN, SEED, write_note, write_titled
from starling.planfile.values import toml_of, write_new
from starling.release.described import Generated

NUMBER: Final = 20_000
"""Records that are invented where the plan expects none."""
MOST: Final = 100_000
"""And at most, whatever it expects."""
CENTRES: Final = 8
WIDTHS: Final = (0.01, 0.1)
"""Least and greatest deviation of the points around a centre, as parts of the sides of the box."""
EVERYWHERE: Final = 0.2
"""The part of the points that lie anywhere in the box."""
ALIKE: Final = 5
"""Points of one invented person, on average, where a person may bring that many."""
CELL: Final = 10
"""The resolution of H3 cells: some 15,000 square metres."""
RECORDS: Final = "records.parquet"


class Expecting(Protocol):
    """A plan that may say how many records there are, publicly."""

    @property
    def expected(self) -> int | None:
        """Publicly expected number of records."""


@dataclass(frozen=True, slots=True)
class Invention:
    """How records of a kind of plan are invented.

    Attributes:
        records: So many records of a plan, by a public seed.
        notice: What stands beside them.
        unit: What they are.
        file: What their file is called.
    """

    records: Callable[[Any, int, int], pa.Table]
    notice: str
    unit: str = "points"
    file: str = RECORDS

    def write_for(self, plan: Expecting, out: Path, *, seed: int, many: int | None = None) -> Generated:
        """Write invented records of a plan, with a note, into a new folder, as `Plan.generate` says."""
        for name, number in (("seed", seed), ("points", many or 0)):
            if number < 0:
                raise ParameterError(name, "is below 0", "give a number of 0 or more")
        return self.write(self.records(plan, number_of(plan) if many is None else many, seed), out, {"seed": seed})

    def write(
        self, table: pa.Table, out: Path, note: Mapping[str, int], plan: Mapping[str, Any] | None = None
    ) -> Generated:
        """Write invented records with a note, and a plan of their own if they have one, into a new folder. Raises OutputError where the
        folder exists or cannot be made.
        """
        sizes = {self.unit: len(table)}
        with new_folder(out) as folder:
            pq.write_table(table, folder / self.file, compression="zstd")
            if plan is not None:
                write_new(folder / PLAN, toml_of(plan))
            write_note(folder, self.notice, {**sizes, **note})
        return Generated({"records": out / self.file}, out / NOTE, sizes, None if plan is None else out / PLAN)

    def stand_in(self, path: Path, plan: Any, folder: Path) -> tuple[Path, Path]:
        """Invented records of a plan, with the plan itself, in an empty folder: the plan file, and the records. Raises ParameterError where
        records name cells of H3, and the extra h3 is missing, and OutputError or OSError where the folder cannot be written.
        """
        written = self.plan_file(path, plan, folder)
        pq.write_table(self.records(plan, number_of(plan), SEED), folder / RECORDS, compression="zstd")
        return written, folder / RECORDS

    def plan_file(self, path: Path, plan: Any, folder: Path) -> Path:  # noqa: ARG002 - of those with further files
        """Write the plan of the records, with the public files that it names."""
        return write_titled(path, folder)


class InventsPoints:
    """A plan of a session, of which points are invented."""

    expected: int | None
    _invention: ClassVar[Invention]

    def generate(self, out: str | Path, *, points: int | None = None, seed: int = 1) -> Generated:
        """Invent points of the plan, to try everything with. They describe nobody.

        Args:
            out: Folder to make; must not exist.
            points: How many; by default as many as the plan expects, at most 100,000, or 20,000 where it expects none.
            seed: Public: the same gives the same points.

        Raises:
            ParameterError: a number is below 0; or records name cells of H3, and the extra h3 is missing.
            OutputError: the folder exists or cannot be made.
        """
        return self._invention.write_for(self, Path(out).absolute(), seed=seed, many=points)


class InventsTrips:
    """A plan of a session, of which trips are invented."""

    expected: int | None
    _invention: ClassVar[Invention]

    def generate(self, out: str | Path, *, trips: int | None = None, seed: int = 1) -> Generated:
        """Invent trips of the plan, to try everything with. They describe nobody.

        Args:
            out: Folder to make; must not exist.
            trips: How many; by default as many as the plan expects, at most 100,000, or 20,000 where it expects none.
            seed: Public: the same gives the same trips.

        Raises:
            ParameterError: a number is below 0.
            OutputError: the folder exists or cannot be made.
        """
        return self._invention.write_for(self, Path(out).absolute(), seed=seed, many=trips)


def number_of(plan: Expecting) -> int:
    """How many records are invented for a plan where nobody says."""
    return NUMBER if plan.expected is None else min(plan.expected, MOST)


def records(plan: Plan, points: int, seed: int = SEED) -> pa.Table:
    """So many invented points by a public seed, in the columns that the plan reads; all lie in its box and its slices."""
    random = np.random.default_rng(seed)
    x, y = points_in(plan.grid, random, points)
    columns = {**columns_of_points(plan, x, y), **columns_of_units(plan, random, points)}
    return pa.table({**columns, **column_of_value(plan, random, points)})


def column_of_value(plan: PlanOfPoints, random: np.random.Generator, points: int) -> dict[str, pa.Array]:
    """The column that a plan sums, if it sums one, of so many points: any value within its bounds."""
    if plan.value is None:
        return {}
    return {plan.columns.value: pa.array(random.integers(plan.value.lower, plan.value.upper + 1, points))}


def points_in(grid: Grid, random: np.random.Generator, points: int) -> tuple[Float64, Float64]:
    """float64 (points,) and float64 (points,): x and y of so many invented points of a grid, as records have them; most are near a few
    centres.
    """
    x, y = (_coordinates(edges, share) for edges, share in zip(grid.edges, _shares(random, points), strict=True))
    return np.where(x >= EAST, x - 2 * EAST, x) if grid.crosses else x, y


def columns_of_points(plan: PlanOfPoints, x: Float64, y: Float64) -> dict[str, pa.Array]:
    """The columns that say where points lie, in the form that a plan reads."""
    named = plan.columns
    if named.x:
        return {named.x: pa.array(x), named.y: pa.array(y)}
    return {named.geometry: _geometry(x, y)} if named.geometry else {named.h3: _cells(x, y)}


def columns_of_units(plan: PlanOfRecords, random: np.random.Generator, points: int) -> dict[str, pa.Array]:
    """The columns of slices and persons that a plan reads, of so many points."""
    named, columns = plan.columns, {}
    if named.time:
        columns[named.time] = _times(plan, random, points)
    if plan.slices is not None and named.category:
        columns[named.category] = pa.array(plan.slices.categories).take(
            pa.array(random.integers(0, len(plan.slices.categories), points))
        )
    if named.person:
        persons = max(1, points // min(ALIKE, plan.most))
        columns[named.person] = pa.array(random.integers(0, persons, points)).cast(pa.string())
    return columns


def _shares(random: np.random.Generator, points: int) -> Float64:
    """float64 (2, points): how far right and up in the box each point lies, from 0 to less than 1; most are near a centre."""
    centres, widths = random.uniform(0.1, 0.9, (2, CENTRES)), random.uniform(*WIDTHS, CENTRES)
    near = random.choice(CENTRES, points, p=random.dirichlet(np.ones(CENTRES)))
    shares: Float64 = centres[:, near] + widths[near] * random.standard_normal((2, points))
    anywhere = (random.uniform(0, 1, points) < EVERYWHERE) | ((shares < 0) | (shares >= 1)).any(axis=0)
    spread: Float64 = np.where(anywhere, random.uniform(0, 1, (2, points)), shares)
    return spread


def _coordinates(edges: Float64, shares: Float64) -> Float64:
    """Coordinates in the units in which points come, at so many shares of the cells of a side."""
    at = shares * (len(edges) - 1)
    cell = np.minimum(at.astype(np.int64), len(edges) - 2)
    inside = edges[cell] + (at - cell) * (edges[cell + 1] - edges[cell])
    # What is rounded up to the next edge lies in the next cell; of the last one, outside.
    return np.asarray(np.minimum(inside, np.nextafter(edges[cell + 1], -np.inf)))


def _geometry(x: Float64, y: Float64) -> pa.Array:
    """Points as WKB: byte order, type 1, x and y, all little-endian."""
    wkb = np.empty(len(x), dtype=np.dtype([("order", "u1"), ("type", "<u4"), ("x", "<f8"), ("y", "<f8")]))
    wkb["order"], wkb["type"], wkb["x"], wkb["y"] = 1, 1, x, y
    offsets: npt.NDArray[np.int32] = np.arange(len(x) + 1, dtype=np.int32) * wkb.itemsize
    return pa.Array.from_buffers(pa.binary(), len(x), [None, pa.py_buffer(offsets), pa.py_buffer(wkb.tobytes())])


def _cells(x: Float64, y: Float64) -> pa.Array:
    """Cells of H3, as texts; a centre may lie outside the box, and such a point is dropped as any."""
    cell = library("input.h3", "needs the extra h3").latlng_to_cell
    return pa.array([cell(north, east, CELL) for east, north in zip(x.tolist(), y.tolist(), strict=True)])


def _times(plan: PlanOfRecords, random: np.random.Generator, points: int) -> pa.Array:
    """A time or a name of each point, of slices that are all as likely."""
    assert plan.slices is not None
    at = random.integers(0, len(plan.slices.names), points)
    if plan.slices.bounds is None:
        return pa.array(plan.slices.names).take(pa.array(at))
    bounds = np.array(plan.slices.bounds)
    return pa.array(random.integers(bounds[at], bounds[at + 1])).cast(pa.timestamp("us"))
