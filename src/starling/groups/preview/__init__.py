"""How far the numbers of a release will be off, before anything is spent: simulated from public facts alone, or from what is assumed.

Groups are invented over the plan's regions, with public or assumed shares of the sizes; they are measured with invented noise of the plan's
distributions, and made consistent by each method that fits the plan. Nothing is read but the plan, so that a preview can be shown to
anybody; what the true groups make of the same plan may differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import PlanError
from starling.groups.generate import household_shares, invented, inventing, lognormal_shares
from starling.groups.inference.methods import fit
from starling.groups.measurements import measured
from starling.groups.optimise.distances import earth_movers_distance
from starling.groups.optimise.tree import Int64
from starling.groups.plan import ADDS_UP, METHODS, Method, Plan, PublicShares
from starling.pages.parts import Section, Table
from starling.privacy.budget import decimal_up
from starling.privacy.most import warn_of_large
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Grid
from starling.release.text import rounded

if TYPE_CHECKING:
    from starling.groups.preview.best_split import Search

HEADER: Final = (
    "Method",
    "Level",
    "Sum of errors (L1)",
    "Its standard error",
    "Earth mover's distance",
    "Largest error",
)
MOST_SPLITS: Final = 4
"""Bands of sizes whose splits a preview shows one by one; a plan shows all."""

Float64: TypeAlias = npt.NDArray[np.float64]

HOUSEHOLD: Final = 20
"""The largest N at which sizes are assumed to be those of households; beyond it they are assumed to be lognormal."""
MEAN: Final = 8
"""N over the assumed mean of lognormal sizes."""
TRIALS: Final = range(1, 41)
MOST_SIMULATED: Final = 1 << 17
"""Cells of all trials together, where these are more than one."""


@dataclass(frozen=True, slots=True)
class Error:
    """The simulated error of one level, means over the trials.

    Attributes:
        l1: Sum over regions and sizes of how far the published number of groups is off.
        emd: The same of groups of at most each size: the earth mover's distance.
        largest: The most that any number is off.
        doubt: The standard error of `l1`, by how trials differ; None of one trial.
    """

    l1: float
    emd: float
    largest: float
    doubt: float | None


@dataclass(frozen=True, slots=True, repr=False)
class Preview(pages.Preview):
    """What a plan may be expected to give.

    Attributes:
        plan: The public choices.
        assumed: What sizes were assumed, in words.
        methods: The simulated error of each level, by method.
        search: The search that the plan's budget comes from; None where there was none.
    """

    plan: Plan
    assumed: str
    methods: Mapping[Method, tuple[Error, ...]]
    search: "Search | None" = None

    @property
    def best(self) -> Method:
        """The method of least summed error at the last level, among those whose numbers add up."""
        return min((name for name in self.methods if name in ADDS_UP), key=lambda name: self.methods[name][-1].l1)

    def why(self) -> str:
        """Which method is best, in a sentence."""
        level, own = self.plan.regions.levels[-1], self.plan.method
        best, error = self.best, self.methods[self.best][-1].l1
        if best == own:
            return f"the plan's method, {own}, has the least error at the last level, {level}"
        return f"{best} has the least error at the last level, {level}: {rounded(error)} for {rounded(self.methods[own][-1].l1)} of {own}"

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Expected error of numbers of groups by size; {self.plan.cost} for {self.plan.relation}"

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The errors of each method and level, as HEADER has them."""
        return tuple(
            (name, level, *("" if each is None else rounded(each) for each in numbers))
            for name, errors in self.methods.items()
            for level, error in zip(self.plan.regions.levels, errors, strict=True)
            for numbers in [(error.l1, error.doubt, error.emd, error.largest)]
        )

    def sections(self) -> tuple[Section, ...]:
        """The content of the page."""
        text = f"Simulated: {self.assumed}. Of these methods {self.why()}. The true groups may differ from what was assumed."
        budget = tuple(
            (level, *(decimal_up(amounts[at]) for amounts in self.plan.budget.amounts))
            for at, level in enumerate(self.plan.regions.levels)
        )
        bands = tuple(f"From size {first:,}" for first in self.plan.budget.bands)
        caption = "In groups, by method and level; the standard error is that of the simulation"
        return (
            *(() if self.search is None else (self.search.section(),)),
            Section("Expected error", text, tables=(Table(HEADER, self.rows(), caption),)),
            Section("Budget", tables=(Table(("Level", *bands), budget, f"{self.plan.measure} of each level"),)),
        )

    def _facts(self) -> list[tuple[str, str]]:
        splits = [", ".join(map(decimal_up, amounts)) for amounts in self.plan.budget.amounts]
        if len(splits) > MOST_SPLITS:
            splits = [f"{len(splits)} bands of sizes, the first {splits[0]}, the last {splits[-1]}"]
        search = self.search
        return [
            ("preview", self.title),
            ("cost", str(self.plan.cost)),
            ("split", "; ".join(splits)),
            *(() if search is None else (("result", search.outcome()), ("against", search.against()))),
            ("simulated", self.assumed),
            ("best", self.why()),
        ]

    def _parts(self) -> tuple[Grid, ...]:
        search: tuple[Grid, ...] = () if self.search is None else ((self.search.header(), self.search.rows()),)
        return (*search, (HEADER, self.rows()))

    def as_json(self) -> dict[str, Json]:
        """The errors of each method and level, and the split that was searched."""
        levels = self.plan.regions.levels
        search: dict[str, Json] = {} if self.search is None else {"search": self.search.as_json()}
        return search | {
            "assumed": self.assumed,
            "method": self.plan.method,
            "best": self.best,
            "budget": [[str(amount) for amount in amounts] for amounts in self.plan.budget.amounts],
            "bands": list(self.plan.budget.bands),
            "errors": {method: errors_json(levels, errors) for method, errors in self.methods.items()},
        }


