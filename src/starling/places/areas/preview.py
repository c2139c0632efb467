"""What the numbers of a plan of areas will be worth: exactly, since their deviations follow from the public plan alone."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from starling.pages.parts import Section, Table
from starling.places.areas.answers.unions import LEVEL, deviations
from starling.places.areas.answers.values import points_of
from starling.places.areas.mechanism import AreaCounts
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.postprocess import estimates
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.most import warn_of_large
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Grid, attributes
from starling.release.text import rounded


@dataclass(frozen=True, slots=True)
class LevelError:
    """How far the numbers of a level may be off.

    Attributes:
        name: Of the level.
        nodes: How many numbers it has.
        deviation: The largest standard deviation of them.
        margin: 95 of 100 are off by no more.
        typical: What a node of the level has on average of the points that are expected; None where nobody says any.
        mean: By how much 95 of 100 means of a value are off at most, of so many points; None where the plan has none, or nobody says any.
    """

    name: str
    nodes: int
    deviation: float
    margin: float
    typical: float | None
    mean: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Preview(pages.Preview):
    """What a plan of areas will give, the whole first."""

    plan: AreasPlan
    levels: tuple[LevelError, ...]

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Error of counts of areas; {AreaCounts(self.plan).guarantee.cost} for {self.plan.relation}"

    def header(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        whole = self.levels[0]
        expected = () if whole.typical is None else ("Points of one, about",)
        means = () if whole.mean is None else ("Mean within, about",)
        return ("Level", "Counted", "Standard deviation", "95 of 100 within", *expected, *means)

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Each level."""
        return tuple(
            (
                each.name,
                f"{each.nodes:,}",
                *map(rounded, (each.deviation, each.margin)),
                *(rounded(number) for number in (each.typical, each.mean) if number is not None),
            )
            for each in self.levels
        )

    def sections(self) -> tuple[Section, ...]:
        """The content of the page."""
        text = """
            Of each level the number that is off most, after all levels were made to add up. These are exact: they follow from the plan,
            whatever the points are.
        """
        table = Table(self.header(), self.rows(), "How far numbers of areas may be off, in points")
        return (Section("Expected error", text, tables=(table,)),)

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("preview", self.title),
            ("cost", str(AreaCounts(self.plan).guarantee.cost)),
            ("errors", "of each level the number that is off most, in points; they follow from the plan alone"),
        ]

    def _parts(self) -> tuple[Grid, ...]:
        return ((self.header(), self.rows()),)

    def as_json(self) -> dict[str, Json]:
        """The error of each level."""
        return {
            "title": self.plan.title,
            "expected_points": self.plan.expected,
            "levels": [
                {
                    **attributes(each, "level=name", "nodes", "standard_deviation=deviation", "margin"),
                    "expected_points": each.typical,
                    **({} if self.plan.value is None else {"mean_margin": each.mean}),
                }
                for each in self.levels
            ],
        }


def preview(plan: AreasPlan, *, expected: int | None = None) -> Preview:
    """How far the numbers of each level will be off; `expected` points in place of the plan's. Opens no records."""
    warn_of_large((Epsilon if plan.measure == "epsilon" else Rho)(plan.amount))
    number = plan.expected if expected is None else expected
    slices, value = len(plan.slice_names), plan.value
    nothing = tuple(np.zeros((len(nodes), plan.layers), dtype=np.int64) for nodes in plan.areas.nodes)
    half, levels = deviations(plan, 1 - LEVEL), []
    for name, estimated in zip(plan.areas.level_names, estimates(plan, nothing), strict=True):
        nodes, deviation = len(estimated.count), sqrt(float(points_of(plan, estimated).variance.max()))
        typical = None if number is None else number / slices / nodes
        # Of a mean at a bound, where the noise of one layer is all that moves it; never beyond the bounds.
        mean = min(half * sqrt(float(estimated.variance.max())) / typical, value.width) if value and typical else None
        levels.append(LevelError(name, nodes, deviation, half * deviation, typical, mean))
    return Preview(plan, tuple(levels))
