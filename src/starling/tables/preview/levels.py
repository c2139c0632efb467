"""The exact error of every kind of number of a level, and what becomes of its groups by their true size."""

from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, sqrt

from starling.tables.inference.combined import at_least, margin, standard_deviation, tail
from starling.tables.inference.distribution import Ends, ends
from starling.tables.inference.totals import (
    CONFIDENCE,
    deviation_of,
    half_width,
    run_deviation,
    suppression_quantile,
    total_distribution,
    what_is_chosen,
)
from starling.tables.plan import Level, LevelOverview, Noise, Plan


@dataclass(frozen=True, slots=True)
class Error:
    """The noise in one published number.

    Attributes:
        standard_deviation: Standard deviation of the noise, in persons.
        margin: Smallest M, in persons, that the error exceeds with probability at most 5 %.
    """

    standard_deviation: float
    margin: int

    @property
    def width(self) -> int:
        """Width of the published interval, upper minus lower end, before it is clamped at 0."""
        return 2 * self.margin


@dataclass(frozen=True, slots=True)
class BranchPreview:
    """The numbers of a group that takes one branch.

    Attributes:
        branch: Thresholds at or below the deciding total.
        total: Error of the group's T1 row, the sum of its cells.
        sex: Error of a sum over the last attribute of the detail in T2, where there are any.
        cell: Error of a cell of T2, where there are any.
    """

    branch: int
    cells: int
    total: Error
    sex: Error | None
    cell: Error | None


@dataclass(frozen=True, slots=True)
class SizePreview:
    """What happens to a group of known true size that is measured in two stages.

    Attributes:
        branches: Probability of each branch from 0 on; they add up to 1.
        suppressed: Probability that the group is not published.
        total: Error of its T1 row when it takes its likeliest branch.
        covered: Probability that the interval of its T1 row holds the true size, given that the row is published; 1 where it
            never is. Suppression looks at the same noise as the interval does, so for small groups this is below what
            margins state.
    """

    persons: int
    branches: tuple[float, ...]
    suppressed: float
    total: Error
    covered: float

    @property
    def likeliest(self) -> int:
        """The branch that the group most likely takes."""
        return max(range(len(self.branches)), key=self.branches.__getitem__)

    @property
    def relative_margin(self) -> float | None:
        """Margin of the total as a share of the true size; None for an empty group."""
        return self.total.margin / self.persons if self.persons else None


@dataclass(frozen=True, slots=True)
class LevelPreview:
    """One population group level.

    Attributes:
        overview: The level's budget, noise, stability, and numbers of regions and groups.
        total: Error of a group that is a bare total by plan; None where there is none.
        stage1: Error of the total that chooses the branch, which is not published; None where all groups are bare totals.
        branches: The numbers of groups measured in two stages, by branch; empty where there are none.
        sizes: The groups measured in two stages by true size; empty where there are none.
        bar: A bare total is published when it is strictly above this; None where nothing is suppressed.
    """

    overview: LevelOverview
    total: Error | None
    stage1: Error | None
    branches: tuple[BranchPreview, ...]
    sizes: tuple[SizePreview, ...]
    bar: int | None

    def errors(self, kinds: int) -> tuple[Error | None, ...]:
        """The errors of so many kinds of numbers, None where the level has no such number.

        The kinds are a total by plan; and of groups measured in two stages a bare total, a cell, and the total of each partition.
        """
        staged = [branch.total for branch in self.branches]
        known = (self.total, staged[0], self.branches[-1].cell, *staged[1:]) if staged else (self.total,)
        return (*known, *([None] * (kinds - len(known))))

    @property
    def margins_text(self) -> str:
        """The margins of cells and totals, in short."""
        cells_of = sorted({branch.cell.margin for branch in self.branches if branch.cell})
        totals = [branch.total.margin for branch in self.branches] + ([self.total.margin] if self.total else [])
        low, high = min(totals), max(totals)
        total = f"total ± {low:,}" if low == high else f"total ± {low:,} to ± {high:,}"
        return "; ".join([*(f"cell ± {margin:,}" for margin in cells_of), total])

    @property
    def empty_suppressed(self) -> float:
        """Probability that an empty group is not published."""
        return next((size.suppressed for size in self.sizes if size.persons == 0), 0.0)


