"""How far released flows will be off, before anything is spent: exact, as the noise does not depend on what is counted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from starling.pages.parts import Section, Table
from starling.places.flows.answers.released import LEVEL, ReleasedFlows
from starling.places.flows.plan import Plan
from starling.privacy.most import warn_of_large
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Grid
from starling.release.text import rounded


@dataclass(frozen=True, repr=False)
class Preview(pages.Preview):
    """What a plan will give."""

    plan: Plan

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Expected error of flows; {self.plan.cost} for {self.plan.relation}"

    @cached_property
    def margins(self) -> Mapping[tuple[str, str], float]:
        """For each pair of levels, the margin that holds 95 % of the numbers of a pair of nodes: the mean over all of them."""
        plan, many = self.plan, len(self.plan.levels.sizes)
        areas = plan.levels.areas
        released = ReleasedFlows(plan, np.zeros((areas, areas)))
        ends = [released.each if level == many - 1 else released.ends_of_level(level) for level in range(many)]
        names = plan.areas.level_names
        return {
            (names[one], names[other]): float(released.margins(ends[one], ends[other]).mean())
            for one, other in product(range(many), repeat=2)
        }

    def header(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        return ("From a node of", *(f"to one of {name}" for name in self.plan.areas.level_names))

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The margins by level of the origin, in words."""
        names = self.plan.areas.level_names
        return tuple((one, *(f"± {rounded(self.margins[one, other])}" for other in names)) for one in names)

    def sections(self) -> tuple[Section, ...]:
        """The content of the page."""
        text = f"""
            {float(100 * LEVEL):g} % of numbers will be off by at most so many {self.plan.counted}, whatever there are: the mean over all
            pairs of nodes.
            {self._advice()}
        """
        table = Table(self.header(), self.rows(), f"Margins of numbers of {self.plan.counted} ({self.plan.trip})")
        budget = Table(("Measured", self.plan.measure), self.plan.budgets, "Budget by pairs of levels")
        return (Section("Expected error", text, tables=(table, budget)),)

    def _advice(self) -> str:
        """How the margin compares with what is expected, where a number is."""
        if self.plan.expected is None:
            return ""
        least = "at least " if self.plan.columns.between else ""
        each, of = self.plan.expected / self.plan.cells, "" if self.plan.slices is None else " of a slice"
        return f"With {self.plan.expected:,} trips, a pair of areas{of} has {least}{rounded(each)} on average."

    def _facts(self) -> list[tuple[str, str]]:
        note = self._advice()
        return [
            ("preview", self.title),
            ("cost", str(self.plan.cost)),
            ("margins", f"95 % of numbers will be off by at most so many {self.plan.counted}"),
            *([("expected", note)] if note else []),
        ]

    def _parts(self) -> tuple[Grid, ...]:
        return ((self.header(), self.rows()), (("Measured", self.plan.measure), self.plan.budgets))

    def as_json(self) -> dict[str, Json]:
        """The margin of each pair of levels."""
        margins: list[Json] = [
            {"from": one, "to": other, "margin": many} for (one, other), many in self.margins.items()
        ]
        budget: list[Json] = [{"levels": levels, self.plan.measure: amount} for levels, amount in self.plan.budgets]
        return {"title": self.title, "cost": str(self.plan.cost), "margins": margins, "budget": budget}


def preview(plan: Plan, *, expected: int | None = None) -> Preview:
    """What a plan leads to, where about so many trips are expected publicly; as many as the plan says without it. Opens no records."""
    warn_of_large(plan.cost)
    return Preview(plan if expected is None else replace(plan, expected=expected))
