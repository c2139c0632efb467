"""Choices of a plan file that would change nothing of a release, or promise what it does not keep: refused, with the reason.

The reader of plan files refuses them, not `Plan`: a release that was made with one before still opens. A Census configuration may state a
suppression that leaves nothing out: it has every key, also of levels that it switches off.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from starling.errors import Problem
from starling.tables.plan.nesting import families, nested_chains

if TYPE_CHECKING:
    from starling.tables.plan.choices import Choices

ADD_UP: Final = "publication.add-up"
SUPPRESSION: Final = "publication.suppression"
LARGEST: Final = 79
"""What a group of a level may spend whose totals are made to add up: a draw is not 0 with a chance of e to minus that."""


def idle_census(plan: "Choices") -> Iterator[Problem]:
    """The problems of a plan of the Census."""
    if suppresses_nothing(plan):
        problem = "would leave nothing out: it is for groups that may get detail, at levels below the state"
        yield Problem(SUPPRESSION, problem, "leave it out, or tabulate such groups below the state")
    if plan.variants.add_up and not any(_adds_up(plan, chain) for chain in nested_chains(plan)):
        problem = "would change nothing: no group of the plan is a sum of others of it"
        yield Problem(ADD_UP, problem, "leave it out, or tabulate the groups at two nested levels")
    yield from _exact_levels(plan)
    yield from _stages(plan, "leave it out")


def idle_custom(plan: "Choices") -> Iterator[Problem]:
    """The problems of a plan of custom tables.

    Its families do not add up to one another: a record with a value outside a column's domain is in everybody, and in no group of that
    column.
    """
    if suppresses_nothing(plan):
        problem = "would leave nothing out: it is for groups with [detail], at levels that regions.small lists"
        yield Problem(SUPPRESSION, problem, "leave it out, or add [detail] and list levels in regions.small")
    if not plan.suppression and any(level.small for level in plan.regions.levels):
        problem = "would leave nothing out without publication.suppression"
        yield Problem("regions.small", problem, 'leave it out, or add suppression = "0.9999"')
    (chain,) = nested_chains(plan)
    if plan.variants.add_up and len({level.iteration_level for level in plan.levels if level.geography in chain}) > 1:
        problem = "cannot be kept between families of groups: totals add up over regions, within one family"
        yield Problem(ADD_UP, problem, "leave it out, or make a plan for each family of groups")
    elif plan.variants.add_up and len(chain) < 2:
        problem = "would change nothing: no level of regions of the plan is nested in another one"
        yield Problem(ADD_UP, problem, "leave it out, or tabulate the groups at two nested levels")
    yield from _exact_levels(plan)
    yield from _stages(plan, "leave it out, or add [detail]")


def suppresses_nothing(plan: "Choices") -> bool:
    """Whether its suppression has no effect.

    A bare total is left out by its noise alone where its group could have had detail, in a level of small regions.
    """
    small = [level for level in plan.levels if plan.regions.of(level.geography).small]
    return bool(plan.suppression) and all(level.single_stage for level in small)


def _exact_levels(plan: "Choices") -> Iterator[Problem]:
    """Levels whose noise has no variance in doubles: least squares would divide by it, when everything is paid."""
    nested = {name for chain in nested_chains(plan) for name in chain} if plan.variants.add_up else set()
    for level in plan.levels:
        if level.geography in nested and level.budget / plan.degree(level) > LARGEST:
            numbers = f"numbers of the level {level.geography} have next to no noise"
            problem, fix = f"cannot be kept: with their budgets, {numbers}", "leave it out, or lower the budgets"
            yield Problem(ADD_UP, problem, fix)
            return


def _stages(plan: "Choices", fix: str) -> Iterator[Problem]:
    """What is made of two measurements of a group, where each group is measured once."""
    if plan.variants.both_stages and not plan.staged:
        yield Problem("publication.totals", "would change nothing: each group is measured once", fix)
    if plan.variants.given_published and not plan.staged:
        yield Problem("publication.intervals", "would change nothing: every group is published as it is measured", fix)


def _adds_up(plan: "Choices", chain: list[str]) -> bool:
    """Whether an iteration is followed through two neighbouring levels of a chain, or is a sum of others in one of them."""
    above: set[str] = set()
    for name in chain:
        iterations = [each for level in plan.levels if level.geography == name for each in level.iterations]
        codes = {each.code for each in iterations}
        if above & codes or families(iterations, plan.attributes):
            return True
        above = codes
    return False
