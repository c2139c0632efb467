"""How near each method for points on a grid comes to the truth, by data, budget and kind of query: MRE, bias, sure intervals, earth
mover's distance, time.

Kinds: squares of 2, 6 and 10 % of the area with centres anywhere, cut at the grid; `rand`, two corners anywhere; and small squares with a
side of .24 to 2 % of the grid's, centred on points. Queries of a data set have one seed and are the same for all methods.
MRE = 100 |estimate - true|/max(true, 20); for small squares max(true, points/1000) instead. Noise is Starling's own, which no seed repeats.

Methods that matter most get 12 runs at two budgets and 3 at others, the rest 3 and 1; the earth mover's distance is of the first run.
Seconds are CPU seconds, since the study may share the machine. Runs that are done are kept beside the result until all are, so that an
interrupted study goes on where it was, and a part of the methods can be measured first. Data that were held out while tuning are in
`places_held_out`, which is run once.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.kept import Kept, Row
from bench.markdown import table
from bench.measure import Json
from bench.places_data import GROUPS, HELD_OUT, grid
from bench.places_methods import BEST, RIVALS, STAR
from bench.record import Limit, Recorder, source
from starling.errors import PlanError
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.sure import Surety
from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree

Float64: TypeAlias = npt.NDArray[np.float64]

CORE: Final = ("0.1", "0.5")
"""Budgets with most runs."""
RUNS: Final = {True: {True: 12, False: 3}, False: {True: 3, False: 1}}
"""Runs by whether a method gets many, and by whether the budget is one of the core."""
EPSILONS: Final = ("0.01", "0.1", "0.3", "0.5", "1")
QUERIES: Final = 2000
SEED: Final = 12345
SMOOTHING: Final = 20
AREAS: Final = (2, 6, 10)
"""Percent of the grid."""
SIDES: Final = (0.24, 0.5, 1.0, 2.0)
"""Percent of the grid's side."""
LARGE: Final = (*(f"{area} %" for area in AREAS), "rand")
SMALL: Final = tuple(f"side {side:g} %" for side in SIDES)
BLOCKS: Final = 32
"""Blocks of a side, for the earth mover's distance."""
SURE: Final = 200
"""Queries of each kind that get sure intervals."""
SURE_OF: Final = frozenset({"UG", "AG", "HTF 5e-4", "PrivTree", "Adaptive"})
"""Methods whose sure intervals are looked at."""
SINGLE: Final = (
    "BeijingTaxiE",
    "cabspottingE",
    "twitter",
    "Adult_2D",
    "uber",
    "crime",
    "earthquakes",
    *sorted(HELD_OUT),
)
"""Data sets that have rows of their own; those of Gaussians are columns already."""


def queries(cells: Int64, seed: int) -> dict[str, Float64]:
    """Rectangles (2000, 4) of each kind, in cell units."""
    random = np.random.default_rng(seed)
    rows, columns = cells.shape
    ends = np.array([columns, rows, columns, rows], dtype=np.float64)
    found = {}
    for area, kind in zip(AREAS, LARGE, strict=False):
        half = np.sqrt(area / 100) * ends[:2] / 2
        centre = random.uniform(0, ends[:2], (QUERIES, 2))
        found[kind] = np.clip(np.concatenate([centre - half, centre + half], axis=1), 0, ends)
    corners = np.sort(random.uniform(0, 1, (QUERIES, 2, 2)), axis=1)
    found["rand"] = corners.reshape(QUERIES, 4) * ends
    points = random.choice(cells.size, QUERIES, p=cells.reshape(-1) / cells.sum())
    at = np.stack(np.divmod(points, columns)[::-1], axis=1) + random.uniform(0, 1, (QUERIES, 2))
    for side, kind in zip(SIDES, SMALL, strict=True):
        half = side / 100 * ends[:2] / 2
        found[kind] = np.clip(np.concatenate([at - half, at + half], axis=1), 0, ends)
    return found


def one_run(name: str, epsilon: str, methods: Sequence[str], *, distance: bool) -> list[Row]:
    """A run of each method on a data set, with the earth mover's distance or not; of a method that refuses the budget, that it does."""
    cells = grid(name)
    asked = queries(cells, SEED)
    exact = CumulativeGrid(cells)
    true = {kind: exact.count(each).counts for kind, each in asked.items()}
    rows: list[Row] = []
    for method in methods:
        try:
            row = measured_run(cells, Fraction(epsilon), method, asked, true, distance=distance)
            rows.append({"method": method, **row})
        except PlanError:
            rows.append({"method": method, "refused": True})
    return rows


