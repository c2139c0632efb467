"""Homogeneous trees: boxes are cut where the points of both parts are spread most evenly, found by a noisy search (HTF).

Privacy. Neighbours: one unit more or less, which has at most k points, k public. One path costs one point epsilon/k:

- the number of points n is measured with eps_h, once; the height h of the tree follows from the noisy number;
- at heights h to 1 a cut is searched for with eps_p a level: 2 T + 1 noisy objectives, eps_p/(2 T + 1) each, at places that follow from
  released values. The boxes of a level are disjoint. As controls a cut is chosen among all candidates of a box: by noisy objectives, whose
  number its sides say, each with an equal part of eps_p, or by the exponential mechanism with eps_p;
- a box at height i is measured with eps_i; it is a leaf by its noisy count, or because it is small. A leaf above height 0 is measured
  afresh with what its path has left for counts. eps_0 + ... + eps_h + eps_h + h eps_p is the whole budget.

The boxes that hold a point lie on one path, and each unit's points come or go one after the other (growing.py).

The objective. A part with q cells of counts c and n points has s = sum of |q c - n|, so that its distance from being spread evenly
is s/q; released is floor(1024 s/q), from whole numbers, and the sum of both parts. One point more changes s/q by at most
(q - 1)/q for its own cell and 1/q for each of the q - 1 others, 2 (1 - 1/q) < 2 in all; so 1024 s/q by less than 2048, its floor by
at most 2048, and only one part changes: sensitivity 2048 (Theorem 1 of HTF, which says 2; right for adding and removing alone).

What differs from the paper, which is misprinted: the search keeps its offset (Algorithm 1), eq. 16 is (2^(h-i+1)/lambda)^(1/3), a leaf at
height 0 has no budget left and keeps its count, children that are absent are not visited (Algorithm 3).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, Literal, TypeAlias

import numpy as np

from starling.errors import PlanError
from starling.places.arrays import Bool, Int32, Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.boxes import SENSITIVITY, cut_axis, deviations, halves, sides
from starling.places.mechanism.growing import GrowingTree, noisy
from starling.places.mechanism.ladders import cube_root, remainders, shares
from starling.places.mechanism.method import Method
from starling.places.plan.idle_parameters import LEAST_CELLS
from starling.privacy.distributions.discrete import LARGEST_SCALE
from starling.privacy.events import PureDP
from starling.privacy.guarantee import Guarantee
from starling.privacy.least import least_text
from starling.privacy.sampling.entropy import system
from starling.privacy.sampling.exact_draws import below
from starling.privacy.sampling.selection import exponential_mechanism

Cuts: TypeAlias = Literal["search", "all", "exponential", "middle", "random"]

TOTAL: Final = Fraction(1, 10_000)
"""eps_h: what a unit pays for the number of points."""
LOAD: Final = 10
"""The height is log2 of n epsilon/10."""
MOST: Final = Fraction(3, 10)
"""The part of epsilon that may be spent on other things than counts."""
MOST_ROUNDS: Final = 30


@dataclass(frozen=True, slots=True)
class Htf(Method):
    """A binary tree with searched cuts: a `Method`.

    Attributes:
        cuts: How boxes are cut: by search; at the best of all candidates by noisy objectives (the paper's Section 4.1.1) or by the
            exponential mechanism; in the middle; or anywhere, by chance. The last two cost nothing, and all goes to counts.
        search: eps_p: what a unit pays for the searches of a level; the paper has 5/10,000 and 1/1,000.
        rounds: T: how often a search goes on from the place in the middle.
        least_points: A box with a noisy count of so many points or fewer is a leaf.
        least_cells: A box with fewer cells is a leaf.

    Raises:
        PlanError: the number of points and the searches would take more than .3 of epsilon from the counts, as the paper's constants do
            where epsilon is small; or a parameter is out of range.

    Source: Shaham et al. 2021, "HTF: Homogeneous Tree Framework for Differentially-Private Release of Location Data", Sections 3 and 4.
    """

    measured = "points of the boxes of a homogeneous tree"
    cuts: Cuts = "search"
    search: Fraction = Fraction(5, 10_000)
    rounds: int = 3
    least_points: int = 100
    least_cells: int = LEAST_CELLS

    def __post_init__(self) -> None:
        if not (0 <= self.rounds <= MOST_ROUNDS and self.least_points >= 0 and self.least_cells >= 1):
            problem = f"are not 0 to {MOST_ROUNDS} rounds, 0 or more points, 1 or more cells"
            raise PlanError("rounds, least_points, least_cells", problem, "leave out what the paper chose")
        most = {"search": 2 * self.rounds + 1, "all": max(self.shape)}.get(self.cuts, 1)
        if self.search * LARGEST_SCALE < SENSITIVITY * self.points * most:
            raise PlanError("search", "is too small for its noise", "spend more, or cut in the middle")
        least = (TOTAL + self.highest * self.level_search) / MOST
        if least > self.epsilon:
            problem = "takes more than .3 of epsilon from the counts of this grid"
            fix = f'spend at least {least_text(least)} in all, or less on searches, or write cuts = "middle"'
            raise PlanError("search", problem, fix)

    @property
    def highest(self) -> int:
        """The largest height: floor(log2 of the number of cells), at least 1."""
        return max(1, (self.shape[0] * self.shape[1]).bit_length() - 1)

    @property
    def level_search(self) -> Fraction:
        """What a unit pays for the cuts of a level."""
        return Fraction(0) if self.cuts in ("middle", "random") else self.search

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """The number of points, and what a path spends; how much of that is for cuts depends on the height."""
        name = "cuts and boxes down a path"
        rest = Guarantee(name, self.relation, PureDP(self.epsilon - TOTAL))
        return {
            "number of points": [self.disjoint("points of the grid", TOTAL / self.points)],
            name if self.level_search else "boxes down a path": [rest],
        }

    def height(self, total: int) -> int:
        """h = floor(log2 max(n epsilon/(10 k), 2)), at most that of a tree of cells.

        >>> from starling.privacy.neighbours import ADD_REMOVE_POINT
        >>> [Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(e, 10)).height(3_500_000) for e in (1, 3, 5)]
        [15, 16, 17]
        """
        load = max(floor(total * self.epsilon / (LOAD * self.points)), 2)
        return min(load.bit_length() - 1, self.highest)

    def amounts(self, height: int) -> tuple[Fraction, ...]:
        """What one point pays for its box at heights h to 0; 2^(1/3) times more at each step down.

        >>> from starling.privacy.neighbours import ADD_REMOVE_POINT
        >>> amounts = Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(1, 10)).amounts(15)
        >>> float(sum(amounts)), round(float(amounts[-1]), 5)
        (0.0924, 0.01955)
        """
        counts = (self.epsilon - TOTAL - height * self.level_search) / self.points
        return shares(counts, [cube_root(2**step) for step in range(height + 1)])

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the root, then from height h down: the boxes, the leaves afresh, the searches. See `Method.draw`.

        `searched` holds, for each height, the objectives of all boxes in the middle, then those of each round, below and above; or, of
        the boxes of each length from short to long, those of each candidate.
        """
        tree = GrowingTree(exact)
        total = int(tree.measure(TOTAL / self.points, steered=True)[0])
        height = self.height(total)
        amounts = self.amounts(height)
        searched: list[Int64] = []
        for step, (amount, left) in enumerate(zip(amounts, remainders(amounts), strict=True)):
            large = (tree.areas >= max(self.least_cells, 2)) & (step < height)
            cut = large & (tree.measure(amount, steered=large) > self.least_points)
            if left:
                tree.measure(left, ~cut, steered=False)
            if not cut.any():
                break
            boxes = tree.boxes[cut]
            axis = cut_axis(boxes, (height - step) % 2)
            places = self._places(tree, exact, boxes, axis, searched)
            tree.grow(np.stack(halves(boxes, axis, places), axis=1).reshape(-1, 4), np.repeat(np.flatnonzero(cut), 2))
        return tree.measured(np.concatenate(searched) if searched else None)

    def _places(self, tree: GrowingTree, exact: Int64, boxes: Int32, axis: Int64, searched: list[Int64]) -> Int64:
        """int64 (boxes,): after how many rows or columns each box is cut."""
        lengths = sides(boxes)[np.arange(len(boxes)), axis]
        if self.cuts == "middle":
            return lengths // 2
        if self.cuts == "random":
            return np.array([1 + below(length - 1, system()) for length in lengths.tolist()], dtype=np.int64)
        amount = self.search / self.points

        def unevenness(places: Int64, where: Bool) -> Int64:
            """Objectives of the boxes `where`. Confidential."""
            near, far = halves(boxes[where], axis[where], places[where])
            return deviations(exact, tree.sums, near) + deviations(exact, tree.sums, far)

        if self.cuts == "exponential":
            return selected(lengths, amount, unevenness)

        def objectives(places: Int64, where: Bool, values: int) -> Int64:
            """Noisy objectives of the boxes `where`, of so many a box; the largest number for all others."""
            cuts = np.full(len(boxes), np.iinfo(np.int64).max)
            cuts[where] = noisy(unevenness(places, where), amount / values / SENSITIVITY)
            searched.append(cuts[where])
            return cuts

        if self.cuts == "all":
            return best_of_all(lengths, objectives)
        values = 2 * self.rounds + 1
        return search(lengths, self.rounds, lambda places, where: objectives(places, where, values))


