"""Answers from a released grid: CPU seconds of rectangles, sure intervals, polygons and the map page, on one core.

The grid is a Gaussian of the paper, released by the adaptive tree; one that is measured cell by cell has the most boxes. CPU seconds, since
all of it works on one core: others on the machine change them less than they change the clock's.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from time import process_time
from typing import Final

import numpy as np

from bench.measure import Json, Spread, in_turn
from bench.places_data import Float64, gaussian
from bench.places_methods import leaves
from bench.record import Limit, Recorder
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.regions import count_regions
from starling.places.answers.sure import Surety
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.singular import Singular
from starling.places.pictures.map_page import Map, page
from starling.privacy.neighbours import ADD_REMOVE_POINT

SIDE: Final = 1024
RECTANGLES: Final = 1_000_000
SURE: Final = 10_000
POLYGONS: Final = 1_000
CORNERS: Final = 60
EPSILON: Final = Fraction(1, 10)
FASTEST: Final = 0.020
"""CPU seconds of a million rectangles."""
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


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process."""
    began = process_time()
    work()
    return process_time() - began


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
    shown = Map("", "", "", table.grid, (0, 0, 1, 1), 1, tree.tree.boxes[tree.tree.leaves], tree)
    calls: dict[str, Callable[[], object]] = {
        f"{many:,} rectangles of {SIDE} x {SIDE} cells": partial(table.count, rectangles(many, SIDE)),
        f"{many:,} rectangles of {4 * SIDE} x {4 * SIDE} cells": partial(wide.count, rectangles(many, 4 * SIDE)),
        f"{polygons:,} polygons of {CORNERS} corners": partial(count_regions, table, rounded(polygons, SIDE)),
        "index of the adaptive tree": lambda: Surety([tree]),
        "index of all cells, each measured": lambda: Surety([flat]),
        f"{sure:,} sure intervals, adaptive tree": partial(sureties[0].of, rectangles(sure, SIDE)),
        f"{sure:,} sure intervals, all cells measured": partial(sureties[1].of, rectangles(sure, SIDE)),
        "map page": partial(page, shown),
    }
    for work in calls.values():
        work()  # Kernels are compiled.
    found = in_turn({name: partial(cpu, work) for name, work in calls.items()}, rounds)
    rows: list[Json] = [{"what": name, "cpu_seconds": Spread.of(each).to_json()} for name, each in found.items()]
    first = next(iter(found))
    recorder.end(
        settings={"rounds": rounds, "threads": 1, "epsilon": str(EPSILON), "bytes_of_map_page": len(page(shown))},
        rows=rows,
        limits=[Limit.of(first, Spread.of(found[first]), FASTEST, "CPU s")],
    )


if __name__ == "__main__":
    main()
