"""The plan of a tables release: every public choice, as one immutable value. It opens nothing.

A population group is a region and a characteristic iteration; a population group level is a geography level and an iteration
level (SafeTab 2022, Section 2). The groups of a level are all its regions by all its iterations, empty or not, so their number
says nothing about the data. Everything stands in plan order: levels by geography and iteration level, regions and iterations
by code, groups region-major.

Privacy (SafeTab 2022, Theorems 1 and 3). Neighbours: add or remove one person. A person lies in one block, so in at most one
region of a level, and in at most `Level.stability` of its groups (stability.py). Each group of level i spends rho_i / s_i: a
total-only group on one count; any other on a total with gamma of it and then, adaptively, on disjoint sex-by-age cells with
the rest. So the level costs s_i (rho_i / s_i) = rho_i (Lemmas 9 and 10 with degree s_i), and the levels add up (Lemmas 1 and
2). A block lies in the United States or in Puerto Rico, never in both: the two are composed in parallel, and the whole costs
the larger. `Plan.guarantee` says this as a value; no cost is stated elsewhere. A plan that tops up an earlier release measures each
group of its levels once, with all of its budget (mechanism/top_up.py); what it adds to was charged on its own, and `Plan.together` is
the sum of all these charges.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from starling.errors import PlanError, Problem
from starling.privacy.budget import Cost, Epsilon, Measure, Rho
from starling.privacy.events import known_cost
from starling.privacy.guarantee import Guarantee, bounded_overlap, joint, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.tables.plan.accuracy_targets import Promise
from starling.tables.plan.codebook import ITERATION_LEVELS, Definitions, GeographyLevel, Iteration, Kind
from starling.tables.plan.forms import Forms
from starling.tables.plan.stability import stability
from starling.tables.plan.stages import Noise, StageLaws, Twice, law_of, stage_laws
from starling.tables.plan.variants import WIDEST_CONDITIONED, Choice, Variants

if TYPE_CHECKING:
    from starling.tables.plan.geography import Geography

LARGEST_BUDGET: Final = 10**12
"""Epsilon or rho of a level; beyond it there is no noise to speak of."""
SMALLEST_SHARE: Final = Fraction(1, 2**40)
"""Epsilon or rho of one draw; below it the noise of a count nears the range of a 64-bit integer."""


@dataclass(frozen=True, slots=True)
class Level:
    """One population group level that is tabulated; a level without a budget does not exist.

    Attributes:
        geography: Which regions.
        iteration_level: 1 regional or 2 detailed.
        budget: Epsilon or rho of the whole level, above 0.
        thresholds: Noisy totals from which a group gets Sex x Age4, Age9, Age23 (people, strictly ascending).
        iterations: Tabulated here, ascending by code; hundreds of them, which `repr` leaves out.
        stability: The most groups of this level that one person can be in.
        promises: Margins of error that the budget was found for, all of them kept; empty where the plan states a budget.
    """

    geography: GeographyLevel
    iteration_level: int
    budget: Fraction
    thresholds: tuple[int, int, int]
    iterations: tuple[Iteration, ...] = field(repr=False)
    stability: int
    promises: tuple[Promise, ...] = ()

    @property
    def name(self) -> str:
        """As in the production configuration: "(COUNTY, 2)"."""
        return f"({self.geography}, {self.iteration_level})"

    @property
    def total_only(self) -> npt.NDArray[np.bool_]:
        """Per iteration, in plan order, whether its groups are bare totals by plan: shape (iterations,)."""
        return np.array([iteration.total_only for iteration in self.iterations], dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of unequal length, compressed: row i is `positions[offsets[i]:offsets[i + 1]]`, ascending. Both int32."""

    offsets: npt.NDArray[np.int32]
    positions: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """For each code (by its index in `Plan.codes`), the positions in `Level.iterations` of the iterations that hold it.

    Attributes:
        combined: Race iterations alone or in combination: a person is in the union over race codes.
        alone: Race iterations alone: a person is in the intersection over race codes.
        ethnicity: Ethnicity iterations: a person is in those of the one ethnicity code.
    """

    combined: Rows
    alone: Rows
    ethnicity: Rows