def measured_run(
    cells: Int64,
    epsilon: Fraction,
    method: str,
    asked: dict[str, Float64],
    true: dict[str, Float64],
    *,
    distance: bool = True,
) -> Row:
    """Measure with fresh noise, make the grid, and compare its answers with the truth."""
    rival = RIVALS[method]
    began = process_time()
    measured = rival.method((cells.shape[0], cells.shape[1]), epsilon).draw(cells)
    made = rival.grid(measured)
    row: Row = {"seconds": process_time() - began}
    released = CumulativeGrid(made)
    row["mre"], row["bias"] = {}, {}
    for kind, each in asked.items():
        off = released.count(each).counts - true[kind]
        least = SMOOTHING if kind in LARGE else cells.sum() / 1000
        row["mre"][kind] = float(100 * (np.abs(off) / np.maximum(true[kind], least)).mean())
        row["bias"][kind] = float(100 * off.sum() / max(true[kind].sum(), 1))
    if distance:
        row["emd"] = earth_movers_distance(cells.astype(np.float64), released.grid)
    if isinstance(measured, MeasuredTree) and method in SURE_OF:
        row["sure"] = sure(measured, asked, true)
    return row


def sure(measured: MeasuredTree, asked: dict[str, Float64], true: dict[str, Float64]) -> Row:
    """For each kind the part of the queries whose sure interval holds the truth."""
    surety, found = Surety([measured]), {}
    for kind, each in asked.items():
        ends, count = surety.of(each[:SURE]), true[kind][:SURE]
        # A fractional query has a fractional share of a cell's points: no number of points, but between those of whole points.
        found[kind] = float(((ends.lower <= np.ceil(count)) & (np.floor(count) <= ends.upper)).mean())
    return found


