"""Choices of a plan file that would change nothing of a release, or promise what it does not keep: refused, with the reason.

The readers refuse them, not `Plan`: a release that was made with one before still opens.
"""

from collections.abc import Iterator

from starling.errors import Problem
from starling.tables.plan.choices import Choices
from starling.tables.plan.nesting import families, nested_chains


def idle_choices(plan: Choices) -> Iterator[Problem]:
    """The problems of a plan."""
    small = [level for level in plan.levels if plan.regions.of(level.geography).small]
    if plan.suppression and all(level.single_stage for level in small):
        yield _idle_suppression(plan)
    if plan.records is not None and not plan.suppression and any(level.small for level in plan.regions.levels):
        problem = "would leave nothing out without publication.suppression"
        yield Problem("regions.small", problem, 'leave it out, or add suppression = "0.9999"')
    if plan.variants.add_up:
        yield from _add_up(plan)
    if plan.variants.both_stages and not plan.staged:
        problem = "would change nothing: each group is measured once"
        yield Problem("publication.totals", problem, _without_detail(plan))
    if plan.variants.given_published and not plan.staged:
        problem = "would change nothing: every group is published as it is measured"
        yield Problem("publication.intervals", problem, _without_detail(plan))


def _idle_suppression(plan: Choices) -> Problem:
    """A bare total is left out by its noise alone where its group could have had detail, in a level of small regions."""
    if plan.records is None:
        problem = "would leave nothing out: it is for groups that may get detail, at levels below the state"
        fix = "leave it out, or tabulate such groups below the state"
    else:
        problem = "would leave nothing out: it is for groups with [detail], at levels that regions.small lists"
        fix = "leave it out, or add [detail] and list levels in regions.small"
    return Problem("publication.suppression", problem, fix)


def _without_detail(plan: Choices) -> str:
    return "leave it out" if plan.records is None else "leave it out, or add [detail]"


def _add_up(plan: Choices) -> Iterator[Problem]:
    """Totals are made to add up over nested regions, and over those families of the Census that are sums (nesting.py).

    Families of declared records do not add up to one another: a record with a value outside a column's domain is in everybody, and in
    no group of that column.
    """
    field = "publication.add-up"
    if plan.records is None:
        if not any(_adds_up(plan, chain) for chain in nested_chains(plan)):
            problem = "would change nothing: no group of the plan is a sum of others of it"
            yield Problem(field, problem, "leave it out, or tabulate the groups at two nested levels")
        return
    (chain,) = nested_chains(plan)
    if len({level.iteration_level for level in plan.levels if level.geography in chain}) > 1:
        problem = "cannot be kept between families of groups: totals add up over regions, within one family"
        yield Problem(field, problem, "leave it out, or make a plan for each family of groups")
    elif len(chain) < 2:
        problem = "would change nothing: no level of regions of the plan is nested in another one"
        yield Problem(field, problem, "leave it out, or tabulate the groups at two nested levels")


def _adds_up(plan: Choices, chain: list[str]) -> bool:
    """Whether an iteration is followed through two neighbouring levels of a chain, or is a sum of others in one of them."""
    above: set[str] = set()
    for name in chain:
        iterations = [each for level in plan.levels if level.geography == name for each in level.iterations]
        codes = {each.code for each in iterations}
        if above & codes or families(iterations, plan.attributes):
            return True
        above = codes
    return False
