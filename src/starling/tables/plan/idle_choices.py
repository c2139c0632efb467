"""Choices of a plan file that would change nothing of a release, or promise what it does not keep: refused, with the reason.

The readers refuse them, not `Plan`: a release that was made with one before still opens.
"""

from collections.abc import Iterator

from starling.errors import Problem
from starling.tables.plan.choices import Choices


def idle_choices(plan: Choices) -> Iterator[Problem]:
    """The problems of a plan about records of one's own."""
    yield from _suppression(plan)
    if plan.variants.add_up:
        yield from _add_up(plan)
    if not plan.staged:
        yield from _stages(plan)


def _suppression(plan: Choices) -> Iterator[Problem]:
    """A bare total is left out by its noise alone where its group could have had detail, in a level of small regions."""
    small = [level for level in plan.levels if plan.regions.of(level.geography).small]
    if plan.suppression and all(level.single_stage for level in small):
        problem = "would leave nothing out: it is for groups with [detail], at levels that regions.small lists"
        fix = "leave it out, or add [detail] and list levels in regions.small"
        yield Problem("publication.suppression", problem, fix)
    if not plan.suppression and any(level.small for level in plan.regions.levels):
        problem = "would leave nothing out without publication.suppression"
        yield Problem("regions.small", problem, 'leave it out, or add suppression = "0.9999"')


def _add_up(plan: Choices) -> Iterator[Problem]:
    """Totals are made to add up over nested regions, family by family.

    Families do not add up to one another: a record with a value outside a column's domain is in everybody, and in no group of that column.
    """
    assert plan.records is not None
    areas, last = plan.records.areas, ""
    nested: dict[str, set[int]] = {}
    for name in plan.regions.names:
        there = {level.iteration_level for level in plan.levels if level.geography == name}
        if there and (not last or areas.parents(*map(plan.regions.order, (last, name))) is not None):
            nested[name], last = there, name
    families = set().union(*nested.values())
    if len(families) > 1:
        problem = "cannot be kept between families of groups: totals add up over regions, within one family"
        yield Problem("publication.add-up", problem, "leave it out, or make a plan for each family of groups")
    elif len(nested) < 2:
        problem = "would change nothing: no level of regions of the plan is nested in another one"
        yield Problem("publication.add-up", problem, "leave it out, or tabulate the groups at two nested levels")


def _stages(plan: Choices) -> Iterator[Problem]:
    """What is made of two measurements of a group, where each group is measured once."""
    fix = "leave it out, or add [detail]"
    if plan.variants.both_stages:
        yield Problem("publication.totals", "would change nothing: each group is measured once", fix)
    if plan.variants.given_published:
        yield Problem("publication.intervals", "would change nothing: every group is published as it is measured", fix)
