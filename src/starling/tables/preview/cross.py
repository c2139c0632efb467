"""How far the cells of cross tables will be off, what no other shares could improve, and which tables are costly: from the plan alone.

Certificate. With weights w of tables, the best shares of a budget make the weighted sum of variances least, and variances fall as the
budget grows. So whatever shares keep all variances V cost at least (least weighted sum at budget 1)/(sum of w V): the bound, for any w.
The search ends at weights where it is within a thousandth of the plan's budget. On trees whose branches differ no bound is known.

What a table costs is its part of the weighted sum. What leaving it out would save is found by solving for all others.
"""

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from functools import lru_cache
from math import fsum, sqrt
from typing import Final

from starling.privacy.budget import Cost
from starling.release.text import rounded
from starling.tables.plan import Plan
from starling.tables.plan.best_families import Weights, divided
from starling.tables.plan.cross import Cross, replacement
from starling.tables.plan.cross_solving import largest_variances, solved_margins, stated_weights
from starling.tables.plan.labels import percent
from starling.tables.plan.residual_targets import equal_branches, margins_first
from starling.tables.plan.residuals import Shape, variances
from starling.tables.postprocess.cross import margin

MOST_LEFT_OUT: Final = 10
"""Tables that are left out one by one to see what that would save: those that cost most."""


_DOWN: Final = Context(prec=4, rounding=ROUND_FLOOR)
HEADER: Final = ("table", "regions", "cells", "standard deviation", "95 % margin", "of the cost")


@dataclass(frozen=True, slots=True)
class TablePreview:
    """A cell of one table, in any region of a level.

    Attributes:
        name: Its columns.
        level: The level of regions.
        cells: Cells of the table in all regions of the level.
        standard_deviation: Of the error of a cell, in records, where regions differ in the one where it is largest.
        margin: Half the width of its interval of 95 %.
        part: Of the whole cost, what this table at this level is the reason of; all parts add up to 1.
    """

    name: str
    level: str
    cells: int
    standard_deviation: float
    margin: float
    part: float


@dataclass(frozen=True, slots=True)
class CrossPreview:
    """All cross tables of a plan.

    Attributes:
        tables: Level by level, those of fewer columns first.
        replace_one: What replacing the records of one person by others costs.
        bound: No shares of a budget give what the plan gives, or promises, for less rho; None where that is not known.
        savings: Of the costliest tables, the part of the budget that would be saved without them, the largest first.
    """

    tables: tuple[TablePreview, ...]
    replace_one: Cost
    bound: float | None
    savings: tuple[tuple[str, float], ...]

    @property
    def bound_text(self) -> str:
        """The certificate in words."""
        if self.bound is None and self.replace_one.measure == "epsilon":
            return "How far the budget is above the least is not known: whole tables are measured, and how is searched."
        if self.bound is None:
            why = "regions of a level differ in how many lie in them"
            return f"How far the budget is above the least is not known: {why}."
        return f"No other shares give this for less than rho {_DOWN.create_decimal_from_float(self.bound):f}."

    @property
    def savings_text(self) -> str:
        """What leaving out tables would save, in words; empty where there is one table."""
        listed = ", ".join(f"{name} {percent(part)}" for name, part in self.savings)
        return listed and f"Of the budget, leaving out one of the costliest tables would save: {listed}."

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each table, of the columns HEADER."""
        return [
            (
                each.name,
                each.level,
                f"{each.cells:,}",
                rounded(each.standard_deviation),
                f"± {rounded(each.margin)}",
                percent(each.part),
            )
            for each in self.tables
        ]


def preview_cross(plan: Plan) -> CrossPreview | None:
    """The expected errors of the cross tables of a plan; None where it has none."""
    return None if plan.cross is None else _previewed(plan.cross, plan.cross_shape, plan.records_of_one)


@lru_cache(maxsize=8)
def _previewed(cross: Cross, shape: Shape, records: int) -> CrossPreview:
    reached = variances(shape, cross.shares)
    if cross.margins:
        weights, largest = solved_margins(cross, shape, records).weights, largest_variances(cross, shape, records)
    else:
        weights, largest = stated_weights(cross), reached
    priced = [[w * v for w, v in zip(*both, strict=True)] for both in zip(weights, largest, strict=True)]
    whole = fsum(each for level in priced for each in level)
    tables = tuple(
        TablePreview(
            cross.name(table),
            level,
            shape.cells(table) * regions,
            sd := records * sqrt(variance),
            margin(cross, shape, table, sd),
            price / whole,
        )
        for level, regions, of_tables, of_level in zip(cross.levels, shape.regions, reached, priced, strict=True)
        for table, variance, price in zip(cross.tables, of_tables, of_level, strict=True)
    )
    least = variances(shape, divided(shape, weights, Fraction(1)))
    bound = fsum(w * v for both in zip(weights, least, strict=True) for w, v in zip(*both, strict=True)) / whole
    known = bound if equal_branches(shape) and not shape.laplace else None
    return CrossPreview(tables, replacement(cross, shape), known, _savings(cross, shape, priced, largest))


def _savings(cross: Cross, shape: Shape, priced: list[list[float]], largest: Weights) -> tuple[tuple[str, float], ...]:
    """What leaving out each of the costliest tables would save, at all levels."""
    if len(cross.tables) == 1:
        return ()
    costs = [fsum(of_table) for of_table in zip(*priced, strict=True)]
    costliest = sorted(range(len(costs)), key=lambda at: -costs[at])[:MOST_LEFT_OUT]
    saved = []
    for at in costliest:
        others = replace(shape, tables=(*shape.tables[:at], *shape.tables[at + 1 :]))
        budget = margins_first(others, tuple((*level[:at], *level[at + 1 :]) for level in largest)).budget
        saved.append((cross.name(cross.tables[at]), max(float(1 - budget / cross.budget), 0.0)))
    return tuple(sorted(saved, key=lambda each: -each[1]))
