"""What share of the squares of each stated chance are among the k with most points: are the chances of hotspots right?

Releases of real and of invented points by the default method, several of each data set and budget; of each the k squares with most released
points are listed, for three k and squares of four sizes, as `starling places hotspots` does. The weights by which chances are made were
chosen on releases of the data in `CHOSEN_ON`; those held out while methods were tuned, other Gaussians and invented worlds are the
`OTHERS`, on which nothing was chosen.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np

from bench.kept import Row
from bench.places_data import grid
from bench.places_typical import plan_of
from bench.record import Limit, Recorder
from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.arrays import Int64
from starling.places.generate.worlds import everywhere, gathered
from starling.places.mechanism.table import mechanism_of
from starling.places.postprocess import estimate
from starling.places.typical.errors import deviations, rerun_errors
from starling.places.typical.ranking import chances, off_by

EPSILONS: Final = ("0.05", "0.1", "0.5", "1")
RUNS: Final = 4
LISTED: Final = (5, 20, 100)
SIDES: Final = (1, 4, 16, 64)
"""Cells; a square is at most a sixteenth of the grid's side."""
BINS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.99, 1.0)
"""Of chances: from each to below the next, the last one included."""
CHOSEN_ON: Final = (
    "g20 seed 1",
    "g50 seed 1",
    "g100 seed 2",
    "cabspottingE",
    "BeijingTaxiE",
    "twitter",
    "Adult_2D",
    "uber",
    "crime",
    "earthquakes",
)
INVENTED: Final[dict[str, Callable[[], Int64]]] = {
    "invented, gathered": partial(gathered, (512, 512), 100_000, 14),
    "invented, everywhere": partial(everywhere, (512, 512), 100_000, 14),
}
OTHERS: Final = ("g20 seed 2", "g50 seed 2", "g100 seed 1", "checkin", "Stroke_2D", "storms", *INVENTED)


def cells_of(name: str) -> Int64:
    """A data set by its name."""
    return INVENTED[name]() if name in INVENTED else grid(name)


def one(name: str, epsilon: str, runs: int = RUNS, listed: Sequence[int] = LISTED) -> list[Row]:
    """For each size of squares: how many had a chance in each of `BINS`, the sum of their chances, and how many were among the first."""
    cells = cells_of(name)
    plan = plan_of((cells.shape[0], cells.shape[1]), epsilon)
    exact = CumulativeGrid(cells)
    sides = [side for side in SIDES if 16 * side <= max(cells.shape)]
    found = {side: np.zeros((3, len(BINS) - 1)) for side in sides}
    squares = {side: as_rectangles(tiles(plan.grid.shape, side)) for side in sides}
    true = {side: exact.count(each).counts for side, each in squares.items()}
    ends = np.cumsum([len(each) for each in squares.values()])[:-1]
    asked = np.concatenate(list(squares.values()))

    def ask(of: ReleasedGrid) -> Answers:
        return of.count(asked)

    for _ in range(runs):
        measured = mechanism_of(plan).method.draw(cells)
        released = ReleasedGrid(plan.grid, estimate(plan.method, measured, plan.purpose).grid(), [(measured, 1)])
        counts = np.split(released.table.count(asked).counts, ends)
        off = np.split(off_by(rerun_errors(plan, released, ask), deviations(released, ask)), ends)
        for side, points, apart in zip(sides, counts, off, strict=True):
            order = np.argsort(-points, kind="stable")
            for k in listed:
                likely = chances(points, apart, k)
                among = true[side][order[:k]] >= np.partition(true[side], -k)[-k]
                at = np.digitize(likely, BINS[1:-1])
                found[side] += [np.bincount(at, each, len(BINS) - 1) for each in (None, likely, among)]
    return [
        {
            "data": name,
            "epsilon": epsilon,
            "side": side,
            "squares": each[0].astype(int).tolist(),
            "chances": [round(float(chance), 2) for chance in each[1]],
            "among": each[2].astype(int).tolist(),
        }
        for side, each in found.items()
    ]


def shares(rows: Sequence[Row]) -> list[Row]:
    """For each of `BINS` with squares: how many there were, their mean chance, and what share of them is among the first."""
    squares, chances, among = (np.sum([row[name] for row in rows], axis=0) for name in ("squares", "chances", "among"))
    return [
        {"from": low, "to": high, "squares": int(many), "chance": float(chance / many), "among": float(share / many)}
        for (low, high), many, chance, share in zip(pairwise(BINS), squares, chances, among, strict=True)
        if many
    ]


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder(
        "places_hotspots", "What share of squares of each stated chance are among those with most points."
    )
    chosen = recorder.begin()
    jobs = [(name, epsilon) for name in (*CHOSEN_ON, *OTHERS) for epsilon in EPSILONS]
    if chosen.quick:
        rows = one("Stroke_2D", "1", runs=1, listed=(5,))
    else:
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            rows = [row for each in pool.map(one, *zip(*jobs, strict=True)) for row in each]
    others = [row for row in rows if row["data"] in OTHERS]
    off = max((abs(each["chance"] - each["among"]) for each in shares(others) if each["from"] >= BINS[3]), default=0.0)
    what = f"share among the first less stated chance, from {BINS[3]} on, on data on which nothing was chosen"
    recorder.end(
        settings={"runs": RUNS, "k": ", ".join(map(str, LISTED)), "epsilons": ", ".join(EPSILONS)},
        rows=[*rows],
        limits=[Limit(what, off, 0.05, "")],
    )


if __name__ == "__main__":
    main()
