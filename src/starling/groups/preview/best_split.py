"""The split of a plan's budget that comes nearest to stated errors, found by simulation before anything is spent.

Two families of splits are searched: one split over the levels for all sizes, and, where the plan has public shares of sizes and measures
cumulative counts, splits by size that follow from these shares by the importance of the levels (`SplitBudget.for_shares`). Each is a point
of a grid of logarithms, one for each level. The search goes from the best point to its neighbours, each level being raised or lowered,
first by wide steps and then by narrower ones, whose grid contains the wider one.

All splits are simulated over the same invented groups with the same noise but for its scale (common random numbers), so that a difference
between two of them is known far better than either error. While it searches, sizes far beyond those of the invented groups are left out,
which makes room for more releases; the result is simulated with all. Nothing is read but the plan.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf, log2
from typing import Final, TypeAlias

import numpy as np

from starling.errors import ParameterError, PlanError
from starling.groups.generate import apportioned
from starling.groups.plan import Plan, PublicShares, SplitBudget
from starling.groups.plan.budget import IMPORTANCE
from starling.groups.preview import (
    TRIALS,
    Error,
    Float64,
    errors_json,
    invented_leaves,
    known_shares,
    mean_errors,
    standard_error,
    times,
    trial_errors,
    trials_of,
)
from starling.pages.parts import Section, Table
from starling.privacy.budget import decimal_up
from starling.release.codec import Json
from starling.release.text import rounded

Point: TypeAlias = tuple[int, ...]
"""The place of each level on a grid of logarithms: in quarters of an octave of the budget, half octaves of importance."""
PlanAt: TypeAlias = Callable[[Plan, Point], Plan | None]
"""The plan with the split of a point."""

OCTAVE: Final = 4
"""Parts of the grid that an octave of the budget has, a factor of two."""
IMPORTANCE_OCTAVE: Final = 2
"""Parts of the grid that an octave of importance has: the budget of a level is about as its square root."""
STEPS: Final = (4, 2, 1)
"""By which a search moves, one after the other: factors of 2, 1.41 and 1.19."""
PARTS: Final = 1000
"""A split over levels is rounded to such parts of the budget, of which each level has at least one."""
DIGITS: Final = 3
"""Significant digits of an importance."""
LEAST: Final = 1 / 16
"""Of the largest error over its target: as which smaller ones count where the search begins, and levels without target."""
WIDEST: Final = 80
"""How far apart the levels are searched, on the grid."""
SEARCHED: Final = 1 << 19
"""Cells of all releases together that one split of the search is simulated with, where these are more than two."""
COMPARED: Final = 8
"""Releases that the splits in the result are simulated with, at least."""
SPARE: Final = 2
"""Sizes that a search simulates, over those that some group may be expected to have."""


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
    def best(self) -> Split:
        """The split that comes nearest to the targets."""
        return self.splits[0]

    def outcome(self) -> str:
        """What was found, in a sentence."""
        best = self.best
        return f"{best.name}: the error is at most {rounded(best.missed)} ± {rounded(best.doubt)} times its target"

    def against(self) -> str:
        """What it was compared with, in words."""
        tried = " and ".join(f"{many} splits over {family}" for family, many in self.tried.items())
        searched, shown = (times(number, "invented ") for number in (self.searched, self.releases))
        return f"{tried}, each on the same {searched}; those below on {shown}"

    def rows(self) -> list[tuple[str, ...]]:
        """A line for each split: its name, the error of each level with its standard error, and how far it misses and is behind."""
        return [
            (
                split.name,
                *(f"{rounded(error.l1)} ± {rounded(error.doubt or 0.0)}" for error in split.errors),
                rounded(split.missed),
                f"{rounded(split.behind)} ± {rounded(split.doubt)}" if split is not self.best else "",
            )
            for split in self.splits
        ]

    def header(self) -> tuple[str, ...]:
        """Of `rows`."""
        return ("split", *self.best.plan.regions.levels, "over target", "behind the first by")

    def section(self) -> Section:
        """Its part of the page of a preview."""
        text = f"Found: {self.outcome()}. Compared: {self.against()}. The error after ± is that of the simulation."
        table = Table(self.header(), tuple(self.rows()), "Sum of errors by level, in groups", words=True)
        return Section("The best split for the targets", text, tables=(table,))

    def as_json(self) -> dict[str, Json]:
        """The split that was found, first of those that it was compared with."""
        levels = self.best.plan.regions.levels
        return {
            "targets": dict(self.targets),
            "tried": dict(self.tried),
            "releases": {"search": self.searched, "result": self.releases},
            "splits": [
                {
                    "split": split.name,
                    "bands": list(split.plan.budget.bands),
                    "budget": [[str(amount) for amount in amounts] for amounts in split.plan.budget.amounts],
                    "importance": None
                    if split.plan.shares is None or split.plan.shares.importance is None
                    else [str(weight) for weight in split.plan.shares.importance],
                    "errors": errors_json(levels, split.errors),
                    "over_target": split.missed,
                    "behind": split.behind,
                    "standard_error": split.doubt,
                }
                for split in self.splits
            ],
        }


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
        raise ParameterError("--target", "is not an error of a level of the plan", fix)
    known = known_shares(plan, shares)[0]
    short = _short(plan, known)
    shortened = np.append(known[: short.largest], known[short.largest :].sum())
    trials = min(max(SEARCHED // short.cells, TRIALS[1]), TRIALS[-1])
    search = _Simulation(short, targets, shortened, seed, trials)
    bests: list[Plan] = []
    tried: dict[str, int] = {}
    for family, (start, plan_at) in _families(plan, shares or plan.shares).items():
        before = search.tried
        begin = _balanced(start, plan_at(short, start), search)
        best = plan_at(plan, _descended(begin, partial(plan_at, short), search.missed))
        bests += [] if best is None else [best]
        tried[family] = search.tried - before
    releases = max(trials_of(plan), COMPARED)
    splits = _compared(plan, bests, _Simulation(plan, targets, known, seed, releases))
    return Search(dict(targets), splits, tried, trials, releases)


def _short(plan: Plan, shares: Float64) -> Plan:
    """The plan without the sizes that no group is expected to have, but for some; with an equal split."""
    expected = np.flatnonzero(plan.groups * np.cumsum(shares[::-1])[::-1] >= 1)
    most = int(expected[-1]) if len(expected) else 0
    largest = min(max(SPARE * most, plan.quantity, 1), plan.largest)
    equal = SplitBudget.equal(plan.budget.whole, plan.levels)
    return replace(plan, largest=largest, budget=equal, shares=None)


def _families(plan: Plan, shares: PublicShares | None) -> dict[str, tuple[Point, PlanAt]]:
    """Where the search of each family begins, and what makes a plan of a point."""
    families: dict[str, tuple[Point, PlanAt]] = {"levels": ((0,) * plan.levels, partial(_possible, _over_levels))}
    if shares is not None and plan.cumulative:
        leaves = len(plan.regions.leaves)
        start = tuple(round(IMPORTANCE_OCTAVE * log2(leaves / len(ids)) * IMPORTANCE) for ids in plan.regions.ids)
        families["sizes"] = (start, partial(_possible, partial(_by_size, shares)))
    return families


def _possible(plan_at: Callable[[Plan, Point], Plan], plan: Plan, point: Point) -> Plan | None:
    """The plan of a point, or None where it cannot be: too much noise, or too many levels for a budget by size."""
    try:
        return plan_at(plan, point)
    except (PlanError, ParameterError):
        return None


def _over_levels(plan: Plan, point: Point) -> Plan:
    weights = np.array([2.0 ** (place / OCTAVE) for place in point])
    parts = apportioned(weights, PARTS - len(point)) + 1
    amounts = tuple(plan.budget.whole * Fraction(int(part), PARTS) for part in parts)
    return replace(plan, budget=SplitBudget((0,), (amounts,)), shares=None)


def _by_size(shares: PublicShares, plan: Plan, point: Point) -> Plan:
    weights = (2.0 ** ((place - min(point)) / IMPORTANCE_OCTAVE) for place in point)
    stated = replace(shares, importance=tuple(Fraction(f"{weight:z.{DIGITS}g}") for weight in weights))
    return replace(plan, budget=plan.derived(stated), shares=stated)


def _balanced(point: Point, plan: Plan | None, simulation: "_Simulation") -> Point:
    """Where a search begins: from the errors of a point, at which all would miss alike were they in proportion to 1/budget."""
    if plan is None:
        return point
    ratios = simulation.ratios(simulation.errors(plan)).mean(axis=0)
    least = max(float(ratios.max()) * LEAST, np.finfo(float).tiny)
    return _lowered([place + round(OCTAVE * log2(max(each, least))) for place, each in zip(point, ratios, strict=True)])


def _lowered(point: Sequence[int]) -> Point:
    """The same point with the lowest level at 0."""
    return tuple(place - min(point) for place in point)


def _descended(start: Point, plan_at: Callable[[Point], Plan | None], missed: Callable[[Plan], float]) -> Point:
    """The best point around `start`."""

    def worth(point: Point) -> float:
        candidate = plan_at(point)
        return inf if candidate is None else missed(candidate)

    best = start
    for step in STEPS:
        while (better := min((best, *_around(best, step)), key=worth)) != best:
            best = better
    return best


def _around(point: Point, step: int) -> Iterator[Point]:
    """The neighbours of a point: one level raised or lowered against the others."""
    for level, by in ((level, by) for level in range(len(point)) for by in (step, -step)):
        moved = (*point[:level], point[level] + by, *point[level + 1 :])
        if max(moved) - min(moved) <= WIDEST:
            yield _lowered(moved)


class _Simulation:
    """Splits of one plan over the same invented groups and noise."""

    def __init__(self, plan: Plan, targets: Mapping[str, float], shares: Float64, seed: int, releases: int) -> None:
        self._seed, self._releases = seed, releases
        self._leaves = invented_leaves(plan, shares, seed)
        self._aims = np.array([targets.get(name, inf) for name in plan.regions.levels])
        self._known: dict[SplitBudget, float] = {}

    @property
    def tried(self) -> int:
        """How many splits were looked at by `missed`."""
        return len(self._known)

    def missed(self, plan: Plan) -> float:
        """The largest of the errors over their targets."""
        if plan.budget not in self._known:
            self._known[plan.budget] = float(self.worst(self.errors(plan)).mean())
        return self._known[plan.budget]

    def errors(self, plan: Plan) -> Float64:
        """As of `trial_errors`."""
        return trial_errors(plan, self._leaves, self._releases, self._seed)

    def worst(self, errors: Float64) -> Float64:
        """Release by release, the error over its target of the level that misses its target most in the mean: (trials,)."""
        ratios = self.ratios(errors)
        return np.asarray(ratios[:, ratios.mean(axis=0).argmax()])

    def ratios(self, errors: Float64) -> Float64:
        """Errors over their targets, 0 where there is none: (trials, levels)."""
        return np.asarray(errors[:, :, 0] / self._aims)


def _compared(plan: Plan, bests: Sequence[Plan], simulation: _Simulation) -> tuple[Split, ...]:
    """The best of each family, the plan's own split, and an equal one, the best of them first."""
    equal = replace(plan, budget=SplitBudget.equal(plan.budget.whole, plan.levels), shares=None)
    rivals = {best.budget: (_name(best), best) for best in bests}
    rivals.setdefault(plan.budget, (f"the plan's own, {_name(plan)}", plan))
    rivals.setdefault(equal.budget, (_name(equal), equal))
    errors = [simulation.errors(rival) for _, rival in rivals.values()]
    worst = [simulation.worst(each) for each in errors]
    first = min(range(len(worst)), key=lambda at: float(worst[at].mean()))
    splits = [
        Split(
            name,
            rival,
            mean_errors(errors[at]),
            float(worst[at].mean()),
            float((worst[at] - worst[first]).mean()),
            float(standard_error(worst[at] - (worst[first] if at != first else 0.0))),
        )
        for at, (name, rival) in enumerate(rivals.values())
    ]
    return tuple(sorted(splits, key=lambda split: split.missed))


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
