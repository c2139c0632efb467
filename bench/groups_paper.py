"""Table 7 and Figures 7, 8 and 9 of the paper on group sizes (Fioretto, Van Hentenryck and Zhu 2021, Section 11), measured again.

Data: the paper's Census-like and taxi-like data, invented anew for each run from a public seed. Every method gets the noise that its
proof asks for, with the budget split equally over three levels; "half" is half of that noise, which is what the paper's Census figures fit.
The chain gets the paper's noise, and is not private; nothing but this study and the audit knows it. Times are CPU seconds of one core, from
noisy arrays to consistent numbers; of Figure 7 on the taxis cut at N trips, and of solvers and tables on noise of the same shape.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, Final

import numpy as np

from bench.groups_pictures import draw
from bench.measure import Json
from bench.peers import ROOT, running
from bench.record import Limit, Recorder
from starling.audit.groups_cases import chain, chain_fit
from starling.groups.generate import World, census_like, household_shares, invented, taxi_like
from starling.groups.optimise.cumulative import project_cumulative, relaxed_sequences
from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.empirical_bayes import project_empirical_bayes
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.relaxed import project_relaxed
from starling.groups.optimise.topdown import project_top_down
from starling.groups.optimise.tree import Int64, Tree
from starling.groups.optimise.two_step import project_two_step
from starling.groups.plan import Regions
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.sampling.noise import discrete_laplace
from tests.groups.optimise.table_program import Counter, by_trying, hierarchy, objective_by_tables

Levels = Sequence[Int64]
Solve = Callable[[], Levels]

RUNS: Final = 5
SEED: Final = 1
EPSILONS: Final = (Fraction(1, 10), Fraction(1, 2), Fraction(1))
SIZES: Final = (10, 20, 30, 50, 100, 300, 1_000, 3_000, 13_282)
SOLVERS: Final = {"solvers": "solvers_histogram"}
SOLVED: Final = {"osqp": (10, 20, 30, 50, 100), "highs": (10, 20), "tables": (1,)}
"""The N at which each rival answers within minutes."""
CONVERGED: Final = 100
"""Passes of alternating directions after which sequences are those of the relaxed optimum but for less than rounding."""
TRIED: Final = (10, 20, 40, 80, 160)
"""Groups of the small world in which all values are tried."""


def counted(noisy: Levels, world: World) -> dict[str, Solve]:
    """The methods on noisy histograms."""
    parents, groups = world.regions.tree.parents, world.groups
    return {
        "h_relaxed": lambda: project_relaxed(noisy, parents, groups).levels,
        "h": lambda: project_histogram(noisy, parents, groups).levels,
        "topdown": lambda: project_top_down(noisy, parents, groups).levels,
    }


def cumulated(noisy: Levels, world: World, scale: Fraction) -> dict[str, Solve]:
    """The methods on noisy cumulative counts."""
    parents, groups = world.regions.tree.parents, world.groups
    variances = [standard_deviation(DiscreteLaplace(scale)) ** 2] * len(noisy)
    return {
        "c_relaxed": lambda: relaxed(noisy, world),
        "c_twostep": lambda: project_two_step(noisy, parents, groups).levels,
        "c_joint": lambda: project_cumulative(noisy, parents, groups).levels,
        "c_eb": lambda: project_empirical_bayes(noisy, parents, groups, variances).levels,
    }


def relaxed(noisy: Levels, world: World) -> Levels:
    """The relaxed program on cumulative counts, each of them rounded to the nearest integer: the paper's M^{c,r}."""
    problem = CumulativeProblem.of(noisy, world.regions.tree.parents, world.groups, None, None)
    sequences = np.rint(relaxed_sequences(problem, CONVERGED)[0]).astype(np.int64)
    return [np.diff(sequences[problem.tree.rows(level)], axis=1, prepend=0) for level in range(problem.tree.levels)]


def chained(noisy: Levels, world: World) -> dict[str, Solve]:
    """The chain."""
    ends = [np.arange(len(world.leaves))]
    for parents in reversed(world.regions.tree.parents):
        last = np.searchsorted(parents, np.arange(parents[-1] + 1), side="right") - 1
        ends.append(ends[-1][last])
    return {"chain_published": lambda: world.regions.sums(chain_fit(noisy, ends[::-1], world.groups)[0])}