def earth_movers_distance(one: Float64, other: Float64) -> float:
    """How far mass must be moved to make one grid of another, both cut at 0 and scaled to a mass of 1, in sides of the grid.

    Of sums over 32 by 32 blocks; a step goes from a block to a neighbour, so that distances are those of city blocks. A linear program of
    flows finds the least.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    masses = [np.maximum(blocks(each), 0) for each in (one, other)]
    if not all(mass.sum() > 0 for mass in masses):
        return 1.0
    supply = (masses[0] / masses[0].sum() - masses[1] / masses[1].sum()).reshape(-1)
    at = np.arange(BLOCKS * BLOCKS).reshape(BLOCKS, BLOCKS)
    pairs = np.concatenate(
        [np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()]), np.stack([at[:-1].ravel(), at[1:].ravel()])], axis=1
    )
    pairs = np.concatenate([pairs, pairs[::-1]], axis=1)
    flows = pairs.shape[1]
    ends = np.concatenate([np.ones(flows), -np.ones(flows)])
    leaves = coo_array((ends, (pairs.reshape(-1), np.tile(np.arange(flows), 2))), shape=(at.size, flows)).tocsr()
    # The last balance follows from the others; with it, rounding could leave no solution.
    found = linprog(np.ones(flows), A_eq=leaves[:-1], b_eq=supply[:-1], method="highs")
    return float(found.fun) / BLOCKS


def blocks(grid: Float64) -> Float64:
    """Sums over 32 by 32 blocks of a grid."""
    starts = [np.arange(BLOCKS) * many // BLOCKS for many in grid.shape]
    return np.asarray(np.add.reduceat(np.add.reduceat(grid, starts[0], axis=0), starts[1], axis=1))


def geometric(values: Sequence[float]) -> float:
    """The geometric mean.

    >>> geometric([1, 4])
    2.0
    """
    return exp(fmean(log(max(value, 1e-9)) for value in values))


def columns(names: Sequence[str]) -> dict[str, list[str]]:
    """The columns of tables: data sets by name, and groups by name, of those sets that are here; dp4 is dp6 without what was held out."""
    found = {name: [name] for name in SINGLE if name in names}
    for group, sets in GROUPS.items():
        here = [name for name in sets if name in names]
        if here and here != [group]:
            found[group if len(here) == len(sets) else f"{group[:-1]}{len(here)}"] = here
    return found


def with_best(rows: Sequence[Row]) -> list[Row]:
    """Rows with those of oracles in place of their families: each kind of query has the height with the least mean error."""
    kept = [row for row in rows if not row.get("refused")]
    members = {name for names in BEST.values() for name in names}
    found = [row for row in kept if row["method"] not in members]
    for best, names in BEST.items():
        for data, epsilon in dict.fromkeys((row["data"], row["epsilon"]) for row in kept):
            here = {
                name: [row for row in kept if (row["data"], row["epsilon"], row["method"]) == (data, epsilon, name)]
                for name in names
            }
            here = {name: runs for name, runs in here.items() if runs}
            if not here:
                continue
            height = {
                kind: min(here, key=lambda name: fmean(run["mre"][kind] for run in here[name]))
                for kind in (*LARGE, *SMALL)
            }
            for number, run in enumerate(here[height["rand"]]):
                mre = {kind: here[name][number]["mre"][kind] for kind, name in height.items()}
                found.append({**run, "method": best, "mre": mre})
    return found


def summary(rows: Sequence[Row]) -> list[Row]:
    """For each column of tables, budget and method: mean errors by kind, and over kinds with the least and the most of single runs."""
    found: list[Row] = []
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for column, sets in columns(sorted({row["data"] for row in rows})).items():
        for epsilon in sorted({row["epsilon"] for row in rows}, key=float):
            for method in methods:
                here = [row for row in rows if (row["epsilon"], row["method"]) == (epsilon, method)]
                by_set = [[row for row in here if row["data"] == name] for name in sets]
                if all(by_set):
                    found.append({"data": column, "epsilon": epsilon, "method": method, **of_sets(by_set)})
    return found


def of_sets(by_set: Sequence[Sequence[Row]]) -> Row:
    """The figures of a method on some data sets, from the runs of each: geometric means over sets, and over kinds where it says so."""
    runs = [run for each in by_set for run in each]
    many = min(map(len, by_set))
    found: Row = {"runs": many}
    mean = [{kind: fmean(run["mre"][kind] for run in each) for kind in (*LARGE, *SMALL)} for each in by_set]
    for kind in (*LARGE, *SMALL):
        found[kind] = digits(geometric([each[kind] for each in mean]))
    for name, kinds in (("large", LARGE), ("small", SMALL)):
        single = [geometric([each[run]["mre"][kind] for each in by_set for kind in kinds]) for run in range(many)]
        found[name] = digits(geometric([each[kind] for each in mean for kind in kinds]))
        found[f"{name}_least"], found[f"{name}_most"] = digits(min(single)), digits(max(single))
        found[f"bias_{name}"] = digits(fmean(run["bias"][kind] for run in runs for kind in kinds))
    found["emd"] = digits(geometric([fmean(run["emd"] for run in each if "emd" in run) for each in by_set]))
    found["seconds"] = digits(fmean(min(run["seconds"] for run in each) for each in by_set))
    held = [part for run in runs for part in run.get("sure", {}).values()]
    if held:
        found["sure"] = digits(fmean(held))
    return found


def digits(value: float) -> float:
    """Three significant digits.

    >>> digits(1234.5), digits(0.00123456)
    (1230.0, 0.00123)
    """
    return float(f"{value:.3g}")


def overview(rows: Sequence[Row]) -> Iterator[str]:
    """Tables for people: geometric means by column, and who wins where."""
    found = summary(rows)
    epsilons = list(dict.fromkeys(row["epsilon"] for row in found))
    names = list(dict.fromkeys(row["data"] for row in found))
    for title, of in (("squares of 2, 6, 10 % and rand", "large"), ("small squares", "small")):
        for epsilon in epsilons:
            cells = {
                (row["method"], row["data"]): f"{row[of]:g} ({row[f'{of}_least']:g} to {row[f'{of}_most']:g})"
                for row in found
                if row["epsilon"] == epsilon
            }
            yield f"\nMRE, {title}, eps {epsilon}: mean of runs (least to most of single runs)\n"
            methods = dict.fromkeys(method for method, _ in cells)
            yield table(
                ["method", *names], ([each, *(cells.get((each, name), "-") for name in names)] for each in methods)
            )
    yield "\nCells (data, budget, kind of query) in which a method's mean is least, and in which its worst run beats all others'\n"
    yield table(["method", "least", "by far"], ([name, *map(str, both)] for name, both in wins(rows).items()))


def wins(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """For each private method: cells in which its mean error is least, and in which its worst run is better than every run of others."""
    found = {row["method"]: [0, 0] for row in rows if not row["method"].endswith(STAR)}
    for name, epsilon in sorted({(row["data"], row["epsilon"]) for row in rows}):
        here = [row for row in rows if (row["data"], row["epsilon"]) == (name, epsilon)]
        for kind in (*LARGE, *SMALL):
            runs = {method: [row["mre"][kind] for row in here if row["method"] == method] for method in found}
            runs = {method: each for method, each in runs.items() if each}
            best = min(runs, key=lambda method: fmean(runs[method]))
            found[best][0] += 1
            others = [value for method, each in runs.items() if method != best for value in each]
            found[best][1] += max(runs[best]) < min(others, default=float("inf"))
    return {method: (least, far) for method, (least, far) in found.items()}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What a part of the study is chosen by."""
    parser.add_argument("--methods", nargs="+", default=list(RIVALS), choices=list(RIVALS), help="[default: all]")
    parser.add_argument("--as-is", action="store_true", help="measure nothing more, and write what is there")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes [default: cores]")


