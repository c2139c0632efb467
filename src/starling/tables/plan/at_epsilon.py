"""A plan at (epsilon, delta): all its budgets times the largest factor that keeps them, certified by the accountant."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from starling.errors import ParameterError
from starling.privacy.accounting.conversion import Approximate, approximate
from starling.privacy.accounting.largest_budget import largest_factor
from starling.privacy.budget import Exact, chance, chance_text, positive
from starling.tables.plan.accuracy_targets import last_digit
from starling.tables.plan.levels import Level
from starling.tables.plan.model import Plan


@dataclass(frozen=True, slots=True)
class PlanAtEpsilon:
    """A plan whose budgets are the largest that keep an epsilon at a delta.

    Attributes:
        plan: With the budgets in place of whatever margins were stated; what it is charged is their sum, in its own measure.
        factor: By which all budgets were multiplied.
        epsilon, delta: What was stated; the plan, and what is released by it, state their epsilon at this delta.
        reached: The epsilon at the delta of the plan, rounded up, and the accountant that computed it.
    """

    plan: Plan
    factor: Fraction
    epsilon: Fraction
    delta: Fraction
    reached: Approximate


def solve_at(plan: Plan, epsilon: Exact, delta: Exact) -> PlanAtEpsilon:
    """The plan with the largest budgets, in its own proportions, that keep `epsilon` at `delta`.

    Args:
        plan: In rho or epsilon.
        epsilon: Above 0.
        delta: Such as "1e-10".

    Raises:
        ParameterError: another epsilon or delta, or none is kept; or the plan adds to earlier releases, after which losses do not compose.
        PlanError: the budgets are too small for the plan.
    """
    if plan.variants.top_up is not None:
        problem = "adds to earlier releases, whose budgets are spent"
        raise ParameterError("plan", problem, "state its budgets, or solve the plan of the first release")
    if plan.cross is not None and plan.cross.margins:
        problem = "promises margins of cross tables, which are met at the least budget"
        raise ParameterError("plan", problem, "state a budget in place of the margins")
    most, least_chance = positive(epsilon, field="epsilon"), chance(delta, field="delta")
    factor = largest_factor(lambda factor: times(plan, factor).guarantee, most, least_chance)
    solved = replace(times(plan, factor), delta=chance_text(least_chance))
    return PlanAtEpsilon(solved, factor, most, least_chance, approximate(solved.guarantee, least_chance))


def times(plan: Plan, factor: Fraction, digits: int | None = None) -> Plan:
    """The plan with every budget times a factor, without what budgets were found for; those of levels, where it says so, rounded down to
    so many significant digits.
    """

    def scaled(level: Level) -> Level:
        budget = level.budget * factor
        unit = budget if digits is None else last_digit(budget, digits)
        return replace(level, budget=floor(budget / unit) * unit, targets=())

    return replace(
        plan,
        levels=tuple(map(scaled, plan.levels)),
        aggregates=tuple(replace(each, level=scaled(each.level)) for each in plan.aggregates),
        cross=None if plan.cross is None else plan.cross.times(factor),
    )
