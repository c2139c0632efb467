"""How near each method for points on a grid comes to the truth, by data, budget and kind of query: MRE, bias, sure intervals, earth
mover's distance, time.

Kinds: squares of 2, 6 and 10 % of the area with centres anywhere, cut at the grid; `rand`, two corners anywhere; and small squares with a
side of .24 to 2 % of the grid's, centred on points. Queries of a data set have one seed and are the same for all methods.
MRE = 100 |estimate - true|/max(true, 20); for small squares max(true, points/1000) instead. Noise is Starling's own, which no seed repeats.

Runs that are done are kept beside the result until all are, so that an interrupted study goes on where it was. Data that were held out
while tuning are left out, unless `--held-out` asks for them.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from math import exp, log
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.kept import Kept, Row
from bench.markdown import table
from bench.measure import Json
from bench.places_data import GROUPS, HELD_OUT, grid
from bench.places_methods import RIVALS
from bench.record import Limit, Recorder
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.sure import Surety
from starling.places.measurements import Int64, MeasuredTree

Float64: TypeAlias = npt.NDArray[np.float64]

RUNS: Final = 12
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


def one_run(name: str, epsilon: str, methods: Sequence[str]) -> list[Row]:
    """A run of each method on a data set."""
    cells = grid(name)
    asked = queries(cells, SEED)
    exact = CumulativeGrid(cells)
    true = {kind: exact.count(each).counts for kind, each in asked.items()}
    return [{"method": method, **measured_run(cells, Fraction(epsilon), method, asked, true)} for method in methods]


def measured_run(
    cells: Int64, epsilon: Fraction, method: str, asked: dict[str, Float64], true: dict[str, Float64]
) -> Row:
    """Measure with fresh noise, make the grid, and compare its answers with the truth."""
    rival = RIVALS[method]
    began = perf_counter()
    measured = rival.method((cells.shape[0], cells.shape[1]), epsilon).draw(cells)
    drawn = perf_counter()
    released = CumulativeGrid(rival.grid(measured))
    done = perf_counter()
    row: Row = {"draw_seconds": drawn - began, "fit_seconds": done - drawn}
    row["mre"], row["bias"], row["rmse"] = {}, {}, {}
    for kind, each in asked.items():
        off = released.count(each).counts - true[kind]
        least = SMOOTHING if kind in LARGE else cells.sum() / 1000
        row["mre"][kind] = float(100 * (np.abs(off) / np.maximum(true[kind], least)).mean())
        row["bias"][kind] = float(off.mean())
        row["rmse"][kind] = float(np.sqrt((off * off).mean()))
    row["emd"] = earth_movers_distance(cells.astype(np.float64), released.grid)
    if isinstance(measured, MeasuredTree):
        row["sure"] = sure(measured, asked, true)
    return row


def sure(measured: MeasuredTree, asked: dict[str, Float64], true: dict[str, Float64]) -> Row:
    """For each kind: the part of the queries whose sure interval holds the truth; medians of its width, of what is cut, of the truth."""
    surety, found = Surety([measured]), {}
    for kind, each in asked.items():
        ends, count = surety.of(each[:SURE]), true[kind][:SURE]
        # A fractional query has a fractional share of a cell's points: no number of points, but between those of whole points.
        held = (ends.lower <= np.ceil(count)) & (np.floor(count) <= ends.upper)
        width, cut = ends.upper - ends.lower, ends.cut
        found[kind] = {
            "holds": float(held.mean()),
            "width": float(np.median(width)),
            "cut": float(np.median(cut)),
            "count": float(np.median(count)),
        }
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


def summary(rows: Sequence[Row]) -> list[Json]:
    """For each data set, budget and method: means over runs by kind, and the runs' errors at both ends."""
    found: list[Json] = []
    keys = ("data", "epsilon", "method")
    for key in sorted({tuple(row[name] for name in keys) for row in rows}):
        runs = [row for row in rows if tuple(row[name] for name in keys) == key]
        each: dict[str, Json] = dict(zip(keys, key, strict=True))
        each["runs"] = len(runs)
        for name in ("mre", "bias", "rmse"):
            each[name] = {kind: round(fmean(run[name][kind] for run in runs), 3) for kind in runs[0][name]}
        for name, end in (("mre_least", min), ("mre_most", max)):
            each[name] = {kind: round(end(run["mre"][kind] for run in runs), 3) for kind in runs[0]["mre"]}
        if "sure" in runs[0]:
            each["sure"] = {
                kind: {name: round(fmean(run["sure"][kind][name] for run in runs), 3) for name in of_one}
                for kind, of_one in runs[0]["sure"].items()
            }
        each["emd"] = round(fmean(run["emd"] for run in runs), 6)
        for name in ("draw_seconds", "fit_seconds"):
            each[name] = round(min(run[name] for run in runs), 4)
        found.append(each)
    return found