def methods(world: World, epsilon: Fraction) -> Iterator[tuple[str, Solve]]:
    """Every method, with noise of its own kind drawn once."""
    share = epsilon / len(world.counts)
    plain = [level + discrete_laplace(2 / share, level.shape) for level in world.counts]
    yield from counted(plain, world).items()
    sums = [np.cumsum(level, axis=1) for level in world.counts]
    below = [level + discrete_laplace(1 / share, level.shape) for level in sums]
    below[0][0, -1] = world.groups
    yield from cumulated(below, world, 1 / share).items()
    chains = [chain(level, "size") for level in world.counts]
    yield from chained([(each + discrete_laplace(1 / share, each.shape))[None] for each in chains], world).items()


def errors(made: Levels, world: World) -> dict[str, Any]:
    """L1 of each level, and the cells that are not the sum over the regions inside."""
    broken = 0
    for above, below, parents in zip(made, made[1:], world.regions.tree.parents, strict=False):
        sums = np.zeros_like(above)
        np.add.at(sums, parents, below)
        broken += int(np.count_nonzero(sums != above))
    l1 = [int(np.abs(mine - true).sum()) for mine, true in zip(made, world.counts, strict=True)]
    return {"l1": l1, "broken": broken, "over": max(l1) / (2 * world.groups)}


def one(world: World, epsilon: Fraction) -> Iterator[dict[str, Any]]:
    """Errors and seconds of every method."""
    for method, solve in methods(world, epsilon):
        began = process_time()
        made = solve()
        yield {"method": method, "seconds": process_time() - began, **errors(made, world)}


def summary(about: dict[str, Json], runs: Sequence[dict[str, Any]]) -> dict[str, Json]:
    """Means over the runs, and their least and most."""
    row: dict[str, Json] = dict(about)
    for level in range(len(runs[0]["l1"])):
        found = [run["l1"][level] for run in runs]
        row |= {f"l1_{level + 1}": fmean(found), f"l1_{level + 1}_low": min(found), f"l1_{level + 1}_high": max(found)}
    seconds = [round(run["seconds"], 5) for run in runs]
    row |= {"seconds": fmean(seconds), "seconds_low": min(seconds), "seconds_high": max(seconds)}
    return row | {"broken": fmean(run["broken"] for run in runs), "over": max(run["over"] for run in runs)}


def accuracy(worlds: dict[str, Callable[[int], World]], runs: int) -> Iterator[dict[str, Json]]:
    """Table 7 and Figures 8 and 9."""
    found: dict[tuple[str, str, str, str], list[dict[str, Any]]] = {}
    for (data, make), run in product(worlds.items(), range(runs)):
        world = make(SEED + run)
        for epsilon, noise in product(EPSILONS, ("proven", "half") if data == "census" else ("proven",)):
            for row in one(world, epsilon if noise == "proven" else 2 * epsilon):
                found.setdefault((data, noise, str(epsilon), row["method"]), []).append(row)
            print(data, run, epsilon, noise, flush=True)
    for (data, noise, said, method), each in found.items():
        about: dict[str, Json] = {"figure": "9", "data": data, "noise": noise, "epsilon": said, "method": method}
        yield summary(about, each)


def scaling(sizes: Sequence[int], runs: int) -> Iterator[dict[str, Json]]:
    """Figure 7: our methods on the taxis cut at N trips, at epsilon 1."""
    for size in sizes:
        world = taxi_like(seed=SEED, largest=size)
        rows = [row for _ in range(runs) for row in one(world, Fraction(1))]
        for method in dict.fromkeys(row["method"] for row in rows):
            seconds = [row["seconds"] for row in rows if row["method"] == method]
            yield {"figure": "7", "sizes": size, "method": method, "seconds": min(seconds)}


