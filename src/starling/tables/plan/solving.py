"""From what is stated of levels to the choices of a plan: budgets for margins of error, the share of stage 1, and stabilities.

Where a level has margins, its budget is the least that keeps them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from starling.errors import PlanError, Problem
from starling.planfile.toml import Section
from starling.tables.plan.accuracy_targets import AccuracyTarget, Setting, cheapest_gamma
from starling.tables.plan.choices import Choices, degree, most_of_one, within
from starling.tables.plan.iterations import Attribute, Iteration
from starling.tables.plan.levels import Level, Thresholds
from starling.tables.plan.region_levels import RegionLevels
from starling.tables.plan.stability import stability
from starling.tables.plan.variants import EVENLY, LARGEST_BUDGET, Variants

Key: TypeAlias = tuple[str, int]
"""A level of regions and the number of a family of groups."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of a level.

    Attributes:
        budget: Exact; None where targets are given instead.
        targets: Each with its place in the file.
    """

    budget: Fraction | None
    thresholds: Thresholds
    targets: Sequence[tuple[Section, AccuracyTarget]] = ()


def population_levels(
    stated: Iterable[tuple[Key, Stated, tuple[Iteration, ...]]], attributes: Sequence[Attribute]
) -> tuple[Level, ...]:
    """The levels, each with its stability; raises PlanError where levels have groups that nobody can be in; all such levels at once."""
    levels: list[Level] = []
    problems: list[Problem] = []
    for (geography, family), each, iterations in stated:
        try:
            bound = stability(iterations, attributes)
        except PlanError as error:
            problems += [Problem(f"({geography}, {family}) {p.field}", p.problem, p.fix) for p in error.problems]
            continue
        assert each.budget is not None
        targets = tuple(target for _, target in each.targets)
        levels.append(Level(geography, family, each.budget, each.thresholds, iterations, bound, targets))
    PlanError.check(problems)
    return tuple(levels)


def solve_choices(
    top: Section,
    fields: Mapping[str, Any],
    stated: Mapping[Key, Stated],
    tabulated: Mapping[Key, tuple[Iteration, ...]],
    **parts: Any,
) -> Choices:
    """The choices of a plan file; raises PlanError with all problems of its levels.

    Args:
        top: The file.
        fields: What its grammar has read.
        stated: What it states of each level.
        tabulated: The iterations of each level.
        parts: Records, definitions, detail, regions, families and aggregates of `Choices`.
    """
    add_up = fields["add_up"]
    variants = Variants(fields["both_stages"], bool(add_up), fields["given_published"], evenly=add_up == EVENLY)
    records, regions, measure = parts["records"], parts["regions"], fields["measure"]
    settings = {}
    for key, each in stated.items():
        _check_targets(each.targets, tabulated[key], each.thresholds or (1,))
        try:
            bound = stability(tabulated[key], records.attributes)
        except PlanError:
            bound = 1  # refused by `population_levels`
        gamma, shared = fields["gamma"] or Fraction(1, 2), degree(measure, bound, most_of_one(records))
        settings[key] = Setting(measure, gamma, shared, each.thresholds, variants.both_stages, parts["detail"])
    PlanError.check(top.problems)
    gamma, budgets = _solved(top, stated, settings, fields["gamma"], regions)
    PlanError.check(top.problems)
    in_order = sorted(stated, key=lambda key: (regions.order(key[0]), key[1]))
    priced = ((key, replace(stated[key], budget=budgets[key]), tabulated[key]) for key in in_order)
    with within(top.file):
        return Choices(
            levels=population_levels(priced, records.attributes),
            gamma=gamma,
            variants=variants,
            **{
                key: fields[key]
                for key in ("title", "measure", "suppression", "allow_negative", "data_structure", "delta")
            },
            **parts,
        )


def _check_targets(
    targets: Sequence[tuple[Section, AccuracyTarget]], iterations: Sequence[Iteration], thresholds: Sequence[int]
) -> None:
    """Refuse targets for numbers that no group of the level has; a level without groups is refused as such elsewhere."""
    if not iterations:
        return
    staged = any(not iteration.total_only for iteration in iterations)
    bare = any(iteration.total_only for iteration in iterations)
    for section, target in targets:
        if target.staged and not staged:
            fix = 'write number = "total only", or leave it out'
            section.refuse("number", "is of groups in two stages, and all groups of this level are totals by plan", fix)
        elif not target.staged and not bare:
            fix = 'write number = "bare total" for those below the first threshold'
            section.refuse("number", "is of groups that are totals by plan, and this level has none", fix)
        elif target.number in ("cell", "sex total") and target.persons is not None and target.persons < thresholds[0]:
            problem = f"is below the first threshold: such groups have a bare total, no {target.number}"
            section.refuse("persons", problem, f"write {thresholds[0]} or more, or a number that they have")


def _solved(
    top: Section,
    stated: Mapping[Key, Stated],
    settings: Mapping[Key, Setting],
    gamma: Fraction | None,
    regions: RegionLevels,
) -> tuple[Fraction, dict[Key, Fraction]]:
    """The share of stage 1 and the budget of each level, given or the least that keeps the level's targets."""
    budgets = {key: each.budget for key, each in stated.items() if each.budget is not None}
    promising = [key for key in stated if key not in budgets]

    def total(solved: Sequence[Fraction]) -> Fraction:
        # As the plan's guarantee composes them: Puerto Rico beside the United States.
        whole = list((budgets | dict(zip(promising, solved, strict=True))).items())
        parts = regions.parts(key[0] for key, _ in whole)
        return max(sum((whole[place][1] for place in places), Fraction(0)) for places in parts.values())

    if gamma is None:
        targets = [[target for _, target in stated[key].targets] for key in promising]
        if not any(target.number == "deciding total" for each in targets for target in each):
            fix = 'give a margin of number = "deciding total" in a level, or write a share such as "0.1"'
            problem = "is the cheapest, and with no target for the deciding total that is none at all"
            top.table("privacy").refuse("stage-1-share", problem, fix)
            return Fraction(1, 2), {}
        gamma = cheapest_gamma([settings[key] for key in promising], targets, total) or Fraction(1, 2)
    needs: dict[Key, Fraction] = {}
    for key in promising:
        setting = replace(settings[key], gamma=gamma)
        for section, target in stated[key].targets:
            need = setting.need(target)
            if need is None:
                fix = "write a wider margin, or one that needs to hold less surely"
                section.refuse("within", f"cannot be kept: it would need a budget above {LARGEST_BUDGET}", fix)
            else:
                needs[key] = max(need, needs.get(key, need))
    return gamma, budgets | needs
