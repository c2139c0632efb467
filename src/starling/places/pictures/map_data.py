"""What a map shows, and the one file that its script reads (pages/packing.py), from which the browser counts as Starling does."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeGuard

import numpy as np

from starling.pages.packing import packed
from starling.pages.parts import Picture
from starling.places.answers.cover import SIDES, FreshCover
from starling.places.answers.forms import stated
from starling.places.answers.noise_sums import NARROWEST
from starling.places.answers.released import Answers
from starling.places.answers.sure import LEVEL, Surety
from starling.places.arrays import Float64, Int32, Int64
from starling.places.measurements import Measured, MeasuredTree
from starling.places.pictures.experience import WHOLE, Experience
from starling.places.pictures.heat_map import HATCHED, folded, heat_map
from starling.places.plan.grid import RADIUS, Grid
from starling.places.typical.errors import TIMES
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace

MOST_CELLS: Final = 1 << 20
"""Cells of all tables of a page, all slices together; of more, neighbouring cells are added."""
MOST_BOXES: Final = 300_000
"""Measured boxes of which a page gives sure intervals; the command `count` gives them of any number."""
FINEST: Final = 1 / 64
"""Points to which tables of typical errors are rounded, where numbers are not huge."""
KNOWN: Final = 1
BLANK: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class MapSlice:
    """One slice of a release, for its map.

    Attributes:
        name: Its public name; empty where there is one alone.
        grid: float64 (rows, columns): released points of each cell, southern row first; of a sparse grid, of squares of cells.
        boxes: int32 (boxes, 4): the released boxes, as rows and columns of cells.
        counts: float64 (boxes,): their released points.
        measured: The measurements, for sure intervals; None gives none.
        experience: Typical errors and hotspots with chances; None shows neither.
        squares: int32 (squares, 4): large squares of cells, as boxes.
        answers: How many points each of them has.
    """

    name: str
    grid: Float64
    boxes: Int32
    counts: Float64
    measured: MeasuredTree | None
    experience: Experience | None
    squares: Int32
    answers: Answers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Map:
    """What a map shows.

    Attributes:
        title: Of the release.
        about: What it is and what it costs, in a sentence.
        points: What is counted, as in "pickups".
        grid: The public grid.
        aspect: How wide a cell is on the map for its height.
        slices: At least one, all on the same grid.
        fold: Cells a side of the squares of a sparse grid.
        level: Of the sure intervals.
        note: What is said of the slices, before all else.
        lists: Of slices by two columns, the values of each; empty where there is one column, or one slice.
    """

    title: str
    about: str
    points: str
    grid: Grid
    aspect: float
    slices: Sequence[MapSlice]
    fold: int = 1
    level: Fraction = LEVEL
    lists: tuple[Sequence[str], ...] = ()
    note: str = ""

    def __repr__(self) -> str:
        return f"{self.title}: {self.about}"

    def _repr_html_(self) -> str:
        """A still picture: a notebook runs no script of a page."""
        from starling.pages.rendering import fragment

        return fragment("fragment.html", title=self.title, facts=(), below=(self.about,), pictures=(still(self),))

    @property
    def step(self) -> int:
        """Cells a side of what the page shows as one cell."""
        return self.fold * further_fold(self.slices[0].grid.shape, len(self.slices))


def further_fold(shape: tuple[int, ...], tables: int = 1) -> int:
    """Cells a side that are added, so that so many tables have at most `MOST_CELLS`."""
    fold = 1
    while tables * np.prod([-(-side // fold) for side in shape]) > MOST_CELLS:
        fold += 1
    return fold


def still(shown: Map) -> Picture:
    """The first slice, for a browser that runs no script."""
    first = shown.slices[0]
    of_slice = f", of the slice {first.name}" if first.name else ""
    caption = f"Released points by cell, in a stronger colour where there are more{of_slice}."
    grid = folded(first.grid, shown.step // shown.fold)
    surety = Surety([first.measured]) if has_intervals(first.measured) else None
    return Picture(
        partial(heat_map, shown.grid, shown.points, grid, surety, side=shown.step),
        caption if surety is None else f"{caption} {HATCHED}",
        "still",
    )


def has_intervals(measured: Measured | None) -> TypeGuard[MeasuredTree]:
    """Whether a page gives sure intervals of what was measured in a slice."""
    if not isinstance(measured, MeasuredTree) or len(measured.tree.parents) > MOST_BOXES:
        return False
    return all(isinstance(each, DiscreteLaplace) for each in measured.noises)


def encoded(shown: Map) -> bytes:
    """The file of a map; the same bytes for the same map."""
    step = shown.step
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    slices = [_slice(shown, of, f"{number}.", step, arrays) for number, of in enumerate(shown.slices)]
    facts = grid_facts(shown.grid, shown.aspect, arrays["0.cells"].shape, step)
    return packed({**facts, "missing": float(1 - shown.level), "slices": slices}, arrays)


def grid_facts(grid: Grid, aspect: float, shape: tuple[int, ...], step: int) -> dict[str, Any]:
    """What is public of a grid, of which so many rows and columns of squares of `step` cells a side are shown."""
    x0, y0, x1, y1 = grid.ends
    return {
        "rows": shape[0],
        "columns": shape[1],
        "high": grid.rows,
        "wide": grid.columns,
        "fold": step,
        "box": [float(end) for end in grid.ends],
        "per_unit": [float(grid.columns / (x1 - x0)), float(grid.rows / (y1 - y0))],
        "crs": grid.crs,
        "radius": float(RADIUS),
        "aspect": aspect,
    }


def _slice(shown: Map, of: MapSlice, prefix: str, step: int, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """The facts of a slice; its arrays go to `arrays`, each named with the prefix."""
    arrays[f"{prefix}cells"] = folded(of.grid, step // shown.fold)
    facts: dict[str, Any] = {"name": of.name, "noises": None, "typical": None, "hotspots": [], "sparse": shown.fold > 1}
    if has_intervals(of.measured):
        facts["noises"] = _index(of.measured, shown.level, prefix, arrays)
    if facts["noises"] is None or shown.fold > 1:
        arrays |= {f"{prefix}box_{name}": ends for name, ends in zip(SIDES, of.boxes.T, strict=True)}
    if shown.fold > 1:
        arrays[f"{prefix}box_points"] = of.counts
    if of.experience is not None:
        facts |= _experience(of.experience, prefix, arrays)
    return facts


def _index(
    measured: MeasuredTree, level: Fraction, prefix: str, arrays: dict[str, np.ndarray[Any, Any]]
) -> dict[str, list[float]]:
    """The noises of a tree, discrete Laplace; its index goes to `arrays`."""
    cover = FreshCover(measured)
    laplace = [each for each in cover.noises if isinstance(each, DiscreteLaplace)]
    nodes = cover.nodes
    names = (*SIDES, "fresh", "fresh_noise", "steered", "steered_noise", "cover", "looked")
    arrays |= {f"{prefix}{name}": np.ascontiguousarray(nodes[name]) for name in names}
    arrays[f"{prefix}children"] = nodes["end"] - nodes["first"]
    tiles = np.flatnonzero(cover.tiles)
    boxes = np.stack([nodes[name][tiles] for name in ("west", "south", "east", "north")], axis=1)
    says = np.zeros(len(nodes), dtype=np.int8)
    says[tiles] = np.where(Surety([measured]).of(boxes.astype(np.float64), level).lower > 0, KNOWN, BLANK)
    arrays[f"{prefix}says"] = says
    wide = [DiscreteLaplace(max(each.scale, NARROWEST)) for each in laplace]
    return {
        "deviations": [standard_deviation(each) for each in laplace],
        "wide_scales": [float(each.scale) for each in wide],
        "wide_variances": [standard_deviation(each) ** 2 for each in wide],
    }


def _experience(known: Experience, prefix: str, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """The facts of typical errors and hotspots; tables go to `arrays`, so rounded that their sums are off by two units at most."""
    largest = max(float(np.abs(known.errors).sum(axis=(1, 2)).max(initial=0)), float(known.boxes.sum()), 1e-9)
    unit = max(FINEST, largest / 2**30)
    arrays[f"{prefix}errors"] = _rounded(known.errors / unit)
    arrays[f"{prefix}deviations"] = np.rint(known.boxes / unit).astype(np.int64)
    reruns, rows, columns = known.errors.shape
    table = known.hotspots
    none = [None] * len(table.counts)
    listed = zip(
        table.boxes.tolist(),
        table.counts.tolist(),
        none if table.chance is None else stated(table.chance) or [],
        none if table.sure is None else table.sure.tolist(),
        strict=True,
    )
    return {
        "typical": {
            "reruns": reruns,
            "rows": rows,
            "columns": columns,
            "fold": known.fold,
            "whole": WHOLE if known.fold > 1 else 0,
            "times": TIMES,
            "unit": unit,
        },
        "hotspots": [dict(zip(("box", "points", "chance", "sure"), each, strict=True)) for each in listed],
    }


def _rounded(tables: Float64) -> Int64:
    """int64 (tables, rows, columns): whole numbers whose sums south-west of each corner are the rounded sums of the tables."""
    sums = np.rint(tables.cumsum(axis=1).cumsum(axis=2)).astype(np.int64)
    return np.asarray(np.diff(np.diff(sums, axis=1, prepend=0), axis=2, prepend=0))
