"""Trips between the cells of a grid: origins alone, destinations alone, and a tree over pairs of boxes, each grown as `Adaptive` grows.

Privacy. Neighbours: one unit more or less, which has at most k trips, k public; each costs epsilon/k. Origins are points of the grid, so
are destinations: each is measured by `Adaptive` with its share of epsilon (adaptive.py). The third share goes to a tree over pairs of
boxes, in which a trip is one point of four dimensions. The larger box of a pair is cut, by its longest side, that of the origin on ties,
and the rule is that of `Adaptive`: the noisy number of trips says which depths are measured, with amounts that add up to R; a pair that is
not cut, and a pair of one cell and one cell wherever it appears, is measured with all that its path has left. Pairs without trips are
measured as others are, so that nothing is told by what is absent. The argument is that of growing.py: what is measured next, and with what
amount, follows from released values; a trip lies in the pairs of one path, and each path from the root to a leaf spends exactly its share
of epsilon/k. The tree has at most MOST_PAIRS pairs whatever the data are: where more would be cut, those with the largest noisy numbers
are, which again follows from released values. The three compose sequentially, and add up to epsilon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.places.arrays import Bool, Int32, Int64
from starling.places.mechanism.adaptive import Adaptive, finest
from starling.places.mechanism.growing import Answer, Growing, GrowingTree, Replayed, noisy
from starling.places.mechanism.method import TOTAL
from starling.places.trips.measurements import MeasuredPairs, MeasuredTrips, Trips
from starling.privacy.events import PureDP
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.neighbours import Relation

MARGIN: Final = Fraction(1, 5)
"""The part of epsilon of origins alone, and of destinations alone; pairs get the rest."""
PARTS: Final = ("origins", "destinations", "pairs")
"""What is measured, in this order."""
LOAD: Final = 40
"""Pairs of the finest depth are about so many times the noisy number of trips times what one pays; see `adaptive.LOAD`."""
END_LOAD: Final = 10
"""The same of the boxes of one end."""
FINE: Final = Fraction(3, 5)
"""The part of the finest depth; see `adaptive.FINE`."""
MOST_PAIRS: Final = 1 << 22
"""Pairs of boxes of a tree: about a gigabyte, with all that is made of them."""


@dataclass(frozen=True, slots=True)
class TripRule(Adaptive):
    """How each share of epsilon is spent; and the method of one end."""

    load = END_LOAD
    fine = FINE


@dataclass(frozen=True, slots=True)
class TripTree:
    """A `privacy.trust.Mechanism` over exact trips between the cells of a public grid.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        relation: Neighbouring databases.
        epsilon: The cost of one unit over all of it; above 0.
        trips: k, the most trips of one unit; 1 where the unit is a trip.
    """

    shape: tuple[int, int]
    relation: Relation
    epsilon: Fraction
    trips: int = 1

    def part(self, share: Fraction) -> TripRule:
        """The rule by which a share of epsilon is spent, and the method of one end."""
        return TripRule(self.shape, self.relation, share * self.epsilon, self.trips)

    @property
    def budget(self) -> tuple[tuple[str, Fraction], ...]:
        """What is measured in words, with what it costs one unit; all of it adds up to epsilon."""
        pairs = (1 - 2 * MARGIN) * self.epsilon
        ends = [(f"boxes of {end}", MARGIN * self.epsilon) for end in PARTS[:2]]
        return (*ends, ("number of trips", TOTAL * pairs), ("pairs of boxes", (1 - TOTAL) * pairs))

    @property
    def guarantee(self) -> Guarantee:
        """Both ends, the number of trips, and what every path of pairs spends."""
        end, rule = self.part(MARGIN), self.part(1 - 2 * MARGIN)
        name = "pairs of boxes down a path"
        total = rule.disjoint("trips", TOTAL * rule.amount)
        path = Guarantee(name, self.relation, PureDP((1 - TOTAL) * rule.epsilon))
        return sequential("trips between boxes of a grid", [end.guarantee, end.guarantee, total, path])

    def draw(self, exact: Trips, /) -> MeasuredTrips:
        """Measure origins, destinations, then pairs. Raises OverflowError where a noisy number leaves int64."""
        return self._measured(exact, (noisy,) * len(PARTS))

    def replay(self, values: Sequence[Int64]) -> MeasuredTrips:
        """What was drawn, from its noisy numbers alone: of origins, destinations and pairs, in the order in which they were drawn.

        All else follows from them. Raises ParameterError where they are not as many as the boxes that follow.
        """
        parts = tuple(map(Replayed, values))
        none = Trips(self.shape, np.empty((0, 4), dtype=np.int32), np.empty(0, dtype=np.int64))
        measured = self._measured(none, parts)
        for part in parts:
            part.check_end()
        return measured

    def _measured(self, exact: Trips, parts: Sequence[Answer]) -> MeasuredTrips:
        end = self.part(MARGIN)
        origins, destinations = (end.grown(GrowingTree(exact.margin(at), parts[at])) for at in range(2))
        return MeasuredTrips(origins, destinations, _pairs(self.part(1 - 2 * MARGIN), exact, parts[2]))


def depths(rule: TripRule, trips: int) -> Mapping[int, Fraction]:
    """The depths at which pairs are measured, ascending, with what one trip pays at each, by a noisy number of trips."""
    levels = 2 * (max(rule.shape) - 1).bit_length()
    return rule.amounts(finest((1 << levels, 1), trips, rule.amount, LOAD))


def _pairs(rule: TripRule, exact: Trips, answer: Answer) -> MeasuredPairs:
    """The tree over pairs, as `Adaptive.grow` grows one of boxes."""
    tree = _Growing(exact, answer)
    total = int(tree.measure(TOTAL * rule.amount, steered=True)[0])
    rule.grow(tree, depths(rule, total))
    return tree.measured()


class _Growing(Growing):
    """Open pairs of boxes, and in which of them each exact pair of cells lies; what is closed is forgotten."""

    def __init__(self, exact: Trips, answer: Answer) -> None:
        rows, columns = exact.shape
        super().__init__(np.array([[0, rows, 0, columns] * 2], dtype=np.int32), answer, MOST_PAIRS)
        self._ends, self._points = exact.ends, exact.points
        self._holder: Int64 = np.zeros(len(exact.points), dtype=np.int64)

    @property
    def sides(self) -> Int32:
        """int32 (open, 4): rows and columns of both boxes of each pair."""
        return np.asarray(self.boxes[:, 1::2] - self.boxes[:, ::2])

    @property
    def single(self) -> Bool:
        """bool (open,): whether a pair is one cell and one cell."""
        return np.asarray((self.sides == 1).all(axis=1))

    def _counts_of(self, where: Bool | slice) -> Int64:
        counts = np.zeros(len(self.boxes), dtype=np.int64)
        np.add.at(counts, self._holder, self._points)
        return counts[where]

    def split(self, cut: Bool) -> None:
        """Cut the larger box of each chosen pair, its rows and its columns at their middles, rounded down; all others are closed."""
        chosen, sides = np.flatnonzero(cut), self.sides
        boxes, each = self.boxes[chosen], np.arange(len(chosen))
        end = (sides[chosen, :2].max(axis=1) < sides[chosen, 2:].max(axis=1)).astype(np.int64)
        axes = 2 * end[:, None] + np.arange(2)
        middles = (boxes[each[:, None], 2 * axes] + boxes[each[:, None], 2 * axes + 1]) // 2
        parts = np.where(sides[chosen[:, None], axes] > 1, 2, 1)
        there = (np.arange(2)[:, None] < parts[:, 0, None, None]) & (np.arange(2) < parts[:, 1, None, None])
        place = there.reshape(-1).cumsum().reshape(there.shape) - 1
        above, *halves = np.nonzero(there)
        children = boxes[above]
        rows = np.arange(len(above))
        for side, half in enumerate(halves):
            # A side that is one cell stays; of others the lower part ends, and the upper begins, at the middle.
            whole = parts[above, side] == 1
            changed = 2 * axes[above, side] + (half == 0)
            children[rows, changed] = np.where(whole, children[rows, changed], middles[above, side])
        self._keep(chosen, axes, middles, parts, place)
        self._parents.append(self._nodes[chosen[above]])
        self._nodes = self.number + np.arange(len(children))
        self._all.append(children)
        self.boxes = children

    def _keep(self, chosen: Int64, axes: Int64, middles: Int32, parts: Int64, place: Int64) -> None:
        """Find the child that each exact pair lies in, and drop those of pairs that are closed."""
        at = np.full(len(self.boxes), -1, dtype=np.int64)
        at[chosen] = np.arange(len(chosen))
        holder = at[self._holder]
        inside = holder >= 0
        self._ends, self._points, holder = self._ends[inside], self._points[inside], holder[inside]
        upper = np.take_along_axis(self._ends, axes[holder], axis=1) >= middles[holder]
        half = (upper & (parts[holder] == 2)).astype(np.int64)
        self._holder = place[holder, half[:, 0], half[:, 1]]

    def measured(self) -> MeasuredPairs:
        """The tree with all measurements, in the order in which they were made."""
        begins = np.cumsum([0, *map(len, self._all[:-1])])
        return MeasuredPairs(np.concatenate(self._all), np.concatenate(self._parents), begins, *self._columns())