def column(rows: Sequence[Row], group: str, epsilon: str, method: str, kinds: Sequence[str]) -> str:
    """The geometric mean over the sets of a group and kinds of query of the mean error over runs; least and most of single runs."""
    here = [
        row for row in rows if row["data"] in GROUPS[group] and (row["epsilon"], row["method"]) == (epsilon, method)
    ]
    if not here:
        return "-"
    by_set = {
        name: [row["mre"] for row in here if row["data"] == name] for name in sorted({row["data"] for row in here})
    }
    mean = geometric([fmean(run[kind] for run in runs) for runs in by_set.values() for kind in kinds])
    single = [
        geometric([runs[run][kind] for runs in by_set.values() for kind in kinds])
        for run in range(min(map(len, by_set.values())))
    ]
    return f"{mean:.3g} ({min(single):.3g} to {max(single):.3g})"


def overview(rows: Sequence[Row]) -> Iterator[str]:
    """Tables for people: geometric means by column of the spec's table, and who wins where."""
    epsilons = sorted({row["epsilon"] for row in rows}, key=float)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    groups = [group for group, sets in GROUPS.items() if any(row["data"] in sets for row in rows)]
    for title, kinds in (("squares of 2, 6, 10 % and rand", LARGE), ("small squares", SMALL)):
        for epsilon in epsilons:
            yield f"\nMRE, {title}, eps {epsilon}: mean of runs (least to most of single runs)\n"
            yield table(
                ["method", *groups],
                ([name, *(column(rows, group, epsilon, name, kinds) for group in groups)] for name in methods),
            )
    yield "\nCells (data, budget, kind of query) in which a method's mean is least, and in which its worst run beats all others'\n"
    yield table(["method", "least", "by far"], ([name, *map(str, both)] for name, both in wins(rows).items()))


def wins(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """For each method: cells in which its mean error is least, and cells in which its worst run is better than every run of others."""
    found = {row["method"]: [0, 0] for row in rows}
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
    parser.add_argument("--groups", nargs="+", default=list(GROUPS), choices=list(GROUPS), help="[default: all]")
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS), help="[default: %(default)s]")
    parser.add_argument("--runs", type=int, default=RUNS, help="[default: %(default)s]")
    parser.add_argument("--held-out", action="store_true", help="also data that were held out while tuning")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes [default: cores]")


def main() -> None:
    """Measure all of it."""
    recorder = Recorder("places_accuracy", "Errors of methods for points on a grid by data, budget and kind of query.")
    arguments(recorder.parser)
    chosen = recorder.begin()
    part = chosen.out / "places_accuracy.part"
    kept = Kept(Path(os.devnull) if chosen.quick else part)
    names = [name for group in chosen.groups for name in GROUPS[group] if chosen.held_out or name not in HELD_OUT]
    epsilons, runs = chosen.epsilons, chosen.runs
    if chosen.quick:
        names, epsilons, runs = names[:1], epsilons[:1], 1
    with ProcessPoolExecutor(chosen.workers) as pool:
        jobs = {}
        for run in range(runs):
            for name in names:
                for epsilon in epsilons:
                    about: dict[str, Json] = {"data": name, "epsilon": epsilon, "run": run}
                    missing = [method for method in chosen.methods if not kept.has(**about, method=method)]
                    if missing:
                        jobs[pool.submit(one_run, name, epsilon, missing)] = about
        for job in as_completed(jobs):
            kept.add([{**jobs[job], **row} for row in job.result()])
    wanted = (("data", names), ("epsilon", epsilons), ("method", chosen.methods))
    rows = [row for row in kept.rows if all(row[name] in among for name, among in wanted)]
    print("\n".join(overview(rows)))
    recorder.end(
        settings={"runs": runs, "queries": QUERIES, "seed_of_queries": SEED, "held_out": ", ".join(sorted(HELD_OUT))},
        rows=summary(rows),
        limits=limits(rows),
    )


def limits(rows: Sequence[Row]) -> list[Limit]:
    """What sure intervals are held to."""
    parts = [kind["holds"] for row in rows if "sure" in row for kind in row["sure"].values()]
    return [Limit("part of queries whose sure interval holds the truth", fmean(parts), 0.95, "of queries", least=True)]


if __name__ == "__main__":
    main()
