"""How far released trips on a grid will be off, before anything is spent: what the noise alone does to the numbers of pairs of boxes.

Which pairs are measured depends on where trips lead, and how they lie within a pair is not known; so nothing is said of rectangles.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from starling.errors import PlanError
from starling.pages.parts import Section, Table
from starling.places.trips.mechanism import MARGIN, TripTree, depths
from starling.places.trips.plan import Plan
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.most import warn_of_large
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Grid


@dataclass(frozen=True, repr=False)
class Preview(pages.Preview):
    """What a plan will give. Raises PlanError where it expects no number of trips."""

    plan: Plan

    def __post_init__(self) -> None:
        if self.plan.expected is None:
            fix = "write about how many trips there are, publicly, or give --expected"
            raise PlanError("expected", "is missing, and the depth of the tree follows from it", fix)

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Expected error of flows on a grid; {self.plan.cost} for {self.plan.relation}"

    @cached_property
    def margins(self) -> dict[int, tuple[int, int]]:
        """For each depth at which pairs of boxes are measured, how many pairs it can have, and the margin of 95 % of their numbers."""
        plan = self.plan
        rule = TripTree(plan.grid.shape, plan.relation, plan.epsilon, plan.trips).part(1 - 2 * MARGIN)
        amounts = depths(rule, plan.expected or 0)
        return {
            depth: (min(4**depth, plan.cells), margin(DiscreteLaplace(1 / amount), Fraction(1, 20)))
            for depth, amount in amounts.items()
        }

    def header(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        return ("Depth", "pairs of boxes", "95 % margin of each")

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The margins, in words."""
        return tuple((str(depth), f"up to {many:,}", f"± {off:,}") for depth, (many, off) in self.margins.items())

    def sections(self) -> tuple[Section, ...]:
        """The content of the page."""
        text = f"""
            With {self.plan.expected:,} trips, pairs of boxes are measured at these depths, and cut where trips lead. Beside this noise an
            answer is off by the trips of the pairs of boxes that it cuts: its sure interval says how far.
        """
        return (
            Section("Expected error", text, tables=(Table(self.header(), self.rows(), f"Noise ({self.plan.trip})"),)),
        )

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("preview", self.title),
            ("cost", str(self.plan.cost)),
            ("margins", "by how much the noise moves the number of a pair of boxes, at most, in 95 % of them"),
        ]

    def _parts(self) -> tuple[Grid, ...]:
        return ((self.header(), self.rows()),)

    def as_json(self) -> dict[str, Json]:
        """The margin of each depth."""
        margins: list[Json] = [
            {"depth": depth, "pairs": many, "margin": off} for depth, (many, off) in self.margins.items()
        ]
        return {"title": self.title, "cost": str(self.plan.cost), "margins": margins}


def preview(plan: Plan, *, expected: int | None = None) -> Preview:
    """What a plan leads to, where about so many trips are expected publicly; as many as the plan says without it. Opens no records."""
    warn_of_large(plan.cost)
    return Preview(plan if expected is None else replace(plan, expected=expected))