def errors_json(levels: Sequence[str], errors: Sequence[Error]) -> dict[str, Json]:
    """The errors of each level, for programs."""
    return {
        level: {"l1": error.l1, "l1_standard_error": error.doubt, "emd": error.emd, "largest": error.largest}
        for level, error in zip(levels, errors, strict=True)
    }


def preview(plan: Plan, shares: PublicShares | None = None, *, seed: int = 1) -> Preview:
    """Simulate a plan with each method that fits it.

    Args:
        plan: The public choices.
        shares: Public shares of the sizes; if None those of the plan, and if it has none, they are assumed.
        seed: Public: the same gives the same preview.
    """
    warn_of_large(plan.cost)
    known, words = known_shares(plan, shares)
    trials = trials_of(plan)
    methods = {each.method: simulate(each, known, trials, seed) for each in _variants(plan)}
    return Preview(plan, f"{words}, {times(trials)}", methods)


def known_shares(plan: Plan, shares: PublicShares | None) -> tuple[Float64, str]:
    """Shares of the sizes 0 to N that a simulation takes, and in words: those given, those of the plan, or assumed ones."""
    if (public := shares or plan.shares) is None:
        return assumed_shares(plan.largest)
    return public.numbers(plan.largest), "sizes of the public shares"


def trials_of(plan: Plan) -> int:
    """How many releases are simulated: more of a small plan, whose errors differ more from one release to the next."""
    return min(max(MOST_SIMULATED // plan.cells, TRIALS[0]), TRIALS[-1])


def times(trials: int, kind: str = "") -> str:
    """So many simulated releases, in words."""
    return f"{trials} {kind}releases" if trials > 1 else f"one {kind}release"


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
    return lognormal_shares(largest, largest / MEAN), f"lognormal sizes of mean {largest / MEAN:z,.0f} assumed"


def simulate(plan: Plan, shares: Float64, trials: int, seed: int) -> tuple[Error, ...]:
    """The error of each level in releases of invented groups."""
    return mean_errors(trial_errors(plan, invented_leaves(plan, shares, seed), trials, seed))


def invented_leaves(plan: Plan, shares: Float64, seed: int) -> Int64:
    """Groups over the regions of a plan that a simulation takes for the true ones: int64 (leaves, N + 1)."""
    return invented(plan.regions.tree, plan.groups, shares, seed=seed, totals=plan.regions.totals)


def trial_errors(plan: Plan, leaves: Int64, trials: int, seed: int) -> Float64:
    """L1, earth mover's distance and largest error of each level in each release: float64 (trials, levels, 3).

    Plans over the same regions that have the same seed meet the same chance, so that trial by trial they differ by their choices alone.
    """
    exact = plan.regions.sums(leaves)
    errors = np.zeros((trials, plan.levels, 3))
    for trial in range(trials):
        published = fit(plan, measured(plan, leaves, inventing(seed + trial + 1))).levels
        for level, (one, other) in enumerate(zip(published, exact, strict=True)):
            apart = one - other
            errors[trial, level] = np.abs(apart).sum(), earth_movers_distance(apart), np.abs(apart).max()
    return errors


def mean_errors(errors: Float64) -> tuple[Error, ...]:
    """The error of each level, of those of all trials (`trial_errors`)."""
    doubts = [None] * errors.shape[1] if len(errors) < 2 else standard_error(errors[:, :, 0]).tolist()
    means = errors.mean(axis=0).tolist()
    return tuple(Error(l1, emd, largest, doubt) for (l1, emd, largest), doubt in zip(means, doubts, strict=True))


def standard_error(errors: Float64) -> Float64:
    """Of the mean over the first axis, which has two trials or more."""
    return np.asarray(errors.std(axis=0, ddof=1) / len(errors) ** 0.5)
