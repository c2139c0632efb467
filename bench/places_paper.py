"""Figures 3 to 6 of the paper on homogeneous trees (HTF, Section 5), measured again with bands over draws.

The paper's Los Angeles points, 3.5 million, are not public. In their place stand pickups in New York (1024 x 1024 cells, 389,953
points) and the ends of trips of Beijing's taxis (256 x 256 cells, 4.3 million). Figure 6 has its synthetic Gaussians and all public points
that were not held out. UG and AG take the number of points as public, as their originals do. The paper's stop count is the largest noisy
count of a box that is not cut.

Draws docs/pictures/places-figure*.svg. Runs that are done are kept beside the result until all are, so that an
interrupted study goes on where it was; those that `places_accuracy` has kept count too.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np

from bench.kept import Kept, Row
from bench.markdown import table
from bench.measure import Json
from bench.places_accuracy import LARGE, QUERIES, SEED, SMOOTHING, digits, queries
from bench.places_data import GROUPS, HELD_OUT, grid
from bench.places_methods import RIVALS, Rival, own_leaves, released
from bench.places_pictures import (
    EPSILONS,
    FAMILIES,
    HTF,
    KD_HEIGHTS,
    LADDERS,
    PUBLISHED_STOP,
    QUAD_HEIGHTS,
    STAND_INS,
    STOPS,
    best_of,
    draw,
)
from bench.record import Limit, Recorder, source
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.mechanism.htf import Htf

RUNS: Final = 12
COMMON_HEIGHTS: Final = tuple(
    f"{tree} {ladder}, height {height}"
    for tree, heights in (("kd", (8, 10)), ("Quad", (6, 7, 8)))
    for ladder in LADDERS
    for height in heights
)
"""Trees that run on all data."""
OTHERS: Final = (
    "Uniform",
    "Singular",
    "Privlet",
    "UG, n public*",
    "AG, n public*",
    HTF,
    "HTF 1e-3",
    "HTF midpoints",
    "HTF random cuts",
    "PrivTree",
    "Adaptive",
)
METHODS: Final[dict[str, Rival]] = {
    **{name: RIVALS[name] for name in OTHERS if name != "Adaptive"},
    **{f"{HTF}, stop {stop}": own_leaves(Htf, least_points=stop) for stop in STOPS if stop != PUBLISHED_STOP},
    **{
        f"kd {ladder}, height {h}": released("kd_tree", height=h, levels=ladder)
        for ladder in LADDERS
        for h in KD_HEIGHTS
    },
    **{
        f"Quad {ladder}, height {h}": released("quadtree", height=h, levels=ladder)
        for ladder in LADDERS
        for h in QUAD_HEIGHTS
    },
    "Adaptive": RIVALS["Adaptive"],
}


def wanted(data: str, epsilon: str) -> list[str]:
    """The methods that run on a data set: all on stand-ins, on others those of Figure 6, with few heights; the default at one budget."""
    if data in STAND_INS:
        return [name for name in METHODS if name != "Adaptive" or epsilon == EPSILONS[0]]
    return [name for name in METHODS if name in (*OTHERS, *COMMON_HEIGHTS)]


def one_run(name: str, epsilon: str, methods: Sequence[str]) -> list[Row]:
    """A run of each method on a data set."""
    cells = grid(name)
    asked = {kind: each for kind, each in queries(cells, SEED).items() if kind in LARGE}
    exact = CumulativeGrid(cells)
    rows: list[Row] = []
    for method in methods:
        rival = METHODS[method]
        made = CumulativeGrid(rival.grid(rival.method((cells.shape[0], cells.shape[1]), Fraction(epsilon)).draw(cells)))
        mre = {}
        for kind, each in asked.items():
            true = exact.count(each).counts
            mre[kind] = float(100 * (np.abs(made.count(each).counts - true) / np.maximum(true, SMOOTHING)).mean())
        rows.append({"method": method, "mre": mre})
    return rows


def summary(rows: Sequence[Row]) -> list[Row]:
    """For each data set, budget and method the mean error of runs by kind of query, the least and the most."""
    by_case: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        by_case.setdefault((row["data"], row["epsilon"], row["method"]), []).append(row)
    found = []
    for (data, epsilon, method), runs in sorted(by_case.items()):
        each: Row = {"data": data, "epsilon": epsilon, "method": method, "runs": len(runs)}
        for kind in LARGE:
            errors = [run["mre"][kind] for run in runs]
            for end, value in (("", fmean(errors)), (" least", min(errors)), (" most", max(errors))):
                each[f"{kind}{end}"] = digits(value)
        found.append(each)
    return found


def against(rows: Sequence[Row]) -> list[Row]:
    """How often HTF is better than each rival at epsilon .1 over all data and kinds: by means, and with bands that do not overlap."""
    sets = list(dict.fromkeys(row["data"] for row in rows if row["epsilon"] == EPSILONS[0]))
    found = []
    for rival in (*[name for name in OTHERS if not name.startswith(HTF)], *FAMILIES):
        counts = {"cells": 0, "better": 0, "surely_better": 0, "surely_worse": 0}
        for data in sets:
            for kind in LARGE:
                one, other = (best_of([*rows], data, EPSILONS[0], name, kind) for name in (HTF, rival))
                counts["cells"] += 1
                counts["better"] += one[kind] < other[kind]
                counts["surely_better"] += one[f"{kind} most"] < other[f"{kind} least"]
                counts["surely_worse"] += one[f"{kind} least"] > other[f"{kind} most"]
        found.append({"rival": rival, **counts})
    return found


def limits(rows: Sequence[Row]) -> list[Limit]:
    """What the default is held to: to be better than the paper's method everywhere."""
    sets = list(dict.fromkeys(row["data"] for row in rows))
    cells = [(data, kind) for data in sets for kind in LARGE]
    ours, theirs = (
        [best_of([*rows], data, EPSILONS[0], name, kind)[kind] for data, kind in cells] for name in ("Adaptive", HTF)
    )
    part = fmean(one < other for one, other in zip(ours, theirs, strict=True))
    return [Limit("data and kinds of query where `adaptive` is better than HTF", part, 1.0, "of them", least=True)]


