"""The split of a plan's budget that comes nearest to stated errors, found by simulation before anything is spent.

Two families of splits are searched: one split over the levels for all sizes, and, where the plan has public shares of sizes and measures
cumulative counts, splits by size that follow from these shares by the importance of the levels (`SplitBudget.for_shares`). Each is a point
of a grid of logarithms, one for each level. The search goes from the best point to its neighbours, each level being raised or lowered,
first by wide steps and then by narrower ones, whose grid contains the wider one.

All splits are simulated over the same invented groups with the same noise but for its scale (common random numbers), so that a difference
between two of them is known far better than either error. Nothing is read but the plan.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log2
from typing import Final, TypeAlias

import numpy as np

from starling.errors import ParameterError, PlanError
from starling.groups.generate import apportioned
from starling.groups.plan import Plan, PublicShares, SplitBudget
from starling.groups.plan.budget import IMPORTANCE
from starling.groups.preview import (
    Error,
    Float64,
    invented_leaves,
    known_shares,
    mean_errors,
    standard_error,
    trial_errors,
    trials_of,
)
from starling.privacy.budget import decimal_up
from starling.release.report.pages import Section, Table
from starling.release.text import rounded

Point: TypeAlias = tuple[int, ...]
"""The place of each level on a grid of logarithms, in quarters of an octave."""

OCTAVE: Final = 4
"""Parts of the grid that an octave, a factor of two, has."""
STEPS: Final = (8, 4, 2, 1)
"""By which a search moves, one after the other: factors of 4, 2, 1.41 and 1.19."""
PARTS: Final = 1000
"""A split over levels is rounded to such parts of the budget, of which each level has at least one."""
DIGITS: Final = 3
"""Significant digits of an importance."""
WIDEST: Final = 80
"""How far apart the levels are searched, on the grid."""
COMPARED: Final = 4
"""Releases that the splits in the result are simulated with, at least."""


@dataclass(frozen=True, slots=True)
class Split:
    """A split of the budget, and what it is expected to give.

    Attributes:
        name: What it is, in words.
        plan: The plan with it.
        errors: The simulated error of each level.
        missed: The largest of the errors over their targets: at most 1 where all targets are reached.
        behind: By how much `missed` exceeds that of the split that was found.
        doubt: The standard error of `behind`; of the split that was found that of `missed`.
    """

    name: str
    plan: Plan
    errors: tuple[Error, ...]
    missed: float
    behind: float
    doubt: float


@dataclass(frozen=True, slots=True)
class Search:
    """The outcome of a search.

    Attributes:
        targets: The L1 error that was aimed at, by the name of the level.
        splits: The one that was found, then those that it is compared with.
        tried: How many splits of each family, over levels or sizes, were simulated.
        searched: How many releases each of them was simulated with.
        releases: How many releases the splits of the result were simulated with.
    """

    targets: Mapping[str, float]
    splits: tuple[Split, ...]
    tried: Mapping[str, int]
    searched: int
    releases: int

    @property
    def found(self) -> Split:
        """The split that comes nearest to the targets."""
        return self.splits[0]

    def outcome(self) -> str:
        """What was found, in a sentence."""
        best = self.found
        return f"{best.name}: the error is at most {rounded(best.missed)} ± {rounded(best.doubt)} times its target"

    def against(self) -> str:
        """What it was compared with, in words."""
        tried = " and ".join(f"{many} splits over {family}" for family, many in self.tried.items())
        return f"{tried}, each on the same {_releases(self.searched)}; those below on {_releases(self.releases)}"

    def rows(self) -> list[tuple[str, ...]]:
        """A line for each split: its name, the error of each level with its standard error, and how far it misses and is behind."""
        return [
            (
                split.name,
                *(f"{rounded(error.l1)} ± {rounded(error.doubt or 0.0)}" for error in split.errors),
                rounded(split.missed),
                f"{rounded(split.behind)} ± {rounded(split.doubt)}" if split is not self.found else "",
            )
            for split in self.splits
        ]

    def header(self) -> tuple[str, ...]:
        """Of `rows`."""
        return ("split", *self.found.plan.regions.levels, "over target", "behind the first by")

    def section(self) -> Section:
        """Its part of the page of a preview."""
        text = f"Found: {self.outcome()}. Compared: {self.against()}. The error after ± is that of the simulation."
        table = Table(self.header(), tuple(self.rows()), "Sum of errors by level, in groups", words=True)
        return Section("The best split for the targets", text, tables=(table,))


def _releases(number: int) -> str:
    return f"{number} invented releases" if number > 1 else "one invented release"


def best_split(
    plan: Plan, targets: Mapping[str, float], shares: PublicShares | None = None, *, seed: int = 1
) -> Search:
    """The split that comes nearest to stated errors: the largest L1 error over its target is least.

    Args:
        plan: The public choices; its own split is compared with what is found.
        targets: The L1 error that is aimed at, by the name of the level; of other levels none.
        shares: As of `preview`.
        seed: As of `preview`.

    Raises:
        ParameterError: a level is none of the plan, or a target not above 0.
    """
    levels = plan.regions.levels
    if not targets or not targets.keys() <= set(levels) or not all(0 < each < inf for each in targets.values()):
        fix = f"give errors above 0 of levels, like {levels[-1]}=1000"
        raise ParameterError(field="--target", problem="is not an error of a level of the plan", fix=fix)
    simulation = _Simulation(plan, targets, known_shares(plan, shares)[0], seed)
    bests: dict[str, Plan] = {}
    tried: dict[str, int] = {}
    for family, (start, made) in _families(plan, shares or plan.shares).items():
        before = simulation.tried
        if (best := _descended(start, made, simulation.missed)) is not None:
            bests[family] = best
        tried[family] = simulation.tried - before
    return simulation.compared(bests, tried)


def _families(plan: Plan, shares: PublicShares | None) -> dict[str, tuple[Point, Callable[[Point], Plan | None]]]:
    """Where the search of each family begins, and the plan of a point."""
    found: dict[str, tuple[Point, Callable[[Point], Plan | None]]] = {
        "levels": ((0,) * plan.levels, lambda point: _possible(lambda: _over_levels(plan, point)))
    }
    if shares is not None and plan.cumulative:
        leaves = len(plan.regions.leaves)
        start = tuple(round(OCTAVE * log2(leaves / len(ids)) * IMPORTANCE) for ids in plan.regions.ids)
        found["sizes"] = (start, lambda point: _possible(lambda: _by_size(plan, shares, point)))
    return found


def _possible(made: Callable[[], Plan]) -> Plan | None:
    """The plan, or None where it cannot be: too much noise, or too many levels for a budget by size."""
    try:
        return made()
    except (PlanError, ParameterError):
        return None


def _over_levels(plan: Plan, point: Point) -> Plan:
    weights = np.array([2.0 ** (place / OCTAVE) for place in point])
    parts = apportioned(weights, PARTS - len(point)) + 1
    amounts = tuple(plan.budget.whole * Fraction(int(part), PARTS) for part in parts)
    return replace(plan, budget=SplitBudget((0,), (amounts,)), shares=None)


def _by_size(plan: Plan, shares: PublicShares, point: Point) -> Plan:
    weights = (2.0 ** ((place - min(point)) / OCTAVE) for place in point)
    stated = replace(shares, importance=tuple(Fraction(f"{weight:.{DIGITS}g}") for weight in weights))
    return replace(plan, budget=plan.derived(stated), shares=stated)


def _descended(start: Point, made: Callable[[Point], Plan | None], missed: Callable[[Plan], float]) -> Plan | None:
    """The best plan around `start`; None where not even that one can be."""

    def worth(point: Point) -> float:
        candidate = made(point)
        return inf if candidate is None else missed(candidate)

    best = start
    for step in STEPS:
        while (better := min((best, *_around(best, step)), key=worth)) != best:
            best = better
    return made(best)


def _around(point: Point, step: int) -> Iterator[Point]:
    """The neighbours of a point: one level raised or lowered against the others."""
    for level, by in ((level, by) for level in range(len(point)) for by in (step, -step)):
        moved = (*point[:level], point[level] + by, *point[level + 1 :])
        lowest = min(moved)
        if max(moved) - lowest <= WIDEST:
            yield tuple(place - lowest for place in moved)


class _Simulation:
    """Splits of one plan over the same invented groups and noise."""

    def __init__(self, plan: Plan, targets: Mapping[str, float], shares: Float64, seed: int) -> None:
        self._plan, self._targets, self._seed = plan, targets, seed
        self._leaves = invented_leaves(plan, shares, seed)
        self._aims = [(at, targets[name]) for at, name in enumerate(plan.regions.levels) if name in targets]
        self._known: dict[SplitBudget, float] = {}
        self.releases = trials_of(plan)

    @property
    def tried(self) -> int:
        """How many splits were simulated."""
        return len(self._known)

    def missed(self, plan: Plan) -> float:
        """The largest of the errors over their targets."""
        if plan.budget not in self._known:
            self._known[plan.budget] = float(self._ratios(self._errors(plan, self.releases)).mean(axis=0).max())
        return self._known[plan.budget]

    def _errors(self, plan: Plan, trials: int) -> Float64:
        return trial_errors(plan, self._leaves, trials, self._seed)

    def _ratios(self, errors: Float64) -> Float64:
        """Errors over their targets: (trials, targets)."""
        return np.stack([errors[:, at, 0] / target for at, target in self._aims], axis=1)

    def compared(self, bests: Mapping[str, Plan], tried: Mapping[str, int]) -> Search:
        """The better of the best of each family, beside the other, the plan's own split, and an equal one."""
        releases = max(self.releases, COMPARED)
        equal = replace(self._plan, budget=SplitBudget.equal(self._plan.budget.whole, self._plan.levels), shares=None)
        rivals = {plan.budget: (_name(plan), plan) for plan in bests.values()}
        rivals.setdefault(self._plan.budget, (f"the plan's own, {_name(self._plan)}", self._plan))
        rivals.setdefault(equal.budget, (_name(equal), equal))
        errors = [self._errors(plan, releases) for _, plan in rivals.values()]
        ratios = [self._ratios(each) for each in errors]
        # Each one's ratio at the level where it misses most, release by release: their means are what is compared.
        worst = [each[:, each.mean(axis=0).argmax()] for each in ratios]
        first = min(range(len(worst)), key=lambda at: (worst[at].mean(), at))
        splits = [
            Split(
                name,
                plan,
                mean_errors(errors[at]),
                float(worst[at].mean()),
                float((worst[at] - worst[first]).mean()),
                float(standard_error(worst[at] - (worst[first] if at != first else 0.0))),
            )
            for at, (name, plan) in enumerate(rivals.values())
        ]
        ordered = sorted(splits, key=lambda split: split.missed)
        return Search(dict(self._targets), tuple(ordered), dict(tried), self.releases, releases)


def _name(plan: Plan) -> str:
    """A split in words: what stands in a plan file for it."""
    if plan.shares is not None:
        importance = plan.shares.importance
        return f"by size, importance {_listed(importance)}" if importance is not None else "by size"
    if len(plan.budget.bands) > 1:
        return f"{len(plan.budget.bands)} bands of sizes"
    return f"split {_listed(plan.budget.amounts[0])}"


def _listed(numbers: Sequence[Fraction]) -> str:
    return ", ".join(map(decimal_up, numbers))
