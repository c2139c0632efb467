"""The one signature of all methods: what a method declares, spends and draws."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from starling.places.measurements import Int64, Measured
from starling.privacy.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Spent:
    """A line of a method's budget, for people.

    Attributes:
        name: What is measured.
        epsilon: What one path from the root to a leaf spends on it, exact.
    """

    name: str
    epsilon: Fraction


class Method(Protocol):
    """A `privacy.trust.Mechanism` over the exact counts of a public grid. It is an immutable value, made of public choices alone."""

    @property
    def shape(self) -> tuple[int, int]:
        """Cells of the grid (rows, columns)."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What is drawn, as events, and so what it costs."""
        ...

    @property
    def budget(self) -> tuple[Spent, ...]:
        """The budget by what it is spent on; the lines add up to the cost of the guarantee."""
        ...

    def draw(self, exact: Int64, /) -> Measured:
        """Measure.

        Args:
            exact: int64 (rows, columns): the number of points of each cell.

        Raises:
            OverflowError: a noisy count leaves int64: an event of the noisy count alone, so post-processing.
        """
        ...