def preview_level(plan: Plan, overview: LevelOverview, persons: tuple[int, ...]) -> LevelPreview:
    """One level, with groups of some true sizes."""
    level, stage_noise = overview.level, overview.stage_noise
    total = _error(plan.noise(level, total_only=True)) if overview.total_only else None
    if overview.total_only == overview.iterations:
        return LevelPreview(overview, total, None, (), (), None)
    branches = tuple(_branch(plan, level, branch) for branch in range(len(plan.detail.sizes)))
    bar = suppression_quantile(plan, level)
    sizes = tuple(_size(size, plan, level, bar, branches) for size in persons)
    return LevelPreview(overview, total, _error(stage_noise.stage1), branches, sizes, bar)


def _error(distribution: Noise, terms: int = 1) -> Error:
    return Error(sqrt(terms) * standard_deviation(distribution), margin(distribution, 1 - CONFIDENCE, terms))


def _branch(plan: Plan, level: Level, branch: int) -> BranchPreview:
    size, distribution = plan.detail.sizes[branch], plan.noise(level)
    total = Error(deviation_of(plan, level, branch), half_width(plan, level, branch))
    if size == 1:
        return BranchPreview(branch, size, total, None, None)
    # Intervals of cells and sexes are those of the stage-2 measurement, whatever is made of the total.
    sex, cell = (
        Error(run_deviation(plan, level, branch, terms), margin(distribution, 1 - CONFIDENCE, terms)) if terms else None
        for terms in (plan.detail.widths[branch], 1)
    )
    return BranchPreview(branch, size, total, sex, cell)


def _size(persons: int, plan: Plan, level: Level, bar: int | None, branches: tuple[BranchPreview, ...]) -> SizePreview:
    second = plan.noise(level)
    chance = branch_chances(plan, level, persons)
    covered = [
        share * (1 - tail(second, branch.total.margin, branch.cells))
        for share, branch in zip(chance, branches, strict=True)
    ]
    stays = 1.0
    if bar is not None:
        # A bare total is published when its noise is above `bar - persons`, and covers when it is within the margin.
        reach, least = branches[0].total.margin, bar + 1 - persons
        stays = at_least(second, least)
        within = at_least(second, max(least, -reach)) - at_least(second, reach + 1)
        covered[0] = chance[0] * max(within, 0.0)
    if plan.variants.both_stages or plan.variants.given_published:
        # The stage-1 total is in the error, or the interval depends on what was published: the joint distribution decides.
        shares = (chance[0] * stays, *chance[1:])
        covered = [_held(persons, plan, level, branch) * share if share else 0.0 for branch, share in enumerate(shares)]
    published = chance[0] * stays + sum(chance[1:])
    likeliest = branches[max(range(len(chance)), key=chance.__getitem__)]
    held = min(sum(covered) / published, 1.0) if published else 1.0
    return SizePreview(persons, chance, chance[0] * (1 - stays), likeliest.total, held)


def branch_chances(plan: Plan, level: Level, persons: int) -> tuple[float, ...]:
    """Probability of each branch from 0 on, for a group of true size `persons` that is measured in two stages; they add up to 1."""
    first = plan.stage_noise(level).stage1
    # Branch b or a later one when persons + noise >= threshold b.
    reached = [1.0, *(at_least(first, threshold - persons) for threshold in level.thresholds)]
    return (*(low - high for low, high in pairwise(reached)), reached[-1])


def _held(persons: int, plan: Plan, level: Level, branch: int) -> float:
    """Probability that the interval of a total holds the true size, given the branch and that the total is published."""
    distribution, chosen = total_distribution(plan, level, branch), what_is_chosen(plan, level, branch)
    overall = Ends(half_width(plan, level, branch), ())
    intervals = ends(distribution, chosen, 1 - CONFIDENCE) if plan.variants.given_published else overall
    held = distribution.covered(persons, chosen, intervals)
    # A branch whose chance is below 10^-30 has no distribution that is listed, and adds nothing.
    return held if isfinite(held) else 0.0
