"""What the report says of sums, means and quantiles: what they cost, and how far the means of the largest groups may be off."""

from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa

from starling.pages.charts import Interval, intervals
from starling.pages.parts import Picture, Section, Table
from starling.privacy.budget import decimal_up
from starling.release.text import rounded
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.plan import Plan, labels
from starling.tables.plan.labels import short_percent
from starling.tables.preview.aggregates import preview_aggregates, title

MOST: Final = 12
"""Means that are shown of each column."""


class Means:
    """The means of the groups that are largest by their noisy sizes, gathered piece by piece, by column and level of regions."""

    def __init__(self) -> None:
        self._largest: dict[tuple[str, str], list[tuple[float, int, dict[str, Any]]]] = {}
        self._rows = 0

    def add(self, t3: pa.Table) -> None:
        """The next piece, of one aggregate."""
        size, mean = (np.flatnonzero(t3["statistic"].to_numpy() == name) for name in ("size", "mean"))
        values = t3["value"].to_numpy(zero_copy_only=False)
        known = np.flatnonzero(~np.isnan(values[mean])) if len(mean) else mean
        if len(known):
            sizes = values[size[known]]
            chosen = known[np.lexsort((known, -sizes))[:MOST]]
            rows = t3.take(mean[chosen]).to_pylist()
            key = rows[0]["column"], rows[0]["region_type"]
            largest = self._largest.setdefault(key, [])
            largest += [
                (-float(values[size[at]]), self._rows + int(at), row) for at, row in zip(chosen, rows, strict=True)
            ]
            largest.sort(key=lambda each: each[:2])
            del largest[MOST:]
        self._rows += len(t3)

    def pictures(self) -> tuple[Picture, ...]:
        """The intervals of these means, a picture for each column and level."""
        return tuple(
            _picture(column, place, [row for *_, row in largest])
            for place, ((column, _), largest) in enumerate(self._largest.items(), 1)
        )


def _picture(column: str, place: int, rows: list[dict[str, Any]]) -> Picture:
    sure = short_percent(float(CONFIDENCE))
    lines = [
        Interval(
            labels.shortened(labels.group(row)),
            f"{rounded(row['value'])}: {rounded(row['lower'])} to {rounded(row['upper'])}",
            row["value"],
            row["lower"],
            row["upper"],
        )
        for row in rows
    ]
    caption = f"Means of {column} in the groups with most records, with their {sure} intervals."
    return Picture(partial(intervals, lines, f"mean of {column}", around=None), caption, f"means-{place}")


def charged(plan: Plan) -> tuple[Table, ...]:
    """What each aggregate costs, and what it is off by; nothing where there are none."""
    lines = [
        {
            "Sums and quantiles": title(plan, each.aggregate),
            plan.cost.symbol: decimal_up(each.aggregate.level.budget),
            "Groups of one person": str(each.aggregate.level.stability),
            f"{short_percent(float(CONFIDENCE))} margins": each.margins_text,
        }
        for each in preview_aggregates(plan)
    ]
    caption = f"Budget of each column's sums and quantiles; {plan.cost} in all"
    return (Table.of(lines, caption, words=True),) if lines else ()


def section(means: Means) -> Section:
    """How sums and quantiles were measured, and the means of the largest groups."""
    text = """
        Numbers are clamped to the public bounds of their column, so that one record moves a sum by a bounded amount. Of each group two
        sums are measured, of how far numbers lie above the least and below the largest one; size, sum and mean follow from both. Quantiles
        come from noisy counts of classes, or are selected by the exponential mechanism. Every group of the plan is measured, empty or not.

        The interval of a mean holds however small the group is: where noise hides the group, it is as wide as the bounds of the column.
    """
    return Section("Sums, means and quantiles", text, means.pictures())
