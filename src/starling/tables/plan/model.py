"""The plan of a tables release: every public choice, as one immutable value. It opens nothing.

A population group is a region and a characteristic iteration; a population group level is a geography level and an iteration
level (SafeTab 2022, Section 2). The groups of a level are all its regions by all its iterations, empty or not, so their number
says nothing about the data. Everything stands in plan order: levels by geography and iteration level, regions and iterations
by code, groups region-major.

Privacy (SafeTab 2022, Theorems 1 and 3). Neighbours: add or remove one person. A person lies in one block, so in at most one
region of a level, and in at most `Level.stability` of its groups (stability.py). Each group of level i spends rho_i / s_i: a
total-only group on one count; any other on a total with gamma of it and then, adaptively, on the disjoint cells of a partition with
the rest. So the level costs s_i (rho_i / s_i) = rho_i (Lemmas 9 and 10 with degree s_i), and the levels add up (Lemmas 1 and
2). Levels may be of parts that have no smallest area in common, as a block lies in the United States or in Puerto Rico, never in both:
such parts are composed in parallel, and the whole costs the larger. `Plan.guarantee` says this as a value; no cost is stated elsewhere.
A plan that tops up an earlier release measures each group of its levels once, with all of its budget (the room mechanism); what it adds
to was charged on its own, and `Plan.joint_guarantee` is the sum of all these charges. Where up to k records of a person are counted, a
group spends less on each of them (`Choices.degree`), and a level costs its budget by group privacy.

All counts are MONOTONE (privacy/events.py): one more person, with whatever records, never lowers a total or a cell of any group, whichever
partition was chosen before. Which k records of a person are counted follows from that person's records alone. So replacing one person
costs twice the rho of adding one.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from starling.errors import PlanError, Problem
from starling.planfile.values import plan_path, section_of, toml_of, write_new
from starling.privacy.budget import Cost, decimal_up, is_chance_text
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.events import MONOTONE, known_cost
from starling.privacy.guarantee import Guarantee, bounded_overlap, joint, measurement, sequential
from starling.privacy.least import least_text
from starling.release.session import InSession
from starling.tables.plan.accuracy_targets import ages
from starling.tables.plan.aggregate_checks import aggregate_problems
from starling.tables.plan.aggregates import Aggregate
from starling.tables.plan.blocks import Geography
from starling.tables.plan.census import CONFIG
from starling.tables.plan.choices import STRUCTURE, Choices, cost_of, within
from starling.tables.plan.cross import cross_problems, guarantee, shape_of
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.levels import Level
from starling.tables.plan.readable import read, read_section, values_of
from starling.tables.plan.residuals import Shape
from starling.tables.plan.stability import stability
from starling.tables.plan.variants import (
    LARGEST_BUDGET,
    SMALLEST_SHARE,
    WIDEST_CONDITIONED,
    Choice,
    CombinedStageNoise,
    Noise,
    StageNoise,
    noise_of,
    noise_of_stages,
)


@dataclass(frozen=True, repr=False)
class Plan(InSession, Choices):
    """A plan of tables: public choices that go together, with the noise of every number, the guarantee and the cost that they give."""

    def __post_init__(self) -> None:
        targets = any(level.targets for level in self.levels)
        others = {Choice.NO_NEGATIVE_COUNTS: not self.allow_negative, Choice.ACCURACY_TARGETS: targets}
        problems = self.variants.refused([choice for choice, is_made in others.items() if is_made])
        problems += self._top_up_problems(excluded=bool(problems))
        if not problems or self.variants.top_up is None:
            problems += [problem for level in self.levels for problem in self._level_problems(level)]
        problems += aggregate_problems(self)
        order = [(self.regions.order(level.geography), level.iteration_level) for level in self.levels]
        if not (order or self.aggregates or self.cross) or order != sorted(set(order)):
            problems.append(Problem("levels", "are none, or not in plan order, each once", "list them in plan order"))
        if not 0 < self.gamma < 1:
            problems.append(Problem("stage-1 share", "is not above 0 and below 1", "write a number like 0.1"))
        if not 0 <= self.suppression < 1:
            problems.append(Problem("suppression", "is not 0 or more and below 1", "write 0 to switch it off"))
        if not is_chance_text(self.delta):
            problem = "is no chance between 0 and 1, or written in another way than plans write it"
            problems.append(Problem("delta", problem, 'write it like "1e-10"'))
        if self.data_structure and not STRUCTURE.fullmatch(self.data_structure):
            problems.append(Problem("data structure", "is none", "write it as AGENCY:ID(1.0)"))
        problems += [*self.records.problems(self.families, self.definitions), *cross_problems(self)]
        PlanError.check(problems)

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
        cuts, steps = level.thresholds, self.detail.steps
        ascending = len(cuts) == steps and all(low < high for low, high in pairwise((0, *cuts)))
        if not 1 <= level.iteration_level <= len(self.families) or not ascending:
            fix = f"give {steps} increasing thresholds, one for each step of the detail"
            return [Problem(level.name, "has no such level or thresholds", fix)]
        if not {each.kind for each in level.iterations} <= {attribute.kind for attribute in self.attributes}:
            return [Problem(level.name, "has groups of an attribute that no record has", "leave them out")]
        if level.stability < stability(level.iterations, self.attributes):
            return [Problem(level.name, "states a stability below what its iterations allow", "compute it")]
        if not 0 < level.budget <= LARGEST_BUDGET:
            fix = "give it less, or leave the level out"
            return [Problem(level.name, f"has a budget that is not above 0 and at most {LARGEST_BUDGET}", fix)]
        least = SMALLEST_SHARE * self.degree(level) / (min(self.gamma, 1 - self.gamma) or 1)
        if 0 < self.gamma < 1 and level.budget < least:
            fix = f"give it at least {least_text(least)}, or leave it out"
            return [Problem(level.name, "has a budget too small to draw its noise", fix)]
        return self._noise_problems(level) if 0 < self.gamma < 1 else []

    def _noise_problems(self, level: Level) -> list[Problem]:
        """What the noise of a level, which can be drawn, does not give."""
        if any(each.ages is not None and ages(self.detail)[1:].count(each.ages) != 1 for each in level.targets):
            fix = "say the size of the groups instead, or nothing"
            return [Problem(level.name, "has a margin for a number of classes that no one partition has", fix)]
        stage_noise, widest = self.stage_noise(level), self.variants.widest_total
        stages = () if self.variants.top_up is None else (stage_noise, self._earlier(level)[1])
        if max((each.widest_value for each in stages), default=0) > WIDEST_CONDITIONED:
            beyond = f"beyond {WIDEST_CONDITIONED} persons in a value, now or earlier"
            fix = "give it more: so wide a distribution is not combined"
            return [Problem(level.name, f"has noise of a standard deviation {beyond}", fix)]
        if stage_noise.widest_total(self.detail.finest) > widest:
            problem = f"has noise of a standard deviation beyond {widest} persons in a total"
            fix = 'give it more, or let totals be of the "second stage" and intervals of "all groups"'
            return [Problem(level.name, problem, fix)]
        both = self.variants.both_stages
        reaches = self.detail, level.thresholds
        broken = (each for each in level.targets if not each.is_met(stage_noise, *reaches, both_stages=both))
        return [Problem(level.name, f"has a budget that does not keep: {each}", "solve for it") for each in broken]

    def stage_noise(self, level: Level) -> StageNoise:
        """The noise of the groups of `level`: each has `budget / stability` of it, gamma of that for stage 1.

        Where the plan tops up, the stage-1 total is that of the first release, and the stage-2 measurement has all of it.
        """
        if self.variants.top_up is None:
            return noise_of_stages(self.measure, level.budget / self.degree(level), self.gamma)
        second = noise_of(self.measure, level.budget / self.degree(level))
        return StageNoise(second, self._earlier(level)[1].stage1, second)

    def noise(self, level: Level, *, total_only: bool = False) -> Noise:
        """The noise of a value of a group before post-processing: of its stage-2 or, total-only, its one measurement."""
        stage_noise = self.stage_noise(level)
        now = stage_noise.total_only if total_only else stage_noise.stage2
        if self.variants.top_up is None:
            return now
        return CombinedStageNoise(self.earlier.noise(self._earlier(level)[0], total_only=total_only), now)

    @cached_property
    def earlier(self) -> "Plan":
        """The plan of the release that this one tops up, in the levels of this one."""
        top_up = self.variants.top_up
        if top_up is None:
            raise ValueError("the plan tops up no release")
        levels = tuple(replace(level, budget=budget) for level, budget in zip(self.levels, top_up.budgets, strict=True))
        return replace(self, levels=levels, variants=replace(self.variants, top_up=top_up.earlier))

    def _earlier(self, level: Level) -> tuple[Level, StageNoise]:
        return next((each, self.earlier.stage_noise(each)) for each in self.earlier.levels if each.name == level.name)

    def only(self, names: Collection[str]) -> "Plan":
        """This plan in the levels of these names alone."""
        positions = [position for position, level in enumerate(self.levels) if level.name in names]
        top_up = self.variants.top_up
        variants = replace(self.variants, top_up=None if top_up is None else top_up.only(positions))
        return replace(self, levels=tuple(self.levels[position] for position in positions), variants=variants)

    def _level_guarantee(self, level: Level) -> Guarantee:
        if self.records_of_one > 1:
            return self._of_several(level.name, level, MONOTONE)
        stage_noise = self.stage_noise(level)

        def measured(what: str, distribution: Distribution) -> Guarantee:
            return measurement(f"{level.name} {what}", self.relation, distribution, 1, MONOTONE)

        if self.variants.top_up is not None:
            groups = [measured("cells or total of a group, re-measured", stage_noise.stage2)]
            return bounded_overlap(level.name, level.stability, tuple(groups))
        groups = [measured("total of a total-only group", stage_noise.total_only)] if level.total_only.any() else []
        if not level.single_stage:
            stages = (
                measured("total of a group, stage 1", stage_noise.stage1),
                measured("cells of a group, stage 2", stage_noise.stage2),
            )
            groups.append(sequential(f"{level.name} group in two stages", stages))
        return bounded_overlap(level.name, level.stability, tuple(groups))

    @property
    def parts(self) -> dict[str, Guarantee]:
        """The guarantee of the levels of each part of the regions, such as the United States and Puerto Rico, in plan order."""
        if self.cross is not None:
            return {"": guarantee(self, self.cross, self.cross_shape)}
        measured = [(level, self._level_guarantee(level)) for level in self.levels]
        measured += [(each.level, self._aggregate_guarantee(each)) for each in self.aggregates]
        parts = self.regions.parts(level.geography for level, _ in measured)
        return {part: sequential(part, tuple(measured[place][1] for place in places)) for part, places in parts.items()}

    @cached_property
    def cross_shape(self) -> Shape:
        """The sizes and the regions of the cross tables."""
        assert self.cross is not None
        return shape_of(custom_records(self), self.regions, self.cross, self.measure)

    def share(self, aggregate: Aggregate) -> Fraction:
        """What a group of an aggregate spends on one record."""
        return aggregate.level.budget / self.degree(aggregate.level)

    def _aggregate_guarantee(self, aggregate: Aggregate) -> Guarantee:
        if self.records_of_one > 1:
            return self._of_several(aggregate.name, aggregate.level, aggregate.replacement_factor)
        group = aggregate.guarantee(self.measure, self.share(aggregate), self.relation)
        return bounded_overlap(aggregate.name, aggregate.level.stability, (group,))

    def _of_several(self, name: str, level: Level, replacement_factor: Fraction) -> Guarantee:
        """Which of their many ways k records take through the groups gives the most likely ratios is not known: the cost holds for all.

        With x the changes of numbers of noise b or s2 by all k records, it bounds the sum of |x|/b, or of x^2/(2 s2), along every path.
        """
        cost = known_cost(cost_of(self.measure, level.budget), replacement_factor)
        return Guarantee(f"{name} of at most {self.records_of_one} records", self.relation, cost)

    @property
    def guarantee(self) -> Guarantee:
        """What preview, ledger, audit and report read, under the plan's title; nothing else states this cost."""
        parts = tuple(self.parts.values())
        whole = parts[0] if len(parts) == 1 else bounded_overlap(self.title, 1, parts)
        return replace(whole, name=self.title, delta=self.delta)

    @property
    def cost(self) -> Cost:
        """Exact epsilon or rho of the whole release."""
        return self.guarantee.cost

    @property
    def earlier_guarantees(self) -> tuple[Guarantee, ...]:
        """The guarantees of the releases that this one adds to, each as it was charged, the last first.

        Where an earlier release may have had levels that this one leaves out, nothing more is known of it than its cost. That is so
        where its levels here cost less; of a plan of both the United States and Puerto Rico, which cost the larger of the two, always.
        """
        guarantees, plan = [], self
        for each in self.variants.releases:
            plan = plan.earlier
            known = plan.guarantee
            if known.cost.amount != each.cost or self.records.several_parts:
                cost = known_cost(cost_of(self.measure, each.cost))
                known = Guarantee(f"release of request {each.request_id}", self.relation, cost)
            guarantees.append(known)
        return tuple(guarantees)

    @property
    def joint_guarantee(self) -> Guarantee:
        """The guarantee of the release and of all that it adds to, each of which is charged on its own."""
        return joint(self.guarantee, self.earlier_guarantees)

    def cells(self, geography: Geography) -> int:
        """Groups, or cells of cross tables, that get an answer, empty or not: regions times iterations, over all levels and aggregates."""
        if self.cross is not None:
            return sum(map(self.cross_shape.cells, self.cross.tables)) * sum(self.cross_shape.regions)
        return sum(len(geography.regions[level.geography]) * len(level.iterations) for level in self.every_level)

    @classmethod
    def _without_idle_choices(cls, choices: Choices) -> Self:
        plan = cls(**vars(choices))
        PlanError.check(plan.records.idle_choices(plan))
        return plan

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """The plan of a name or at a path.

        Args:
            name: A Census configuration folder, a plan file in TOML, or, as a text, the name of a plan that comes with Starling, such as
                "demo"; NAME:FOLDER for one that waits for a folder of Census definition files.

        Raises:
            PlanError: with every problem.
        """
        choices, file = read(name)
        with within(file):
            # A Census configuration states every key, also of levels that it switches off.
            return cls(**vars(choices)) if file == CONFIG else cls._without_idle_choices(choices)

    @classmethod
    def of(cls, values: Mapping[str, Any], *, folder: str | Path = ".") -> Self:
        """The plan that values of Python state, with the keys of a plan file (docs/reference/plan-file.md); checked as the file is.

        Args:
            values: Texts, integers, truth values, lists and dicts. Exact numbers are texts such as "0.159", integers or fractions; a
                float is refused. A key whose value is None is left out.
            folder: Where a folder of definitions that is named in the values is looked for.

        Raises:
            PlanError: with every problem.
        """
        section = section_of(values)
        choices = read_section(section, Path(folder))
        with within(section.file):
            return cls._without_idle_choices(choices)

    def values(self, definitions: str | None = None) -> dict[str, Any]:
        """The values that `of` makes this plan of.

        Args:
            definitions: The folder of the plan's definitions; without it, they are written as groups in the plan itself.

        Raises:
            PlanError: it tops up a release, its definitions are no groups of a plan file, or their folder cannot be printed.
        """
        return values_of(self, definitions)

    def save(self, path: str | Path, definitions: str | None = None) -> None:
        """Write the plan as a plan file, which `load` reads back as the same plan.

        Args:
            path: File to make, ending in .toml; must not exist.
            definitions: The folder of the plan's definitions, from the place of the file; without it, they are written as groups.

        Raises:
            PlanError: a plan file cannot state it, as of a plan that tops up a release.
            OutputError: the file is there, does not end in .toml, or cannot be written.
        """
        write_new(plan_path(path), toml_of(values_of(self, definitions)))

    def _facts(self) -> list[tuple[str, str]]:
        levels = [(level.name, f"{self.measure} {decimal_up(level.budget)}") for level in self.levels]
        return [("plan", self.title), ("protects", str(self.guarantee.relation)), ("cost", str(self.cost)), *levels]


def convert(folder: Path, out: Path) -> Plan:
    """Write the plan of a Census configuration folder as a plan file that names the folder of definitions relative to itself.

    Returns:
        The plan, as read from either.

    Raises:
        PlanError: the folder holds no plan, or one that a plan file cannot state (a threshold beyond 10^12); nothing is left behind.
        OutputError: the file is there, or cannot be written.
    """
    if not (folder / CONFIG).is_file():
        fix = "give a folder with config.json and the definition files; a plan file needs no conversion"
        raise PlanError("plan", f"{folder.name!r} is no Census configuration folder", fix)
    plan = Plan.load(folder)
    plan.save(out, definitions=os.path.relpath(folder.resolve(), out.resolve().parent))
    try:
        read_back = Plan.load(out)
    except PlanError:
        out.unlink()
        raise
    if read_back != plan:
        out.unlink()
        raise PlanError("definitions", "changed while they were read", "run it again")
    return plan