def selected(lengths: Int64, amount: Fraction, unevenness: Callable[[Int64, Bool], Int64]) -> Int64:
    """A place for each box, 1 to its length less 1, drawn by the exponential mechanism of a confidential unevenness; one point pays
    `amount`.
    """
    cut = np.ones_like(lengths)
    for box in np.flatnonzero(lengths > 2).tolist():
        where = np.arange(len(lengths)) == box
        candidates = range(1, int(lengths[box]))
        scores = np.concatenate([-unevenness(np.full_like(lengths, place), where) for place in candidates])
        cut[box] = 1 + int(exponential_mechanism(scores, amount, SENSITIVITY)[0])
    return cut


def best_of_all(lengths: Int64, objectives: Callable[[Int64, Bool, int], Int64]) -> Int64:
    """The place of the smallest objective of each box; the first of equal ones. A box with one candidate is asked for none.

    `objectives` gives those of the boxes that are asked for, at places, so many of a box; the largest number for all others.
    """
    result = np.ones_like(lengths)
    for length in np.unique(lengths[lengths > 2]).tolist():
        where = lengths == length
        best = np.full(len(lengths), np.iinfo(np.int64).max)
        for place in range(1, length):
            noisy_ones = objectives(np.full_like(lengths, place), where, length - 1)
            result[noisy_ones < best] = place
            best = np.minimum(best, noisy_ones)
    return result


def search(lengths: Int64, rounds: int, objectives: Callable[[Int64, Bool], Int64]) -> Int64:
    """The places with the smallest objectives that were met: Algorithm 1, with its offsets, going on so many rounds.

    At most 2 rounds + 1 objectives a box; `lengths`, int64 (boxes,), are its rows or columns, at least 2, and places are 1 to those less
    1. `objectives` gives those of the boxes that are asked for, at places; the largest number for all others.
    """
    low, high = np.ones_like(lengths), lengths - 1
    place = (low + high) // 2
    best = objectives(place, np.ones(len(lengths), dtype=np.bool_))
    for _ in range(rounds):
        below, above = (low + place) // 2, (place + high + 1) // 2
        under, over = objectives(below, below != place), objectives(above, above != place)
        # Ties keep the place.
        stays, down = best <= np.minimum(under, over), under <= over
        low, high, place, best = (
            np.where(stays, below, np.where(down, low, place)),
            np.where(stays, above, np.where(down, place, high)),
            np.where(stays, place, np.where(down, below, above)),
            np.where(stays, best, np.where(down, under, over)),
        )
    return place
