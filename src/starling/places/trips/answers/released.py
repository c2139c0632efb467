"""What is asked of released trips: how many lead from a rectangle to a rectangle, each with an interval that surely holds the truth."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.places.answers.coordinates import Units, rectangles_in_cells
from starling.places.answers.forms import ArrayAnswers, shown, whole
from starling.places.answers.rectangles import checked_rectangles, rectangular
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.arrays import Bool, Float64, Int32, Int64
from starling.places.trips.answers.sure import Surety
from starling.places.trips.measurements import MeasuredTrips
from starling.places.trips.plan import Plan
from starling.privacy.budget import Exact, exact
from starling.release.text import outside_note

if TYPE_CHECKING:
    from starling.places.trips.postprocess import TripEstimate

END: Final = ("origins", "destinations")
MOST_CERTAIN: Final = 4096
"""Pairs of boxes of which it is told whether they surely have trips."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TripAnswers(ArrayAnswers):
    """Answers to queries, in their order.

    Attributes:
        trips: float64 (queries,): released trips.
        lower: int64 (queries,): lower ends of sure intervals (sure.py).
        upper: int64 (queries,): their upper ends, included.
        clipped: bool (queries,): whether a part of the query lies beyond the grid; that part has no trips.
    """

    trips: Float64
    lower: Int64
    upper: Int64
    clipped: Bool

    @property
    def outside_note(self) -> str:
        """What is said where numbers, as whole ones, lie outside their intervals; else empty."""
        return outside_note(zip(self.trips.round().tolist(), self.lower.tolist(), self.upper.tolist(), strict=True))

    def _columns(self, first: slice) -> dict[str, list[str]]:
        ends = {"interval from": whole(self.lower[first]), "to": whole(self.upper[first])}
        return {"trips": shown(self.trips[first]), **ends}


class ReleasedTrips:
    """Released trips, and how far any number of them may be off.

    Args:
        plan: The public plan.
        measured: What was drawn.
        margins: float64 (rows, columns) each: released origins and destinations of each cell.
        estimate: Released trips of pairs of boxes.
    """

    def __init__(
        self, plan: Plan, measured: MeasuredTrips, margins: tuple[Float64, Float64], estimate: "TripEstimate"
    ) -> None:
        self.plan, self.measured, self.margins, self.estimate = plan, measured, margins, estimate

    @cached_property
    def ends(self) -> tuple[ReleasedGrid, ReleasedGrid]:
        """The released origins and destinations, each a grid that can be asked."""
        trees = self.measured.origins, self.measured.destinations
        grids = (
            ReleasedGrid(self.plan.grid, each, [(tree, 1)]) for each, tree in zip(self.margins, trees, strict=True)
        )
        origins, destinations = grids
        return origins, destinations

    @cached_property
    def _surety(self) -> Surety:
        return Surety(self.measured.pairs)

    def count(
        self,
        origin: npt.ArrayLike | None = None,
        destination: npt.ArrayLike | None = None,
        units: Units = "cells",
        level: Exact = LEVEL,
    ) -> TripAnswers:
        """Trips from rectangles to rectangles.

        Args:
            origin: (m, 4), or (4,): x0, y0, x1, y1 of each, fractions allowed; without it from anywhere.
            destination: The same of where trips end, one for each, or one for all.
            units: Of both.
            level: The probability with which each interval holds the true number, for a question fixed before the release is seen.

        Trips from or to anywhere are answered by the origins or destinations alone, which are known finer.

        Raises:
            ParameterError: as `ReleasedGrid.count`; or numbers of origins and of destinations that do not match.
        """
        rows, columns = self.plan.grid.shape
        if origin is None and destination is None:
            return _answers(self.ends[0].count([[0, 0, columns, rows]], "cells", level))
        if destination is None:
            return _answers(self.ends[0].count(_rectangles(origin), units, level))
        if origin is None:
            return _answers(self.ends[1].count(_rectangles(destination), units, level))
        parts = [self._boxes(each, units) for each in (origin, destination)]
        many = max(len(each) for each, _ in parts)
        if any(len(each) not in (1, many) for each, _ in parts):
            raise ParameterError("destination", "has another number of rectangles than origin", "give one for each")
        queries = np.concatenate([np.broadcast_to(each, (many, 4)) for each, _ in parts], axis=1)
        clipped = parts[0][1] | parts[1][1]
        lower, upper = self._surety.of(queries, exact(level, field="level"))
        return TripAnswers(self.estimate.count(queries), lower, upper, np.broadcast_to(clipped, many))

    @cached_property
    def certain(self) -> tuple[Int32, Float64, Int64, Int64]:
        """The pairs of boxes that surely have trips, all of them together with a probability of 95 %, most first, of `MOST_CERTAIN` at
        most: int32 (pairs, 8), released trips, float64 (pairs,), and the ends of their intervals, int64 (pairs,) each, which hold
        together.

        Which pairs stay whole, and which are looked at, follows from what was measured; so each interval has the part of the chance to miss
        that is left to each of all pairs that were measured.
        """
        first = np.argsort(-self.estimate.trips, kind="stable")[:MOST_CERTAIN]
        boxes, trips = self.estimate.boxes[first], self.estimate.trips[first]
        lower, upper = self._surety.of(boxes.astype(np.float64), 1 - (1 - LEVEL) / len(self.measured.pairs.boxes))
        there = lower > 0
        return boxes[there], trips[there], lower[there], upper[there]

    def _boxes(self, rectangles: npt.ArrayLike, units: Units) -> tuple[Float64, Bool]:
        """float64 (m, 4): rectangles as boxes of the grid, with fractions of cells; bool (m,): whether a part lies beyond it."""
        x0, y0, x1, y1 = checked_rectangles(rectangles_in_cells(self.plan.grid, units, _rectangles(rectangles))).T
        rows, columns = self.plan.grid.shape
        clipped = (x0 < 0) | (y0 < 0) | (x1 > columns) | (y1 > rows)
        ends = [np.clip(y, 0, rows) for y in (y0, y1)] + [np.clip(x, 0, columns) for x in (x0, x1)]
        return np.stack(ends, axis=1), clipped


def _rectangles(rectangles: npt.ArrayLike | None) -> Float64:
    array = np.asarray(rectangles)
    return rectangular(array[None] if array.ndim == 1 else array)


def _answers(answers: Answers) -> TripAnswers:
    assert answers.lower is not None
    assert answers.upper is not None
    return TripAnswers(answers.counts, answers.lower, answers.upper, answers.clipped)