def overview(rows: Sequence[Row]) -> Iterator[str]:
    """How often HTF wins."""
    found = against(rows)
    yield table(list(found[0]), ([str(value) for value in row.values()] for row in found))


def arguments(parser: argparse.ArgumentParser) -> None:
    """What a part of the study is chosen by."""
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS), help="[default: all]")
    parser.add_argument("--as-is", action="store_true", help="measure nothing more, and write what is there")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes [default: cores]")


def main() -> None:
    """Measure all of it; where none is missing, write and draw it."""
    recorder = Recorder("places_paper", "Figures 3 to 6 of the paper on homogeneous trees.")
    arguments(recorder.parser)
    chosen = recorder.begin()
    kept = Kept(Path(os.devnull) if chosen.quick else chosen.out / "places_paper.part")
    names = [name for sets in GROUPS.values() for name in sets if name not in HELD_OUT]
    cases = [(name, EPSILONS[0]) for name in names] + [(name, each) for name in STAND_INS for each in EPSILONS[1:]]
    runs = RUNS
    if chosen.quick:
        cases, runs = cases[:1], 1
    keys = ("data", "epsilon", "run", "method")
    done = {tuple(row[key] for key in keys) for row in kept.rows}
    # The study of all methods asks the same queries: what it has kept need not be measured twice.
    shared = [
        row for row in Kept(chosen.out / "places_accuracy.part").rows if row["method"] in METHODS and "mre" in row
    ]
    shared = [row for row in shared if (row["data"], row["epsilon"]) in cases and row["run"] < runs]
    shared = [row for row in shared if tuple(row[key] for key in keys) not in done]
    done |= {tuple(row[key] for key in keys) for row in shared}
    with ProcessPoolExecutor(chosen.workers) as pool:
        jobs = {}
        for run in range(runs):
            for name, epsilon in cases:
                due = [method for method in wanted(name, epsilon) if method in chosen.methods]
                missing = [method for method in due if (name, epsilon, run, method) not in done]
                about: dict[str, Json] = {"data": name, "epsilon": epsilon, "run": run, "source": source()}
                if missing and not chosen.as_is:
                    jobs[pool.submit(one_run, name, epsilon, missing)] = about
        for job in as_completed(jobs):
            kept.add([{**jobs[job], **row} for row in job.result()])
    found = [*kept.rows, *shared]
    if set(METHODS) - {row["method"] for row in found}:
        print("Nothing is written yet: some methods are still to be measured")
        return
    rows = summary([row for row in found if row["method"] in wanted(row["data"], row["epsilon"])])
    print("\n".join(overview(rows)))
    document = recorder.end(
        settings={
            "runs": min(row["runs"] for row in rows),
            "queries": QUERIES,
            "seed_of_queries": SEED,
            "sources": ", ".join(sorted({str(row["source"]) for row in found})),
        },
        rows=[*rows],
        limits=limits(rows),
    )
    if not chosen.quick:
        draw(document)


if __name__ == "__main__":
    main()