def rivals(peers: dict[str, Any], quick: bool) -> Iterator[dict[str, Json]]:
    """Figure 7: a solver of convex programs and one of quadratic ones on the relaxed problem, and the paper's tables."""
    for solver, sizes in SOLVED.items():
        for size in sizes[:1] if quick else sizes:
            if solver == "tables":
                world = taxi_like(seed=SEED, largest=size)
                noisy = [level + discrete_laplace(6, level.shape) for level in world.counts]
                began = process_time()
                objective_by_tables(noisy, world.regions.tree.parents, world.groups, [1] * len(noisy))
                seconds = process_time() - began
            elif "solvers" in peers:
                seconds = peers["solvers"].seconds(solver=solver, counties=263, sizes=size, groups=13_282)
            else:
                continue
            print(solver, size, seconds, flush=True)
            yield {"figure": "7", "sizes": size, "method": solver, "seconds": seconds}


def structure() -> Iterator[dict[str, Json]]:
    """The paper's program without the structure of its costs, which tries all values of the children, beside its tables and `h`."""
    tree = Tree.of([[0, 0], [0, 0, 1, 1]])
    for groups in TRIED:
        leaves = invented(tree, groups, household_shares(2), seed=SEED)
        counts = Regions(("nation", "state", "county"), ((), (), ()), tree, None).sums(leaves)
        noisy = [level + discrete_laplace(6, level.shape) for level in counts]
        solved: dict[str, Callable[[], object]] = {
            "h": partial(project_histogram, noisy, tree.parents, groups),
            "tables": partial(objective_by_tables, noisy, tree.parents, groups, [1] * 3),
            "tables, tried": partial(by_trying, hierarchy(noisy, tree.parents, groups, [1] * 3), Counter()),
        }
        for method, solve in solved.items():
            began = process_time()
            solve()
            yield {"figure": "7, structure", "groups": groups, "method": method, "seconds": process_time() - began}


def limits(rows: Sequence[Any]) -> list[Limit]:
    """What adds up is off by 2 G at most, and the relaxed program loses consistency, not accuracy."""
    last = [row for row in rows if row["figure"] == "9" and row["noise"] == "proven"]
    over = max(row["over"] for row in last if not row["method"].endswith("_relaxed"))
    loose, exact = (
        [row for row in last if row["epsilon"] == "1" and row["method"] == name] for name in ("h_relaxed", "h")
    )
    apart = max(
        abs(one[f"l1_{level}"] / other[f"l1_{level}"] - 1)
        for one, other in zip(loose, exact, strict=True)
        for level in (1, 2, 3)
    )
    return [
        Limit("largest error of numbers of groups that add up, over 2 G", over, 1, "times"),
        Limit("errors of the relaxed program and of the optimum at epsilon 1, apart", apart, 0.02, "of the error"),
    ]


def main() -> None:
    """Measure all of it, and draw the pictures."""
    recorder = Recorder(
        "groups_paper", "The tables and figures of the paper on group sizes, measured again.", peers=True
    )
    chosen = recorder.begin()
    counties = (
        Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data")
        / "groups"
        / "us_county_households_2010.csv"
    )
    if not counties.is_file():
        sys.exit("no data: set STARLING_DATA to the folder that holds groups")
    runs = 1 if chosen.quick else RUNS
    worlds: dict[str, Callable[[int], World]] = {"taxi": lambda seed: taxi_like(seed=seed)}
    if chosen.quick:
        worlds = {"taxi": lambda seed: taxi_like(seed=seed, largest=100)}
    else:
        worlds["census"] = lambda seed: census_like(counties, seed=seed)
    for _ in one(taxi_like(seed=SEED, largest=10), Fraction(1)):
        pass  # Kernels are compiled.
    rows: list[Json] = list(scaling(SIZES[:2] if chosen.quick else SIZES, min(runs, 3)))
    with running(SOLVERS, chosen.peers) as peers:
        rows += list(rivals(peers, chosen.quick))
    rows += list(structure())
    rows += list(accuracy(worlds, runs))
    document = recorder.end(settings={"runs": runs, "seed": SEED, "levels": 3}, rows=rows, limits=limits(rows))
    if not chosen.quick:
        draw(document)


if __name__ == "__main__":
    main()
