"""How near to the truth each method of group sizes comes, by level, under splits of the budget over levels and sizes.

Worlds: the paper's Census-like data, invented anew for each run; the same counties with every share multiplied by e^(0.3 z), z normal, so
that no method is helped by smooth shares; and three public data sets: households by zone of an Oregon area, flights per aircraft, trips
per base and day. Errors are those of published numbers of groups: L1 = sum |n - n'|, the largest |n - n'|, and EMD = sum |c - c'|, for each
level.

Noise is Starling's discrete Laplace, scale 2/eps_l for histograms and 1/eps_l for cumulative counts, which no seed repeats. Methods of one
kind get the same noise. Seeds of worlds are in the rows. Runs that are done are kept beside the result until all are, so that an
interrupted study goes on where it was.
"""

import csv
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.kept import Kept, Row
from bench.measure import Json
from bench.peers import ROOT
from bench.record import Limit, Recorder
from starling.groups.generate import census_like, household_shares, lognormal_shares
from starling.groups.optimise.cumulative import project_cumulative
from starling.groups.optimise.distances import earth_movers_distance
from starling.groups.optimise.empirical_bayes import project_empirical_bayes
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.topdown import project_top_down
from starling.groups.optimise.tree import Int64, Projection, Tree
from starling.groups.optimise.two_step import project_two_step
from starling.groups.plan import Regions, SplitBudget
from starling.privacy.sampling.noise import discrete_laplace

Levels: TypeAlias = tuple[Int64, ...]

RUNS: Final = 10
EPSILONS: Final = (Fraction(1), Fraction(1, 10))
LARGEST: Final = 1000
PERTURBATION: Final = 0.3
SEED: Final = 2021
FLIGHTS: Final = 80.0
TRIPS: Final = 250.0
"""Mean sizes as they may be known beforehand, for budgets by size; no mechanism sees the data."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Data that errors are measured against.

    Attributes:
        tree: The regions.
        levels: int64 (regions, sizes) for each level, root first.
        shares: (sizes,): public shares that a budget by size goes by.
    """

    tree: Tree
    levels: Levels
    shares: npt.NDArray[np.float64]

    @property
    def total(self) -> int:
        """G."""
        return int(self.levels[0].sum())


def census(data: Path, run: int, *, perturbed: bool = False) -> Truth:
    """The paper's Census-like data."""
    world = census_like(data / "us_county_households_2010.csv", seed=SEED + run, largest=LARGEST)
    leaves = world.leaves
    if perturbed:
        random = np.random.default_rng([SEED, run])
        shares = leaves * np.exp(PERTURBATION * random.standard_normal(leaves.shape))
        leaves = random.multinomial(leaves.sum(axis=1), shares / shares.sum(axis=1, keepdims=True))
    return Truth(world.regions.tree, world.regions.sums(leaves), household_shares(LARGEST))


