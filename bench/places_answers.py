"""Answers from a released grid: CPU seconds of rectangles, sure intervals, polygons and the map page, of all cores; and of peers.

Many rectangles are answered by a thread on each core: for them there are seconds by the clock too.

Peers are what an analyst would write without Starling: NumPy on a table of sums with linear interpolation, and GeoPandas, which overlays
polygons and the released boxes. Their answers are compared with ours before anything is timed.

The grid is a Gaussian of the paper, released by the adaptive tree; one that is measured cell by cell has the most boxes. CPU seconds, since
others on the machine change them less than they change the clock's.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Final

import numpy as np

from bench.measure import Json, Spread, cpu, in_turn, timed
from bench.places_data import Float64, gaussian
from bench.places_methods import leaves
from bench.record import Limit, Recorder
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.regions import count_regions
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import Surety
from starling.places.arrays import Int32
from starling.places.generate.worlds import everywhere
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.singular import Singular
from starling.places.pictures.map_data import Map, MapSlice
from starling.places.pictures.map_page import page
from starling.places.plan.grid import Grid
from starling.privacy.neighbours import ADD_REMOVE_POINT

SIDE: Final = 1024
RECTANGLES: Final = 1_000_000
SURE: Final = 10_000
COUNTED: Final = 100_000
"""Rectangles that are counted in a release of many boxes."""
DENSE: Final = 12_000_000
"""Its points: some 700,000 boxes at an epsilon of 1/2."""
POLYGONS: Final = 1_000
CORNERS: Final = 60
EPSILON: Final = Fraction(1, 10)
FASTEST: Final = 0.020
"""Seconds of a million rectangles, on all cores."""
WITH_INTERVALS: Final = 1.0
"""CPU seconds of the rectangles that are counted in a release of many boxes."""
WITHOUT: Final = 0.05
"""CPU seconds of the same without sure intervals."""
SEED: Final = 14


def rectangles(many: int, side: int) -> Float64:
    """Rectangles with both corners anywhere, float64 (many, 4)."""
    ends = np.sort(np.random.default_rng(SEED).uniform(0, side, (2, many, 2)), axis=2)
    return np.ascontiguousarray(ends.transpose(1, 2, 0).reshape(many, 4))


def rounded(many: int, side: int) -> list[list[list[Float64]]]:
    """Polygons about a circle, some of which reach beyond the grid."""
    random = np.random.default_rng(SEED)
    turns = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return [[[random.uniform(0, side, 2) + random.uniform(1, side / 10) * circle]] for _ in range(many)]


def interpolated(sums: Float64, asked: Float64) -> Float64:
    """Points in rectangles by NumPy alone, from float64 (rows + 1, columns + 1): the points south-west of each corner of a cell."""
    rows, columns = sums.shape[0] - 1, sums.shape[1] - 1
    x, y = (np.clip(asked[:, [at, at + 2]], 0, end) for at, end in ((0, columns), (1, rows)))
    column, row = (np.minimum(each.astype(np.int64), end - 1) for each, end in ((x, columns), (y, rows)))
    found = np.zeros(len(asked))
    for i, j, sign in ((1, 1, 1), (0, 1, -1), (1, 0, -1), (0, 0, 1)):
        south, west = row[:, i], column[:, j]
        up, right = y[:, i] - south, x[:, j] - west
        lower = (1 - right) * sums[south, west] + right * sums[south, west + 1]
        upper = (1 - right) * sums[south + 1, west] + right * sums[south + 1, west + 1]
        found += sign * ((1 - up) * lower + up * upper)
    return found


def overlaid(boxes: Int32, counts: Float64, polygons: list[list[list[Float64]]]) -> Float64:
    """Points in polygons by GeoPandas: each box's points by the share of it that lies in them."""
    import geopandas
    import shapely

    south, north, west, east = boxes.T
    frame = geopandas.GeoDataFrame(
        {"points": counts / shapely.area(shapely.box(west, south, east, north))},
        geometry=shapely.box(west, south, east, north),
    )
    asked = geopandas.GeoDataFrame(
        {"asked": range(len(polygons))}, geometry=[shapely.Polygon(each[0][0]) for each in polygons]
    )
    parts = geopandas.overlay(asked, frame, how="intersection", keep_geom_type=True)
    found: Float64 = np.bincount(parts["asked"], parts["points"] * parts.area, len(polygons)).astype(np.float64)
    return found


def count(grid: ReleasedGrid, asked: Float64, *, sure: bool) -> Answers:
    """Counts of a release that was just opened: its index is not made yet."""
    return ReleasedGrid(grid.grid, grid.table.grid, grid.parts).count(asked, intervals=sure)


