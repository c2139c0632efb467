"""The plan of a release of trips on a grid: every public choice, as one immutable value. It opens nothing confidential.

Trips are counted by the public cell where they begin and the one where they end. Neighbours: one trip more or less, or one person more or
less, of whose trips at most k are counted: the k rows of smallest keyed hash (counts.py). The mechanism says what that costs.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final

from starling.errors import PlanError
from starling.places.plan.grid import Grid
from starling.places.plan.trips import PlanOfTrips, Unit
from starling.places.trips.plan.columns import Ends
from starling.places.trips.plan.grammar import TRIPS
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.least import least_text
from starling.release.codec import digest
from starling.text_format import PLAIN, TextFormat

WIDEST: Final = 1 << 26
"""Bounds k/epsilon, so that no sum of noise over all boxes leaves int64."""
MOST_CELLS: Final = 1 << 20
"""Cells of the grid: pairs of them are numbered up to 2^40, and origins and destinations alone have a number of each."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(PlanOfTrips):
    """Every public choice of a release: those of `PlanOfTrips`, and these.

    Attributes:
        trip: What a trip is, in a word.
        expected: Publicly expected number of trips; None where nobody says any.
    """

    grammar: ClassVar = TRIPS
    title: str
    trip: str
    grid: Grid
    unit: Unit
    trips: int
    epsilon: Fraction
    columns: Ends
    expected: int | None = None
    format: TextFormat = PLAIN
    slices = None

    def __post_init__(self) -> None:
        if self.grid.cells > MOST_CELLS:
            raise PlanError("grid.rows", f"times columns are beyond {MOST_CELLS:,} cells", "take larger cells")
        self._check_persons()
        if self.epsilon <= 0 or self.trips / self.epsilon > WIDEST:
            problem = "is so small that the noise of one number could leave 64 bits together with others"
            raise PlanError("privacy.epsilon", problem, f"spend at least {least_text(Fraction(self.trips, WIDEST))}")

    @property
    def cells(self) -> int:
        """Pairs of cells."""
        return self.grid.cells**2

    @property
    def cost(self) -> Cost:
        """What a release costs."""
        return Epsilon(self.epsilon)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every choice but the words and the expectation, hexadecimal."""
        stated: dict[str, Any] = {} if self.format == PLAIN else {"format": self.format}
        names = ("grid", "unit", "trips", "epsilon", "columns")
        return digest({name: getattr(self, name) for name in names} | stated)

    def _facts(self) -> list[tuple[str, str]]:
        grid = self.grid
        return [
            *self._first_facts(),
            ("cost", str(self.cost)),
            ("box", grid.box_text),
            ("cells", f"{grid.rows:,} rows of {grid.columns:,}; {self.cells:,} pairs of them"),
        ]
