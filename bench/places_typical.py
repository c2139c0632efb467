"""What part of answers is off by at most their typical error, by data, budget and kind of query.

Some releases of each data set and budget are asked the queries of `bench.places_accuracy`, 600 of each kind, and each error is held
against the typical error that `starling places count` would print beside the answer. Data held out while the method was tuned are left
out here too.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from statistics import fmean
from typing import Final

import numpy as np

from bench.kept import Row
from bench.places_accuracy import LARGE, SMALL, queries
from bench.places_data import GROUPS, HELD_OUT, grid
from bench.record import Limit, Recorder
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.postprocess import estimate
from starling.places.typical import typical_errors

EPSILONS: Final = ("0.05", "0.1", "0.5", "1")
RUNS: Final = 3
"""Releases of each data set and budget; the queries of one share its noise."""
ASKED: Final = 600
SEED: Final = 778
"""Of the queries; another than that under which the rule was chosen."""


def plan_of(cells: tuple[int, int], epsilon: str) -> Plan:
    """A plan of points on a grid of so many cells."""
    rows, columns = cells
    box = ["0", "0", str(columns), str(rows)]
    return Plan.of(
        {
            "title": "Points",
            "point": "point",
            "grid": {"crs": "plain", "crs_name": "cells", "box": box, "rows": rows, "columns": columns},
            "input": {"x": "x", "y": "y"},
            "privacy": {"unit": "point", "epsilon": epsilon},
        }
    )


def one(name: str, epsilon: str) -> Row:
    """The part of the errors of some releases that are at most typical, and the median of the typical errors, by kind."""
    cells = grid(name)
    plan = plan_of((cells.shape[0], cells.shape[1]), epsilon)
    by_kind = {kind: each[:ASKED] for kind, each in queries(cells, SEED).items()}
    asked = np.concatenate(list(by_kind.values()))

    def ask(of: ReleasedGrid) -> Answers:
        return of.count(asked)

    true = ReleasedGrid(plan.grid, cells.astype(np.float64), ()).count(asked).counts
    held, medians = [], []
    for _ in range(RUNS):
        measured = mechanism_of(plan).method.draw(cells)
        released = ReleasedGrid(plan.grid, estimate(plan.method, measured, plan.purpose).grid(), [(measured, 1)])
        typical = typical_errors(plan, released, ask)
        assert typical is not None
        off = np.abs(released.table.count(asked).counts - true)
        held.append((off <= typical).reshape(len(by_kind), ASKED).mean(axis=1))
        medians.append(np.median(typical.reshape(len(by_kind), ASKED), axis=1))
    return {
        "data": name,
        "epsilon": epsilon,
        "held": {kind: round(float(part), 3) for kind, part in zip(by_kind, np.mean(held, axis=0), strict=True)},
        "median": {kind: round(float(each), 1) for kind, each in zip(by_kind, np.mean(medians, axis=0), strict=True)},
    }


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("places_typical", "What part of answers is off by at most their typical error.")
    chosen = recorder.begin()
    names = [name for sets in GROUPS.values() for name in sets if name not in HELD_OUT]
    jobs = [(name, epsilon) for name in names for epsilon in EPSILONS]
    if chosen.quick:
        jobs = [job for job in jobs if job[0] == "Adult_2D"][:1]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows = list(pool.map(one, *zip(*jobs, strict=True)))
    parts = [row["held"][kind] for row in rows for kind in (*LARGE, *SMALL)]
    recorder.end(
        settings={
            "releases": RUNS,
            "queries": ASKED,
            "seed_of_queries": SEED,
            "least": min(parts),
            "epsilons": ", ".join(EPSILONS),
        },
        rows=[*rows],
        limits=[Limit("part of errors that are at most typical", fmean(parts), float(Fraction(9, 10)), "", least=True)],
    )


if __name__ == "__main__":
    main()
