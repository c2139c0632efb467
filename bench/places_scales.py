"""How near the default for all scales and `for = "streets"` come to the rule of before 0.3 and to uniform grids, by size of squares.

Squares with a side of .24 to 10 % of the grid's around points, cut at the grid, and of DPBench's data those of 6 % of the area with centres
anywhere. MRE = 100 |estimate - true|/max(true, 20, points/1000); for 6 % of the area max(true, 20). Queries of a data set have one seed and
are the same for all methods; noise is Starling's own. Squares around points reward what is too high: the bias stands beside the error.

Ratios are of means over runs, geometric means over data sets. The best uniform grid is that of those with 32, 64, .. boxes a side, and of
single cells, chosen for each data set, budget and size on the data: NOT PRIVATE. Runs that are done are kept as in `places_accuracy`.
"""

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from math import exp, log
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, Final

import numpy as np

from bench.kept import Kept, Row
from bench.places_data import GROUPS, grid
from bench.record import Limit, Recorder, source
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.arrays import Float64, Int64
from starling.places.mechanism.method import Method
from starling.places.mechanism.singular import Singular
from starling.places.mechanism.table import PURPOSES
from starling.places.mechanism.uniform_grid import UniformGrid
from starling.places.plan.choices import EARLIER
from starling.places.postprocess import estimate
from starling.privacy.neighbours import ADD_REMOVE_POINT

EPSILONS: Final = ("0.05", "0.1", "0.5")
SIDES: Final = (0.24, 1.0, 5.0, 10.0)
"""Percent of the grid's side."""
AREA: Final = "area 6 %"
QUERIES: Final = 2000
SEED: Final = 12345
LEAST: Final = 20
RUNS: Final = 6
BEFORE, ALL, STREETS, CELLS = "earlier", "all", "streets", "single cells"
FINE: Final = ("uber", "crime", "earthquakes")
"""The sets of 1,024 by 1,024 cells."""
SMALL_MOST: Final = {"0.05": 0.72, "0.1": 0.75, "0.5": 0.70}
LARGE_MOST: Final = 1.03
STREETS_MOST: Final = 1.2


def name_of(side: float) -> str:
    """A kind of squares around points."""
    return f"side {side:g} %"


def methods(shape: tuple[int, int]) -> dict[str, Any]:
    """What is compared on a grid: trees by what they are for, uniform grids by their boxes a side."""
    boxes = [32 << step for step in range(9) if 32 << step < max(shape)]
    return {**dict(PURPOSES.items()), **{f"{side} boxes": side for side in boxes}, CELLS: Singular}


def queries(cells: Int64) -> dict[str, Float64]:
    """Rectangles, float64 (2000, 4), of each kind, in cells."""
    random = np.random.default_rng(SEED)
    rows, columns = cells.shape
    ends = np.array([columns, rows, columns, rows], dtype=np.float64)
    points = random.choice(cells.size, QUERIES, p=cells.reshape(-1) / cells.sum())
    at = np.stack(np.divmod(points, columns)[::-1], axis=1) + random.uniform(0, 1, (QUERIES, 2))
    middles = {name_of(side): (at, side / 100) for side in SIDES}
    middles[AREA] = (random.uniform(0, ends[:2], (QUERIES, 2)), 0.06**0.5)
    return {
        kind: np.clip(np.concatenate([centre - part * ends[:2] / 2, centre + part * ends[:2] / 2], axis=1), 0, ends)
        for kind, (centre, part) in middles.items()
    }


def one_run(name: str, epsilon: str) -> list[Row]:
    """A run of each method on a data set."""
    cells = grid(name)
    shape = (cells.shape[0], cells.shape[1])
    asked, exact = queries(cells), CumulativeGrid(cells)
    true = {kind: exact.count(each).counts for kind, each in asked.items()}
    rows: list[Row] = []
    for label, kind in methods(shape).items():
        began = process_time()
        if isinstance(kind, int):
            method: Method = UniformGrid(shape, ADD_REMOVE_POINT, Fraction(epsilon), boxes=kind)
        else:
            method = kind(shape, ADD_REMOVE_POINT, Fraction(epsilon))
        called, purpose = "adaptive" if label in PURPOSES else "uniform_grid", EARLIER if label == BEFORE else "all"
        made = estimate(called, method.draw(cells), purpose).grid()
        row: Row = {"method": label, "seconds": process_time() - began, "mre": {}, "bias": {}}
        released = CumulativeGrid(made)
        for what, each in asked.items():
            off = released.count(each).counts - true[what]
            least = LEAST if what == AREA else max(LEAST, cells.sum() / 1000)
            row["mre"][what] = float(100 * (np.abs(off) / np.maximum(true[what], least)).mean())
            row["bias"][what] = float(100 * off.sum() / max(true[what].sum(), 1))
        rows.append(row)
    return rows


