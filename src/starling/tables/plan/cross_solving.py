"""From what is stated of cross tables to the shares of the budget that their parts get.

A margin that need only hold with a chance is a largest variance, by the deviations that intervals have (distributions/deviations.py).
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

from starling.errors import PlanError
from starling.planfile.toml import Section
from starling.tables.plan.best_families import Weights, divided
from starling.tables.plan.choices import most_of_one
from starling.tables.plan.cross import Cross, shape_of
from starling.tables.plan.cross_accuracy import ranked
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.plan.residual_targets import Solved, margins_first, variance_of_margin
from starling.tables.plan.residuals import Shape


def solved_tables(section: Section, fields: Mapping[str, Any], records: CustomRecords) -> Cross | None:
    """The cross tables that a plan states, with the shares of their budget; None after a refusal.

    Args:
        section: The [tables] of the plan.
        fields: What the grammar has read.
        records: The records that the tables are of.
    """
    cross = Cross(**fields["crossed"], shares=())
    try:
        shape = shape_of(records, fields["regions"], cross, fields["measure"])
        if not cross.margins:
            return replace(cross, shares=divided(shape, stated_weights(cross), fields["budget"]))
        return keeping_margins(cross, shape, most_of_one(records))
    except PlanError as error:
        for each in error.problems:
            section.refuse(each.field, each.problem, each.fix)
        return None


def keeping_margins(cross: Cross, shape: Shape, records_of_one: int) -> Cross:
    """The same tables at the least budget that keeps their margins."""
    solved = solved_margins(cross, shape, records_of_one)
    return replace(cross, shares=divided(shape, solved.weights, solved.budget))


def widened(cross: Cross, shape: Shape, records_of_one: int, factor: Fraction) -> Cross:
    """The same tables with each margin times a factor, above 0, rounded down to 1 record or more, at the least budget that keeps them."""
    margins = tuple(replace(each, within=max(1, floor(each.within * factor))) for each in cross.margins)
    return keeping_margins(replace(cross, margins=margins), shape, records_of_one)


def stated_weights(cross: Cross) -> Weights:
    """The weight of each table in each level of regions, (levels, tables), where a budget is stated."""
    return tuple(
        tuple(
            float(stated[0].weight) if (stated := ranked(cross.weights, named, level)) else 1.0 for named in cross.named
        )
        for level in cross.levels
    )


def largest_variances(cross: Cross, shape: Shape, records_of_one: int) -> Weights:
    """The largest variance of a cell by the margins, of each table in each level of regions, (levels, tables), of one record a person.

    What intervals have beside their deviations (`Cross.slack`) is taken off the margin. Raises PlanError where nothing is left of it.
    """

    def variance(named: tuple[str, ...], level: str, slack: float) -> float:
        margin = ranked(cross.margins, named, level)[0]  # The grammar refuses a table without one.
        if margin.within <= slack:
            by = f"of {len(named)} columns by {slack:g}"
            problem = f"keep {margin.within} records, and rounding alone may move a cell {by}"
            raise PlanError("margins", problem, "widen them, or leave whole-numbers out")
        of_many = variance_of_margin(margin.within - slack, Fraction(1) - margin.confidence, shape.measure)
        return of_many / records_of_one**2

    tables = [(named, cross.slack(shape, table)) for named, table in zip(cross.named, cross.tables, strict=True)]
    return tuple(tuple(variance(named, level, slack) for named, slack in tables) for level in cross.levels)


def solved_margins(cross: Cross, shape: Shape, records_of_one: int) -> Solved:
    """What the margins of a plan cost, and the weights that give the shares."""
    return margins_first(shape, largest_variances(cross, shape, records_of_one))
