"""What all methods share: their public choices, and how their guarantee and their budget follow from what they measure."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from starling.places.arrays import Int64
from starling.places.measurements import Measured
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.events import MONOTONE, PureDP
from starling.privacy.guarantee import Guarantee, measurement, sequential
from starling.privacy.neighbours import Relation

TOTAL: Final = Fraction(1, 50)
"""The part of the budget that the number of points is measured with, where a shape follows from it."""


@dataclass(frozen=True, slots=True)
class Spent:
    """A line of a method's budget, for people: what one path from the root to a leaf spends on it, exact."""

    name: str
    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class Method(ABC):
    """A `privacy.trust.Mechanism` over the exact counts of a public grid. It is an immutable value, made of public choices alone.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        relation: Neighbouring databases.
        epsilon: The cost of one unit over the whole grid; above 0.
        points: k, the most points of one unit; 1 where the unit is a point.
    """

    measured: ClassVar[str] = ""
    """All that is measured, in words; empty where that is one measurement."""
    shape: tuple[int, int]
    relation: Relation
    epsilon: Fraction
    points: int = 1

    @property
    def amount(self) -> Fraction:
        """What one point pays in all."""
        return self.epsilon / self.points

    @property
    @abstractmethod
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """What is measured, as events, by the names of the lines of the budget."""

    @property
    def guarantee(self) -> Guarantee:
        """What is drawn, as events, and so what it costs."""
        parts = [each for stage in self.stages.values() for each in stage]
        return sequential(self.measured, parts) if self.measured else parts[0]

    @property
    def budget(self) -> tuple[Spent, ...]:
        """The budget by what it is spent on; the lines add up to the cost of the guarantee."""
        costs = ((name, sum((each.cost.amount for each in stage), Fraction(0))) for name, stage in self.stages.items())
        return tuple(Spent(name, cost) for name, cost in costs)

    def disjoint(self, name: str, amount: Fraction) -> Guarantee:
        """The guarantee of one measurement of each of several disjoint boxes, for which one point pays an amount; L1 sensitivity k.

        Whatever the boxes, a unit more never lowers the number of points in one.
        """
        return measurement(name, self.relation, DiscreteLaplace(1 / amount), self.points, MONOTONE)

    @abstractmethod
    def draw(self, exact: Int64, /) -> Measured:
        """Measure the number of points of each cell, int64 (rows, columns). Raises OverflowError where a noisy count leaves int64: an event
        of the noisy count alone, so post-processing.
        """


@dataclass(frozen=True, slots=True)
class PathMethod(Method):
    """A quadtree whose every path spends what the number of points leaves, whatever its shape."""

    measured = "points of the boxes of an adaptive quadtree"

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """The number of points, and what every path spends."""
        name = "boxes down a path"
        return {
            "number of points": [self.disjoint("points of the grid", TOTAL * self.amount)],
            name: [Guarantee(name, self.relation, PureDP((1 - TOTAL) * self.epsilon))],
        }
