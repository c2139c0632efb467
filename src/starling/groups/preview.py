"""How far the numbers of a release will be off, before anything is spent: simulated from public facts alone, or from what is assumed.

Groups are invented over the plan's regions, with public or assumed shares of the sizes; they are measured with invented noise of the plan's
distributions, and made consistent by each method that fits the plan. Nothing is read but the plan, so that a preview can be shown to
anybody; what the true groups make of the same plan may differ.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError, PlanError
from starling.groups.generate import household_shares, invented, lognormal_shares
from starling.groups.generate.noise import inventing
from starling.groups.inference.methods import fit
from starling.groups.measurements import measured
from starling.groups.optimise.tree import Int64
from starling.groups.plan import METHODS, Method, Plan, SplitBudget
from starling.privacy.budget import decimal_up
from starling.release.report.pages import Section, Table
from starling.release.text import rounded

Float64: TypeAlias = npt.NDArray[np.float64]

HOUSEHOLD: Final = 20
"""The largest N at which sizes are assumed to be those of households; beyond it they are assumed to be lognormal."""
MEAN: Final = 8
"""N over the assumed mean of lognormal sizes."""
TRIALS: Final = range(1, 41)
MOST_SIMULATED: Final = 1 << 17
"""Cells of all trials together, where these are more than one."""
GRID: Final = {1: 1, 2: 20, 3: 10, 4: 8}
"""Parts of the budget that a search shares out, by the number of levels; 1 more than the levels beyond that."""


@dataclass(frozen=True, slots=True)
class Error:
    """The simulated error of one level, means over the trials.

    Attributes:
        l1: Sum over regions and sizes of how far the published number of groups is off.
        emd: The same of groups of at most each size: the earth mover's distance.
        largest: The most that any number is off.
    """

    l1: float
    emd: float
    largest: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What a plan may be expected to give: a `release.report.pages.PreviewPage` too.

    Attributes:
        plan: The public choices.
        assumed: What sizes were assumed, in words.
        methods: The simulated error of each level, by method.
    """

    plan: Plan
    assumed: str
    methods: Mapping[Method, tuple[Error, ...]]

    @property
    def best(self) -> Method:
        """The method of least summed error at the last level, among those whose numbers add up."""
        return min((name for name in self.methods if name != "h_relaxed"), key=lambda name: self.methods[name][-1].l1)

    def why(self) -> str:
        """Which method is best, in a sentence."""
        level, mine = self.plan.regions.levels[-1], self.plan.method
        best, error = self.best, self.methods[self.best][-1].l1
        if best == mine:
            return f"the plan's method, {mine}, has the least error at the last level, {level}"
        return f"{best} has the least error at the last level, {level}: {rounded(error)} for {rounded(self.methods[mine][-1].l1)} of {mine}"

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Expected error of numbers of groups by size; {self.plan.cost} for {self.plan.relation}"

    def sections(self) -> tuple[Section, ...]:
        """The content of the page."""
        rows = tuple(
            (name, level, rounded(error.l1), rounded(error.emd), rounded(error.largest))
            for name, errors in self.methods.items()
            for level, error in zip(self.plan.regions.levels, errors, strict=True)
        )
        header = ("Method", "Level", "Sum of errors (L1)", "Earth mover's distance", "Largest error")
        text = f"Simulated: {self.assumed}. Of these methods {self.why()}. The true groups may differ from what was assumed."
        budget = tuple(
            (level, *(decimal_up(amounts[at]) for amounts in self.plan.budget.amounts))
            for at, level in enumerate(self.plan.regions.levels)
        )
        bands = tuple(f"From size {first:,}" for first in self.plan.budget.bands)
        return (
            Section("Expected error", text, tables=(Table(header, rows, "In groups, by method and level"),)),
            Section("Budget", tables=(Table(("Level", *bands), budget, f"{self.plan.measure} of each level"),)),
        )


