"""The exact optimum on histograms: CPU seconds on one core, against OSQP and HiGHS on the relaxed problem and the paper's tables.

CPU seconds, since all of them work on one core: others on the machine change them less than they change the clock's. The solvers' times are
theirs alone, without building the model; ours has everything from noisy arrays to the checked certificate.
"""

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Final

import numpy as np

from bench.group_shapes import problem
from bench.measure import Json, Spread, cpu, in_turn, ratios
from bench.peers import Peer, running
from bench.record import Limit, Recorder
from starling.groups.optimise.histogram import project_histogram
from tests.groups.optimise.table_program import objective_by_tables

SCRIPTS: Final = {"solvers": "solvers_histogram"}
HOUSEHOLDS: Final = 117_630_445
COUNTIES: Final = 3_143
Shape = tuple[int, int, int]
"""Counties, sizes, groups."""
SHAPES: Final[dict[Shape, tuple[str, ...]]] = {
    (COUNTIES, 1_001, HOUSEHOLDS): (),
    (COUNTIES, 10_010, HOUSEHOLDS): (),
    (COUNTIES, 10, HOUSEHOLDS): ("osqp",),
    (COUNTIES, 30, HOUSEHOLDS): ("osqp",),
    (60, 4, 2_000): ("osqp", "highs", "tables"),
}
"""Which rivals can do each shape in some seconds."""
QUICK: Final[dict[Shape, tuple[str, ...]]] = {(60, 3, 200): ("osqp", "highs", "tables")}
BOUNDS: Final = {1_001: 0.05, 10_010: 0.5}
"""Seconds by sizes."""


def exact(shape: Shape, *, totals: bool) -> float:
    """CPU seconds of ours, with a proven optimum or not at all."""
    noisy, parents, total = problem(*shape)
    public = None
    if totals:
        # The totals that the noisy counts are nearest to, made to add up: what is public is not the point here.
        leaves = project_histogram(noisy, parents, total).levels
        public = [level.sum(axis=1) for level in leaves]
    began = process_time()
    found = project_histogram(noisy, parents, total, None, public)
    took = process_time() - began
    if not found.certified:
        raise RuntimeError("the optimum was not certified")
    return took


def rivals(shape: Shape, names: tuple[str, ...], peers: dict[str, Peer]) -> dict[str, Callable[[], float]]:
    """What is measured on one shape."""
    counties, sizes, groups = shape
    found: dict[str, Callable[[], float]] = {"starling": partial(exact, shape, totals=False)}
    if sizes <= 1_001:
        found["starling, region totals"] = partial(exact, shape, totals=True)
    for name in names:
        if name == "tables":
            noisy, parents, total = problem(*shape)
            program = partial(objective_by_tables, noisy, parents, total, [1] * len(noisy))
            found[name] = partial(cpu, program)
        elif "solvers" in peers:
            found[name] = partial(peers["solvers"].seconds, solver=name, counties=counties, sizes=sizes, groups=groups)
    return found


def main() -> None:
    """Measure all shapes and write the result."""
    recorder = Recorder("groups_histogram", "The exact optimum on histograms against solvers and tables.", peers=True)
    chosen = recorder.begin()
    shapes, rounds = (QUICK, 1) if chosen.quick else (SHAPES, 3)
    rows: list[Json] = []
    limits = []
    with running(SCRIPTS, chosen.peers) as peers:
        for shape, names in shapes.items():
            calls = rivals(shape, names, peers)
            for name in list(calls)[:2]:
                calls[name]()  # Kernels are compiled.
            found = in_turn(calls, rounds)
            counties, sizes, groups = shape
            cells = sum(array.size for array in problem(*shape)[0])
            rows.append(
                {
                    "counties": counties,
                    "sizes": sizes,
                    "groups": groups,
                    "cells": cells,
                    "cpu_seconds": {name: Spread.of(seconds).to_json() for name, seconds in found.items()},
                    "times_faster": {
                        name: ratios(found[name], found["starling"]).to_json() for name in names if name in found
                    },
                }
            )
            if sizes in BOUNDS:
                what = f"exact optimum on histograms, {cells / 1e6:.1f} million cells, with its certificate"
                limits.append(Limit.of(what, Spread.of(found["starling"]), BOUNDS[sizes], "CPU s"))
    recorder.end(
        settings={"rounds": rounds, "threads": 1, "epsilon": 1, "numpy": np.__version__},
        rows=rows,
        limits=limits,
        peers=list(peers.values()),
    )


if __name__ == "__main__":
    main()