@dataclass(frozen=True, repr=False)
class Plan(Forms):
    """Every public choice of a tables release.

    Attributes:
        title: For people.
        measure: "epsilon": pure DP, discrete Laplace noise; "rho": zCDP, discrete Gaussian noise.
        levels: In plan order; at least one, each with a budget above 0.
        gamma: Share of a group's budget for the stage-1 total, in (0, 1).
        suppression: Probability, in [0, 1): below the state, a bare total is dropped unless above this quantile of its noise. 0
            is off.
        allow_negative: Whether negative noisy counts are published; otherwise each is clamped at 0.
        max_race_codes: Race columns read of a record, 1 to 8.
        states: Codes of the US states tabulated; empty if the United States are not.
        puerto_rico: Whether Puerto Rico is tabulated.
        definitions: The code book.
        variants: What the plan makes of its measurements: stages combined, totals that add up, intervals given what is published, a
            top-up of an earlier release (variants.py).
    """

    title: str
    measure: Measure
    levels: tuple[Level, ...]
    gamma: Fraction
    suppression: Fraction
    allow_negative: bool
    max_race_codes: int
    states: frozenset[str]
    puerto_rico: bool
    definitions: Definitions
    variants: Variants = field(default_factory=Variants)

    def __post_init__(self) -> None:
        others = {
            Choice.NO_NEGATIVE_COUNTS: not self.allow_negative,
            Choice.PROMISED_MARGINS: any(level.promises for level in self.levels),
        }
        problems = self.variants.refused([choice for choice, is_made in others.items() if is_made])
        problems += self._top_up_problems(excluded=bool(problems))
        if not problems or self.variants.top_up is None:
            problems += [problem for level in self.levels for problem in self._level_problems(level)]
        order = [(list(GeographyLevel).index(level.geography), level.iteration_level) for level in self.levels]
        if not order or order != sorted(set(order)):
            problems.append(Problem("levels", "are none, or not in plan order, each once", "list them in plan order"))
        if not 0 < self.gamma < 1:
            problems.append(Problem("stage-1 share", "is not above 0 and below 1", "write a number like 0.1"))
        if not 0 <= self.suppression < 1:
            problems.append(Problem("suppression", "is not 0 or more and below 1", "write 0 to switch it off"))
        if problems:
            raise PlanError(problems=problems)

    def _top_up_problems(self, *, excluded: bool) -> list[Problem]:
        """What is wrong with what is stated of an earlier release; its cost is not looked at where the variants are `excluded`."""
        earlier, count = self.variants.top_up, len(self.levels)
        if earlier is None:
            return []
        problem = ""
        if len(earlier.budgets) != count or len(earlier.measurements) != count:
            problem = "is of a release with other levels"
        elif not all(0 < budget <= LARGEST_BUDGET for budget in earlier.budgets):
            problem = "states a budget of the earlier release that cannot be"
        elif self.levels and not excluded and earlier.cost < self.earlier.cost.amount:
            problem = "states a cost below that of its own levels"
        return [Problem("top-up", problem, "read it from a release of the same plan")] if problem else []

    def _level_problems(self, level: Level) -> list[Problem]:
        """What would make the guarantee untrue or the noise impossible; the readers refuse the rest with lines."""
        low, middle, high = level.thresholds
        if level.iteration_level not in ITERATION_LEVELS or not 0 < low < middle < high:
            return [Problem(level.name, "has no such level or thresholds", "give three increasing thresholds")]
        if level.stability < stability(level.iterations, self.max_race_codes):
            return [Problem(level.name, "states a stability below what its iterations allow", "compute it")]
        if not 0 < level.budget <= LARGEST_BUDGET:
            fix = "give it less, or leave the level out"
            return [Problem(level.name, f"has a budget that is not above 0 and at most {LARGEST_BUDGET}", fix)]
        least = min(self.gamma, 1 - self.gamma) * level.budget / level.stability
        if 0 < self.gamma < 1 and least < SMALLEST_SHARE:
            return [Problem(level.name, "has a budget too small to draw its noise", "give it more, or leave it out")]
        return self._noise_problems(level) if 0 < self.gamma < 1 else []

    def _noise_problems(self, level: Level) -> list[Problem]:
        """What the noise of a level, which can be drawn, does not give."""
        laws, widest = self.laws(level), self.variants.widest_total
        if self.variants.top_up is not None:
            values = (laws.widest_value, self._earlier(level)[1].widest_value)
            if max(values) > WIDEST_CONDITIONED:
                problem = (
                    f"has noise of a standard deviation beyond {WIDEST_CONDITIONED} persons in a value, now or earlier"
                )
                return [Problem(level.name, problem, "give it more: so wide a law is not combined")]
        if laws.widest_total > widest:
            problem = f"has noise of a standard deviation beyond {widest} persons in a total"
            fix = 'give it more, or let totals be of the "second stage" and intervals of "all groups"'
            return [Problem(level.name, problem, fix)]
        both = self.variants.both_stages
        broken = (each for each in level.promises if not each.kept(laws, level.thresholds, both_stages=both))
        return [Problem(level.name, f"has a budget that does not keep: {each}", "solve for it") for each in broken]

    @property
    def codes(self) -> tuple[str, ...]:
        """Race and ethnicity codes, ascending: the code indices of the counting kernel."""
        return tuple(code for code, _ in self.definitions.codes)

    def laws(self, level: Level) -> StageLaws:
        """The noise of the groups of `level`: each has `budget / stability` of it, gamma of that for stage 1.

        Where the plan tops up, the first total is that of the first release, and the second measurement has all of it.
        """
        if self.variants.top_up is None:
            return stage_laws(self.measure, level.budget / level.stability, self.gamma)
        again = law_of(self.measure, level.budget / level.stability)
        return StageLaws(again, self._earlier(level)[1].stage1, again)

    def noise(self, level: Level, *, total_only: bool = False) -> Noise:
        """The noise of a value of a group before post-processing: of its second measurement, or of the one of a total-only group."""
        laws = self.laws(level)
        now = laws.total_only if total_only else laws.stage2
        if self.variants.top_up is None:
            return now
        return Twice(self.earlier.noise(self._earlier(level)[0], total_only=total_only), now)

    @cached_property
    def earlier(self) -> "Plan":
        """The plan of the release that this one tops up, in the levels of this one."""
        top_up = self.variants.top_up
        if top_up is None:
            raise ValueError("the plan tops up no release")
        pairs = zip(self.levels, top_up.budgets, strict=True)
        levels = tuple(replace(level, budget=budget) for level, budget in pairs)
        return replace(self, levels=levels, variants=replace(self.variants, top_up=top_up.earlier))

    def _earlier(self, level: Level) -> tuple[Level, StageLaws]:
        return next((each, self.earlier.laws(each)) for each in self.earlier.levels if each.name == level.name)

    def only(self, names: Collection[str]) -> "Plan":
        """The same plan in the levels of these names alone."""
        kept = [position for position, level in enumerate(self.levels) if level.name in names]
        top_up = self.variants.top_up
        variants = replace(self.variants, top_up=None if top_up is None else top_up.only(kept))
        return replace(self, levels=tuple(self.levels[position] for position in kept), variants=variants)

    def _level_guarantee(self, level: Level) -> Guarantee:
        laws = self.laws(level)
        if self.variants.top_up is not None:
            again = measurement(f"{level.name} cells or total of a group, once more", ADD_REMOVE_PERSON, laws.stage2)
            return bounded_overlap(level.name, level.stability, (again,))
        groups: list[Guarantee] = []
        if any(iteration.total_only for iteration in level.iterations):
            groups.append(measurement(f"{level.name} total of a total-only group", ADD_REMOVE_PERSON, laws.total_only))
        if not all(iteration.total_only for iteration in level.iterations):
            stages = (
                measurement(f"{level.name} total of a group, stage 1", ADD_REMOVE_PERSON, laws.stage1),
                measurement(f"{level.name} cells of a group, stage 2", ADD_REMOVE_PERSON, laws.stage2),
            )
            groups.append(sequential(f"{level.name} group in two stages", stages))
        return bounded_overlap(level.name, level.stability, tuple(groups))

    @property
    def guarantee_us(self) -> Guarantee | None:
        """Of the levels of the United States; None if they are not tabulated."""
        return self._part("United States", puerto_rico=False)

    @property
    def guarantee_pr(self) -> Guarantee | None:
        """Of the levels of Puerto Rico; None if they are not tabulated."""
        return self._part("Puerto Rico", puerto_rico=True)

    def _part(self, name: str, *, puerto_rico: bool) -> Guarantee | None:
        levels = [level for level in self.levels if level.geography.puerto_rico is puerto_rico]
        return sequential(name, tuple(self._level_guarantee(level) for level in levels)) if levels else None

    @property
    def guarantee(self) -> Guarantee:
        """What preview, ledger, audit and report read, under the plan's title; nothing else states this cost."""
        parts = tuple(part for part in (self.guarantee_us, self.guarantee_pr) if part is not None)
        return replace(parts[0], name=self.title) if len(parts) == 1 else bounded_overlap(self.title, 1, parts)

    @property
    def cost(self) -> Cost:
        """Exact epsilon or rho of the whole release."""
        return self.guarantee.cost

    @property
    def earlier_guarantees(self) -> tuple[Guarantee, ...]:
        """Of the releases that this one adds to, each as it was charged, the last first.

        Where an earlier release may have had levels that this one leaves out, nothing more is known of it than its cost. That is so
        where its levels here cost less; of a plan of both the United States and Puerto Rico, which cost the larger of the two, always.
        """
        found, plan = [], self
        for each in self.variants.releases:
            plan = plan.earlier
            known = plan.guarantee
            if known.cost.amount != each.cost or (self.states and self.puerto_rico):
                cost = Epsilon(each.cost) if self.measure == "epsilon" else Rho(each.cost)
                known = Guarantee(f"release of request {each.request_id}", ADD_REMOVE_PERSON, known_cost(cost))
            found.append(known)
        return tuple(found)

    @property
    def together(self) -> Guarantee:
        """Of the release and of all that it adds to, each of which is charged on its own."""
        return joint(self.guarantee, self.earlier_guarantees)

    def cells(self, geography: "Geography") -> int:
        """Population groups that get an answer, empty or not: regions times iterations, over all levels."""
        return sum(len(geography.regions[level.geography]) * len(level.iterations) for level in self.levels)

    def members(self, level: Level) -> Members:
        """Which iterations of `level` each code is in, for the counting kernel."""
        index = {code: i for i, code in enumerate(self.codes)}

        def rows(kind: Kind, alone: bool) -> Rows:
            pairs = sorted(
                (index[code], position)
                for position, iteration in enumerate(level.iterations)
                if iteration.kind == kind and iteration.alone is alone
                for code in iteration.codes
            )
            lengths = np.bincount([code for code, _ in pairs], minlength=len(index)).astype(np.int32)
            offsets = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(lengths, dtype=np.int32)])
            return Rows(offsets, np.array([position for _, position in pairs], dtype=np.int32))

        return Members(rows("race", False), rows("race", True), rows("ethnicity", False))