def preview(plan: Plan, shares: Float64 | None = None, *, seed: int = 1) -> Preview:
    """Simulate a plan with each method that fits it.

    Args:
        plan: The public choices.
        shares: (N + 1,): public shares of the sizes 0 to N; assumed if None.
        seed: Public: the same gives the same preview.
    """
    known, words = assumed_shares(plan.largest) if shares is None else (shares, "sizes of the shares that were given")
    trials = _trials(plan)
    found = {
        each.method: simulate(each, known, trials, seed)
        for each in _variants(plan)
        if each.cumulative or _one_band(plan)
    }
    times = f"{trials} releases" if trials > 1 else "one release"
    return Preview(plan, f"{words}, {times}", found)


def _trials(plan: Plan) -> int:
    """How many releases are simulated: more of a small plan, whose errors differ more from one release to the next."""
    return min(max(MOST_SIMULATED // plan.cells, TRIALS[0]), TRIALS[-1])


def _one_band(plan: Plan) -> bool:
    return len(plan.budget.bands) == 1


def _variants(plan: Plan) -> Iterator[Plan]:
    """The plan with every method that it can have."""
    for method in METHODS:
        try:
            yield replace(plan, method=method)
        except PlanError:
            continue


def assumed_shares(largest: int) -> tuple[Float64, str]:
    """Shares of the sizes 0 to N where nobody says any, and in words."""
    if largest <= HOUSEHOLD:
        return household_shares(largest), "sizes of households of the United States in 2010 assumed"
    return lognormal_shares(largest, largest / MEAN), f"lognormal sizes of mean {largest / MEAN:,.0f} assumed"


def read_shares(path: Path, largest: int) -> Float64:
    """Public shares of sizes, CSV `size,share` with a header; sizes beyond the largest count as that one.

    Raises:
        ParameterError: it is no such file.
    """
    shares = np.zeros(largest + 1)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                shares[min(int(row["size"]), largest)] += float(row["share"])
        good = bool(shares.min() >= 0 and 0 < shares.sum() < np.inf)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        good = False
    if not good:
        raise ParameterError(field="--shares", problem="is no CSV of size,share", fix="give a share to each size")
    return np.asarray(shares / shares.sum())


def simulate(plan: Plan, shares: Float64, trials: int, seed: int) -> tuple[Error, ...]:
    """The error of each level in releases of invented groups."""
    leaves = invented(plan.regions.tree, plan.groups, shares, seed=seed, totals=plan.regions.totals)
    exact = plan.regions.sums(leaves)
    found = np.zeros((trials, plan.levels, 3))
    for trial in range(trials):
        made = fit(plan, measured(plan, leaves, inventing(seed + trial + 1))).levels
        found[trial] = [_error(one, other) for one, other in zip(made, exact, strict=True)]
    return tuple(Error(*map(float, each)) for each in found.mean(axis=0))


def _error(made: Int64, exact: Int64) -> tuple[int, int, int]:
    apart = made - exact
    return int(np.abs(apart).sum()), int(np.abs(np.cumsum(apart, axis=1)).sum()), int(np.abs(apart).max())


def best_split(plan: Plan, targets: Mapping[str, float], shares: Float64 | None = None, *, seed: int = 1) -> Preview:
    """The plan with the split over levels that comes nearest to stated errors: the largest L1 error over its target is least.

    Args:
        plan: The public choices; its own split is not looked at.
        targets: The L1 error that is aimed at, by the name of the level; of other levels none.
        shares: As of `preview`.
        seed: As of `preview`.

    Raises:
        ParameterError: a level is none of the plan, or a target not above 0.
    """
    levels = plan.regions.levels
    if not targets or not targets.keys() <= set(levels) or min(targets.values()) <= 0:
        fix = f"give errors above 0 of levels, like {levels[-1]}=1000"
        raise ParameterError(field="--target", problem="is not an error of a level of the plan", fix=fix)
    known = assumed_shares(plan.largest)[0] if shares is None else shares
    whole, parts = plan.budget.whole, GRID.get(len(levels), len(levels) + 1)

    def missed(candidate: Plan) -> float:
        errors = dict(zip(levels, simulate(candidate, known, _trials(plan), seed), strict=True))
        return max(errors[name].l1 / target for name, target in targets.items())

    candidates = [
        replace(plan, budget=SplitBudget((0,), (tuple(whole * Fraction(part, parts) for part in split),)))
        for split in product(range(1, parts + 1), repeat=len(levels))
        if sum(split) == parts
    ]
    return preview(min(candidates, key=missed), shares, seed=seed)
