"""What would make the guarantee of an aggregate untrue, or its noise impossible; the readers refuse the rest with lines."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from starling.errors import Problem
from starling.privacy.distributions.discrete import LARGEST_SCALE, LARGEST_SIGMA_SQUARED, DiscreteLaplace
from starling.privacy.least import least_text
from starling.tables.plan.aggregates import (
    FINEST_SHARE,
    MOST_CLASSES,
    MOST_SHARES,
    WIDEST,
    Aggregate,
    Quantiles,
    sensitivity,
)
from starling.tables.plan.choices import Choices
from starling.tables.plan.columns import Decimals, Integers
from starling.tables.plan.stability import stability
from starling.tables.plan.variants import LARGEST_BUDGET, SMALLEST_SHARE

LONGEST_REACH: Final = 2**24
"""Scores below the best one whose chance a selection tells from 0: as long a table of weights it has at the most."""
_LOGARITHM: Final = 49
"""A little above that of 2^70, beyond which nothing is told from 0 (privacy/sampling/selection_rows.py)."""


def aggregate_problems(plan: Choices) -> list[Problem]:
    """The problems of all aggregates of a plan."""
    if not plan.aggregates:
        return []
    if plan.variants.top_up is not None:
        fix = "top up a release of a plan without them"
        return [Problem("top-up", "cannot be of a plan with sums or quantiles", fix)]
    if problems := [problem for each in plan.aggregates for problem in _problems(plan, each)]:
        return problems
    order = [
        (plan.regions.order(each.level.geography), each.level.iteration_level, each.column, each.quantiles is not None)
        for each in plan.aggregates
    ]
    if order == sorted(set(order)):
        return []
    return [Problem("sums and quantiles", "are not in plan order, each once", "list them in plan order")]


def _problems(plan: Choices, aggregate: Aggregate) -> Iterator[Problem]:
    level, column = aggregate.level, plan.records.by_name.get(aggregate.column)
    if column is None or not isinstance(column.domain, Integers | Decimals) or column.several:
        yield Problem(aggregate.name, "is of no column of numbers of the plan", "name one with from and to")
        return
    if (aggregate.low, aggregate.high) != (column.domain.low, column.domain.high):
        yield Problem(aggregate.name, "has other bounds than its column", "take those of the column")
        return
    known = 1 <= level.iteration_level <= len(plan.families)
    if not known or not {each.kind for each in level.iterations} <= {each.kind for each in plan.attributes}:
        yield Problem(aggregate.name, "has groups that are none of the plan", "name a family of [[groups]]")
    elif level.thresholds or level.targets or level.stability < stability(level.iterations, plan.attributes):
        fix = "read it from a plan file"
        yield Problem(aggregate.name, "states a stability below what its groups allow, or thresholds", fix)
    elif not 0 < level.budget <= LARGEST_BUDGET:
        yield Problem(aggregate.name, f"has a budget that is not above 0 and at most {LARGEST_BUDGET}", "give it less")
    else:
        yield from _measurement_problems(plan, aggregate)


def _measurement_problems(plan: Choices, aggregate: Aggregate) -> Iterator[Problem]:
    degree = plan.degree(aggregate.level)
    share, quantiles = aggregate.level.budget / degree, aggregate.quantiles
    if quantiles is None:
        yield from _sum_problems(plan, aggregate, share)
        return
    if not _possible(quantiles, aggregate.low, aggregate.high):
        yield Problem(aggregate.name, "has shares or classes that cannot be", "read them from a plan file")
        return
    counted, selected = SMALLEST_SHARE * aggregate.cells**2, Fraction(0)
    if quantiles.way == "selection":
        # At this epsilon, `reach_of` is LONGEST_REACH or less; it may be a little smaller.
        epsilon = Fraction(2 * _LOGARITHM * max(map(sensitivity, quantiles.shares)), LONGEST_REACH - 2)
        selected = quantiles.least_share(plan.measure, epsilon)
    fix = f"give it at least {least_text(max(counted, selected) * degree)}, or "
    if share < counted:
        yield Problem(aggregate.name, "has a budget too small to draw its noise", f"{fix}fewer classes")
    elif quantiles.way == "selection":
        epsilon = quantiles.epsilon(plan.measure, share)
        if not epsilon or max(reach_of(epsilon, each) for each in quantiles.shares) > LONGEST_REACH:
            yield Problem(aggregate.name, "has a budget too small for selections", f'{fix}write way = "counts"')


def _sum_problems(plan: Choices, aggregate: Aggregate, share: Fraction) -> Iterator[Problem]:
    if aggregate.width > WIDEST:
        problem = f"is of bounds {aggregate.width:,} units apart, and at most 2^40 ({WIDEST:,}) are possible"
        fix = "give narrower bounds, fewer decimals, or a unit such as 1000 to which numbers are rounded"
        yield Problem(aggregate.name, problem, fix)
        return
    noise = aggregate.noise(plan.measure, share)
    wider = (
        noise.scale / LARGEST_SCALE
        if isinstance(noise, DiscreteLaplace)
        else noise.sigma_squared / LARGEST_SIGMA_SQUARED
    )
    if wider > 1:
        problem = f"has a budget too small to draw its noise: its bounds are {aggregate.width:,} units apart"
        least = least_text(aggregate.level.budget * wider)
        fix = f"give it at least {least}, or narrower bounds, or a unit to which numbers are rounded"
        yield Problem(aggregate.name, problem, fix)


def _possible(quantiles: Quantiles, low: int, high: int) -> bool:
    shares, cuts = quantiles.shares, quantiles.cuts
    return (
        1 <= len(shares) <= MOST_SHARES
        and list(shares) == sorted(set(shares))
        and all(0 < each < 1 and each.denominator <= FINEST_SHARE for each in shares)
        and 2 <= len(cuts) <= MOST_CLASSES
        and list(cuts) == sorted(set(cuts))
        and cuts[0] == low
        and cuts[-1] <= high
    )


def reach_of(epsilon: Fraction, share: Fraction) -> int:
    """How far below the best a score can be before its class is next to never selected."""
    return int(_LOGARITHM * 2 * sensitivity(share) / epsilon) + 2