def zones(data: Path) -> Truth:
    """Households of 1 to 4 or more persons in 930 zones of 35 tracts."""
    with (data / "calm_taz_households.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = np.array([[0, *(int(row[f"HHSIZE{size}"]) for size in range(1, 5))] for row in rows])
    return _nested([("", row["TRACTGEOID"], row["TAZ"]) for row in rows], counts, household_shares(4))


def aircraft(data: Path) -> Truth:
    """Aircraft by flights; each lies at its most frequent carrier and origin, by carrier."""
    flights: dict[str, Counter[tuple[str, str]]] = {}
    with (data / "nyc_flights_2013_aircraft.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            flights.setdefault(row["tailnum"], Counter())[row["carrier"], row["origin"]] += int(row["flights"])
    places = {tail: max(sorted(each), key=each.__getitem__) for tail, each in flights.items()}
    groups = Counter((places[tail], sum(each.values())) for tail, each in flights.items())
    return _by_size(groups, 600, lambda place: ("", place[0], "-".join(place)), lognormal_shares(600, FLIGHTS))


def bases(data: Path) -> Truth:
    """Bases of for-hire vehicles on one day, by trips; days by month."""
    with (data / "nyc_fhv_base_day_2015.csv").open(encoding="utf-8") as file:
        groups = Counter(((row["date"],), int(row["trips"])) for row in csv.DictReader(file))
    return _by_size(groups, 4400, lambda place: ("", place[0][:7], place[0]), lognormal_shares(4400, TRIPS))


def _by_size(
    groups: Counter[tuple[Any, int]],
    largest: int,
    path: Callable[[Any], tuple[str, ...]],
    shares: npt.NDArray[np.float64],
) -> Truth:
    """Truth of numbers of groups by place and size."""
    places = sorted({place for place, _ in groups})
    counts = np.zeros((len(places), largest + 1), dtype=np.int64)
    for (place, size), number in groups.items():
        counts[places.index(place), min(size, largest)] += number
    return _nested([path(place) for place in places], counts, shares)


def _nested(paths: Sequence[tuple[str, ...]], counts: Int64, shares: npt.NDArray[np.float64]) -> Truth:
    """Truth of leaves with the names of the regions that they lie in, root first."""
    parents: list[list[int]] = []
    above: list[tuple[str, ...]] = [("",)]
    ids: list[tuple[str, ...]] = [("",)]
    for depth in range(2, len(paths[0]) + 1):
        names = sorted({path[:depth] for path in paths})
        parents.append([above.index(name[:-1]) for name in names])
        above = names
        ids.append(tuple(name[-1] for name in names))
    order = [list(paths).index(name) for name in above]
    tree = Tree.of(parents)
    regions = Regions(tuple(f"level {level}" for level in range(1, tree.levels + 1)), tuple(ids), tree, None)
    return Truth(tree, regions.sums(counts[order].astype(np.int64)), shares)


def _for_shares(epsilon: Fraction, truth: Truth, importance: Sequence[int] | None = None) -> SplitBudget:
    shares = [Fraction(round(float(share) * 10**12), 10**12) for share in truth.shares]
    return SplitBudget.for_shares(epsilon, shares, truth.total, truth.tree.regions, importance)


WORLDS: Final[dict[str, Callable[[Path, int], Truth]]] = {
    "census": census,
    "census, shares perturbed": lambda data, run: census(data, run, perturbed=True),
    "households by zone": lambda data, _: zones(data),
    "flights per aircraft": lambda data, _: aircraft(data),
    "trips per base and day": lambda data, _: bases(data),
}
SPLITS: Final[dict[str, Callable[[Fraction, Truth], SplitBudget]]] = {
    "equal": lambda epsilon, truth: SplitBudget.equal(epsilon, truth.tree.levels),
    "1:3:6": lambda epsilon, _: SplitBudget.weighted(epsilon, [1, 3, 6]),
    "3:3:4": lambda epsilon, _: SplitBudget.weighted(epsilon, [3, 3, 4]),
    "by size": _for_shares,
    "by size, leaves first": lambda epsilon, truth: _for_shares(epsilon, truth, [100, 8, 1]),
}


def variance(scale: float) -> float:
    """Of discrete Laplace noise."""
    q = exp(-1 / scale)
    return 2 * q / (1 - q) ** 2


def histograms(truth: Truth, budget: SplitBudget) -> Iterator[tuple[str, Callable[[], Projection]]]:
    """Methods on noisy histograms."""
    parents, total = truth.tree.parents, truth.total
    noisy = [
        counts + discrete_laplace(2 / amount, counts.shape)
        for counts, amount in zip(truth.levels, budget.amounts[0], strict=True)
    ]
    yield "h", lambda: project_histogram(noisy, parents, total)
    yield "topdown", lambda: project_top_down(noisy, parents, total)


def cumulative(truth: Truth, budget: SplitBudget) -> Iterator[tuple[str, Callable[[], Projection]]]:
    """Methods on noisy cumulative counts; the root's last one, G, is public."""
    parents, total = truth.tree.parents, truth.total
    noisy, variances = [], []
    for level, counts in enumerate(truth.levels):
        sizes = counts.shape[1]
        amounts = budget.by_size(level, sizes)
        values = np.cumsum(counts, axis=1)
        for amount in set(amounts):
            here = [size for size in range(sizes) if amounts[size] == amount]
            values[:, here] += discrete_laplace(1 / amount, (len(counts), len(here)))
        if level == 0:
            values[0, -1] = total
        noisy.append(values)
        variances.append([variance(1 / float(amount)) for amount in amounts])
    yield "c_twostep", lambda: project_two_step(noisy, parents, total, variances)
    yield "c_joint", lambda: project_cumulative(noisy, parents, total, variances)
    yield "c_eb", lambda: project_empirical_bayes(noisy, parents, total, variances)


def errors(found: Projection, truth: Truth) -> Row:
    """L1, EMD and the largest error of each level."""
    off = [one - other for one, other in zip(found.levels, truth.levels, strict=True)]
    l1 = [int(np.abs(each).sum()) for each in off]
    assert max(l1) <= 2 * truth.total
    return {
        "l1": l1,
        "emd": [earth_movers_distance(each) for each in off],
        "most": [int(np.abs(each).max()) for each in off],
        "gap": None if found.gap is None else float(found.gap),
    }


def one_run(truth: Truth, epsilon: Fraction, split: str) -> Iterator[Row]:
    """All methods under one budget; those on histograms under the equal split alone, which is the paper's."""
    budget = SPLITS[split](epsilon, truth)
    methods = [*cumulative(truth, budget), *(histograms(truth, budget) if split == "equal" else ())]
    for method, solve in methods:
        began = perf_counter()
        found = solve()
        yield {"method": method, "seconds": perf_counter() - began, **errors(found, truth)}


def summary(rows: Sequence[Row]) -> list[Json]:
    """Means over runs, and the smallest and largest L1 of the leaves."""
    found: list[Json] = []
    keys = ("world", "epsilon", "split", "method")
    for key in dict.fromkeys(tuple(row[name] for name in keys) for row in rows):
        runs = [row for row in rows if tuple(row[name] for name in keys) == key]
        row: dict[str, Json] = dict(zip(keys, key, strict=True))
        for name, level in product(("l1", "emd", "most"), range(len(runs[0]["l1"]))):
            row[f"{name}_{level + 1}"] = fmean(run[name][level] for run in runs)
        last = [run["l1"][-1] for run in runs]
        gaps = [run["gap"] for run in runs if run["gap"] is not None]
        found.append(
            {
                **row,
                "l1_leaves_least": min(last),
                "l1_leaves_most": max(last),
                "gap": fmean(gaps) if gaps else None,
                "seconds": min(run["seconds"] for run in runs),
                "runs": len(runs),
            }
        )
    return found


def limits(rows: Sequence[Any]) -> list[Limit]:
    """What the best budget is held to on the Census-like data at epsilon 1."""
    best = next(
        row
        for row in rows
        if (row["world"], row["epsilon"], row["split"], row["method"]) == ("census", "1", "by size", "c_eb")
    )
    bounds = {"l1_1": 300.0, "l1_2": 4_300.0, "l1_3": 90_000.0}
    return [
        Limit(f"L1 error of level {name[-1]}, empirical Bayes, budget by size, epsilon 1", best[name], bound, "groups")
        for name, bound in bounds.items()
    ]


def main() -> None:
    """Measure all of it."""
    recorder = Recorder("groups_accuracy", "Errors of methods for group sizes by level and split of the budget.")
    chosen = recorder.begin()
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "groups"
    if not data.is_dir():
        sys.exit("no data: set STARLING_DATA to the folder that holds groups")
    part = chosen.out / "groups_accuracy.part"
    kept = Kept(Path(os.devnull) if chosen.quick else part)
    for world, run in product(WORLDS, range(1 if chosen.quick else RUNS)):
        if chosen.quick and world.startswith("census, "):
            continue
        truth: Truth | None = None
        for epsilon, split in product(EPSILONS[: 1 if chosen.quick else None], SPLITS):
            about: dict[str, Json] = {
                "world": world,
                "run": run,
                "seed": SEED + run,
                "epsilon": str(epsilon),
                "split": split,
            }
            if not kept.has(**about):
                truth = truth or WORLDS[world](data, run)
                kept.add([{**about, **row} for row in one_run(truth, epsilon, split)])
    rows = summary(kept.rows)
    recorder.end(
        settings={
            "runs": RUNS,
            "largest": LARGEST,
            "seeds": [SEED + run for run in range(RUNS)],
            "perturbation": PERTURBATION,
        },
        rows=rows,
        limits=limits(rows),
    )
    if not chosen.quick:
        part.unlink()


if __name__ == "__main__":
    main()