def main() -> None:
    """Measure all of it and write the result."""
    recorder = Recorder("places_answers", "Answers from a released grid, in CPU seconds.")
    chosen = recorder.begin()
    many, sure, polygons, rounds = (1000, 10, 5, 1) if chosen.quick else (RECTANGLES, SURE, POLYGONS, 7)
    cells = gaussian(50, 1)
    tree, flat = (method((SIDE, SIDE), ADD_REMOVE_POINT, EPSILON).draw(cells) for method in (Adaptive, Singular))
    assert isinstance(tree, MeasuredTree)
    table, wide = CumulativeGrid(leaves(tree)), CumulativeGrid(np.kron(leaves(tree), np.ones((4, 4))) / 16)
    sureties = Surety([tree]), Surety([flat])
    peer_sums = np.zeros((SIDE + 1, SIDE + 1))
    peer_sums[1:, 1:] = table.grid.cumsum(axis=0).cumsum(axis=1)
    dense = Adaptive((SIDE, SIDE), ADD_REMOVE_POINT, Fraction(1, 2)).draw(everywhere((SIDE, SIDE), DENSE, SEED))
    spread, asked = leaves(dense), rectangles(min(many, COUNTED), SIDE)
    place = Grid((Fraction(0), Fraction(0), Fraction(SIDE), Fraction(SIDE)), SIDE, SIDE, "plain", "cells")
    boxes = f"{int(dense.tree.leaves.sum()):,} boxes"
    counted = {
        f"{len(asked):,} counts in {boxes}, sure intervals and their index": True,
        f"{len(asked):,} counts in {boxes}": False,
    }
    some, drawn = rectangles(many, SIDE), rounded(polygons, SIDE)
    outlines = tree.tree.boxes[tree.tree.leaves]
    points = table.count(outlines[:, [2, 0, 3, 1]].astype(np.float64)).counts
    none = np.zeros((0, 4))
    unanswered = Answers(np.zeros(0), None, None, None, np.zeros(0, bool))
    slices = [MapSlice("", table.grid, outlines, points, tree, None, none.astype(np.int32), unanswered)]
    shown = Map("", "", "", place, 1, slices)
    few = drawn[: max(polygons // 10, 1)]
    assert np.allclose(interpolated(peer_sums, some), table.count(some).counts, atol=1e-3)
    assert np.allclose(overlaid(outlines, points, few), count_regions(table, few).counts, rtol=1e-6, atol=1e-3)
    calls: dict[str, Callable[[], object]] = {
        f"{many:,} rectangles of {SIDE} x {SIDE} cells": partial(table.count, some),
        f"{many:,} rectangles of {4 * SIDE} x {4 * SIDE} cells": partial(wide.count, rectangles(many, 4 * SIDE)),
        f"{polygons:,} polygons of {CORNERS} corners": partial(count_regions, table, drawn),
        f"{len(few):,} polygons of {CORNERS} corners": partial(count_regions, table, few),
        f"NumPy: {many:,} rectangles of {SIDE} x {SIDE} cells": partial(interpolated, peer_sums, some),
        f"GeoPandas: {len(few):,} polygons of {CORNERS} corners": partial(overlaid, outlines, points, few),
        "index of the adaptive tree": lambda: Surety([tree]),
        "index of all cells, each measured": lambda: Surety([flat]),
        f"{sure:,} sure intervals, adaptive tree": partial(sureties[0].of, rectangles(sure, SIDE)),
        f"{sure:,} sure intervals, all cells measured": partial(sureties[1].of, rectangles(sure, SIDE)),
        "map page": partial(page, shown),
        **{
            name: partial(count, ReleasedGrid(place, spread, [(dense, 1)]), asked, sure=sure)
            for name, sure in counted.items()
        },
    }
    for work in calls.values():
        work()  # Kernels are compiled.
    found = in_turn({name: partial(cpu, work) for name, work in calls.items()}, rounds)
    first = next(iter(calls))
    clocks = in_turn({first: partial(timed, calls[first])}, rounds)
    rows: list[Json] = [{"what": name, "cpu_seconds": Spread.of(each).to_json()} for name, each in found.items()]
    by_clock = Spread.of(clocks[first])
    rows.append({"what": first, "seconds": by_clock.to_json()})
    recorder.end(
        settings={"rounds": rounds, "epsilon": str(EPSILON), "bytes_of_map_page": len(page(shown))},
        rows=rows,
        limits=[
            Limit.of(first, by_clock, FASTEST, "s"),
            *(
                Limit.of(name, Spread.of(found[name]), WITH_INTERVALS if sure else WITHOUT, "CPU s")
                for name, sure in counted.items()
            ),
        ],
    )


if __name__ == "__main__":
    main()