def measure(recorder: Recorder, chosen: argparse.Namespace, names: Sequence[str]) -> None:
    """Measure all methods on these data sets, and write the result where none is missing."""
    part = chosen.out / f"{recorder.name}.part"
    kept = Kept(Path(os.devnull) if chosen.quick else part)
    epsilons: Sequence[str] = EPSILONS
    if chosen.quick:
        names, epsilons = ["twitter"], ["0.1"]
    keys = ("data", "epsilon", "run", "method")
    done = {tuple(row[key] for key in keys) for row in kept.rows}
    with ProcessPoolExecutor(chosen.workers) as pool:
        jobs = {}
        for run in range(1 if chosen.quick else max(RUNS[True].values())):
            for name, epsilon in product(names, epsilons):
                due = [method for method in chosen.methods if run < RUNS[RIVALS[method].often][epsilon in CORE]]
                missing = [method for method in due if (name, epsilon, run, method) not in done]
                about: dict[str, Json] = {"data": name, "epsilon": epsilon, "run": run, "source": source()}
                if missing and not chosen.as_is:
                    jobs[pool.submit(one_run, name, epsilon, missing, distance=run == 0)] = about
        for job in as_completed(jobs):
            kept.add([{**jobs[job], **row} for row in job.result()])
    rows = with_best([row for row in kept.rows if row["data"] in names])
    print("\n".join(overview(rows)))
    missing_methods = sorted(set(RIVALS) - {row["method"] for row in kept.rows})
    if missing_methods and not chosen.quick:
        print(f"Nothing is written yet; still to be measured: {', '.join(missing_methods)}")
        return
    sources: dict[str, list[str]] = {}
    for row in kept.rows:
        sources.setdefault(str(row["source"]), []).append(row["method"])
    recorder.end(
        settings={
            "runs": fewest(kept.rows, often=True, core=True),
            "runs_at_other_budgets": fewest(kept.rows, often=True, core=False),
            "runs_of_others": fewest(kept.rows, often=False, core=True),
            "runs_of_others_at_other_budgets": fewest(kept.rows, often=False, core=False),
            "queries": QUERIES,
            "seed_of_queries": SEED,
            "data": ", ".join(names),
            "sources": {commit: ", ".join(dict.fromkeys(of)) for commit, of in sources.items()},
            "cells": len({(row["data"], row["epsilon"]) for row in rows}) * len((*LARGE, *SMALL)),
            "least": {name: least for name, (least, _) in wins(rows).items()},
            "by_far": {name: far for name, (_, far) in wins(rows).items()},
        },
        rows=[*summary(rows)],
        limits=limits(rows),
    )


def fewest(rows: Sequence[Row], *, often: bool, core: bool) -> int:
    """The least number of runs that any method of this kind has at budgets of this kind on any data set."""
    here = [row for row in rows if RIVALS[row["method"]].often == often and (row["epsilon"] in CORE) == core]
    return min(Counter((row["data"], row["epsilon"], row["method"]) for row in here).values())


def main() -> None:
    """Measure all that was not held out."""
    recorder = Recorder("places_accuracy", "Errors of methods for points on a grid by data, budget and kind of query.")
    arguments(recorder.parser)
    names = [name for sets in GROUPS.values() for name in sets if name not in HELD_OUT]
    measure(recorder, recorder.begin(), names)


def limits(rows: Sequence[Row]) -> list[Limit]:
    """What sure intervals are held to."""
    parts = [part for row in rows for part in row.get("sure", {}).values()]
    what = "part of rectangles whose sure interval holds the truth"
    return [Limit(what, fmean(parts), 0.95, "of queries", least=True)] if parts else []


if __name__ == "__main__":
    main()