def geometric(values: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(fmean(map(log, values)))


def means(rows: Sequence[Row]) -> dict[tuple[str, str, str, str], float]:
    """The mean error over runs, by data set, budget, method and kind of squares."""
    runs: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        for kind, value in row["mre"].items():
            runs.setdefault((row["data"], row["epsilon"], row["method"], kind), []).append(value)
    return {key: fmean(each) for key, each in runs.items()}


def summary(rows: Sequence[Row]) -> list[Row]:
    """For each budget and kind of squares: ratios over all data sets, or those of DPBench; and over the fine ones, set by set."""
    mean, found = means(rows), []
    sets = list(dict.fromkeys(row["data"] for row in rows))

    def ratios(names: Sequence[str], epsilon: str, kind: str) -> Row:
        best = {
            name: min(
                value
                for (data, budget, method, what), value in mean.items()
                if (data, budget, what) == (name, epsilon, kind) and method not in PURPOSES
            )
            for name in names
        }
        of = {
            method: geometric([mean[name, epsilon, method, kind] / mean[name, epsilon, BEFORE, kind] for name in names])
            for method in (ALL, STREETS)
        }
        row: Row = {f"{method} / before": round(value, 3) for method, value in of.items()}
        row["streets / best uniform grid"] = round(
            geometric([mean[name, epsilon, STREETS, kind] / best[name] for name in names]), 3
        )
        row["all / best uniform grid"] = round(
            geometric([mean[name, epsilon, ALL, kind] / best[name] for name in names]), 3
        )
        return row

    kinds = (*map(name_of, SIDES), AREA)
    for epsilon in dict.fromkeys(row["epsilon"] for row in rows):
        for kind in kinds:
            names = [name for name in sets if kind != AREA or name in GROUPS["dp6"]]
            if names:
                found.append(
                    {
                        "data": "DPBench" if kind == AREA else "all",
                        "epsilon": epsilon,
                        "squares": kind,
                        **ratios(names, epsilon, kind),
                    }
                )
        for name in FINE:
            if name in sets:
                kind = name_of(SIDES[0])
                errors = {f"{method} MRE": round(mean[name, epsilon, method, kind], 2) for method in PURPOSES}
                biases = {
                    f"{method} bias": round(
                        fmean(
                            row["bias"][kind]
                            for row in rows
                            if (row["data"], row["epsilon"], row["method"]) == (name, epsilon, method)
                        ),
                        2,
                    )
                    for method in PURPOSES
                }
                found.append(
                    {
                        "data": name,
                        "epsilon": epsilon,
                        "squares": kind,
                        **ratios([name], epsilon, kind),
                        **errors,
                        **biases,
                    }
                )
    return found


def limits(found: Sequence[Row]) -> list[Limit]:
    """What is asked of the default and of streets; of budgets, and of kinds of large squares, the worst one."""
    small, large = name_of(SIDES[0]), name_of(SIDES[-1])
    asked = [
        row["all / before"] / SMALL_MOST[row["epsilon"]]
        for row in found
        if (row["data"], row["squares"]) == ("all", small)
    ]
    before = [row["all / before"] for row in found if row["squares"] in (large, AREA)]
    streets = [
        geometric(fine)
        for epsilon in EPSILONS
        if (
            fine := [
                row["streets / best uniform grid"] for row in found if row["data"] in FINE and row["epsilon"] == epsilon
            ]
        )
    ]
    whats = {
        "places, small squares: error in what was asked": (asked, 1.0),
        "places, large squares: error in that before": (before, LARGE_MOST),
        "streets, small squares: error in the best uniform grid's": (streets, STREETS_MOST),
    }
    return [Limit(what, max(each), bound, "times") for what, (each, bound) in whats.items() if each]


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder(
        "places_scales", "Trees for all scales and for streets beside the rule of before and uniform grids."
    )
    recorder.parser.add_argument("--runs", type=int, default=RUNS, help=f"of each method [default: {RUNS}]")
    recorder.parser.add_argument(
        "--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes [default: cores]"
    )
    chosen: argparse.Namespace = recorder.begin()
    kept = Kept(Path(os.devnull) if chosen.quick else chosen.out / f"{recorder.name}.part")
    names = [name for sets in ("dp6", "pts", "g20", "g50", "g100") for name in GROUPS[sets]]
    epsilons: Sequence[str] = EPSILONS
    runs = chosen.runs
    if chosen.quick:
        names, epsilons, runs = ["twitter"], ("0.1",), 1
    with ProcessPoolExecutor(chosen.workers) as pool:
        jobs = {
            pool.submit(one_run, name, epsilon): {"data": name, "epsilon": epsilon, "run": run, "source": source()}
            for run in range(runs)
            for epsilon in epsilons
            for name in names
            if not kept.has(data=name, epsilon=epsilon, run=run)
        }
        for job in as_completed(jobs):
            kept.add([{**jobs[job], **row} for row in job.result()])
    found = summary(kept.rows)
    by_method = {method: [row["seconds"] for row in kept.rows if row["method"] == method] for method in PURPOSES}
    recorder.end(
        settings={
            "runs": runs,
            "queries": QUERIES,
            "seed_of_queries": SEED,
            "data": ", ".join(names),
            "cpu_seconds_of_a_release": {method: round(fmean(each), 3) for method, each in by_method.items()},
        },
        rows=[*found],
        limits=limits(found),
    )


if __name__ == "__main__":
    main()
