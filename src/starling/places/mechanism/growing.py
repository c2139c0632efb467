"""A tree of boxes that grows level by level, with what is measured of it.

Privacy. Each measurement adds discrete Laplace noise of scale 1/e to the points of a box, where e is its amount for one point: one point
more or less within the box changes the logarithm of the probability of any value by at most e. The measurements are independent given what
was released before them, and what is measured next, with what amounts, follows from public choices and from values that are released
already. So the logarithm of the probability of a whole release changes by at most the sum of the amounts of the measurements whose boxes
hold the point, and those boxes lie on one path from the root to a leaf. If no path is given more than E in all, one point costs at most
E. A unit that has up to k points costs at most k E: its points come or go one after the other, and each time only the path of that one
point counts, whatever boxes the others lie in (group privacy; the tree is no obstacle, as the bound holds for each release). The methods
spend E = epsilon/k.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Final, NoReturn, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.places.arrays import Bool, Int16, Int32, Int64
from starling.places.measurements import ROOT, MeasuredTree, Tree
from starling.places.mechanism.boxes import areas, box_counts, cumulative, parts
from starling.places.occupied import Exact, OccupiedCells
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.sampling.noise import checked_add, draw


def noisy(exact: Int64, amount: Fraction) -> Int64:
    """Counts with discrete Laplace noise of scale 1/amount; both int64 of one shape."""
    return checked_add(exact, draw(DiscreteLaplace(1 / amount), exact.shape))


def below(depths: int) -> int:
    """The most boxes that one box becomes where it is cut at so many depths, with those between.

    >>> below(1), below(2)
    (4, 20)
    """
    return sum(4**depth for depth in range(1, depths + 1))


def fullest(values: Int64, above: Int64 | int, most: int) -> Bool:
    """bool (boxes,): the boxes that are cut: those whose noisy numbers, int64 (boxes,), are above a bound, of all or of each, and of them
    the largest, at most so many; of equal ones the first.

    >>> fullest(np.array([5, 1, 9, 7, 7]), 4, 3).tolist(), fullest(np.array([5, 1]), 4, 3).tolist()
    ([False, False, True, True, True], [True, False])
    """
    chosen = values > above
    if np.count_nonzero(chosen) > most:
        chosen[np.argsort(-values, kind="stable")[max(most, 0) :]] = False
    return chosen


Answer: TypeAlias = Callable[[Int64, Fraction], Int64]
"""Noisy counts of exact ones, both int64 of one shape, for which one point pays an amount."""
MOST_BOXES: Final = 1 << 23
"""Boxes of the tree of a sparse grid, which its cells do not bound: about two gigabytes, with all that is made of them."""


class Replayed:
    """The noisy counts of a release in place of new ones, in the order in which they were drawn: public, whatever is asked of them.

    Args:
        values: int64 (values,).
    """

    def __init__(self, values: Int64) -> None:
        self._values, self._at = values, 0

    def __call__(self, exact: Int64, _: Fraction) -> Int64:
        """The next ones, as many as there are counts. Raises ParameterError where they are too few."""
        begin, self._at = self._at, self._at + len(exact)
        if self._at > len(self._values):
            self._refuse("fewer")
        return self._values[begin : self._at]

    def check_end(self) -> None:
        """Raises ParameterError where values are left."""
        if self._at != len(self._values):
            self._refuse("more")

    def _refuse(self, how: str) -> NoReturn:
        raise ParameterError("values", f"are {how} than the boxes that follow from them", "give those of a release")


class Growing(ABC):
    """Open boxes, or pairs of boxes, which tile what is not yet closed of a tree, with exact counts; `measure` lets values out, with noise.

    Args:
        root: int32 (1, sides): the whole.
        answer: Gives the noisy counts; `noisy` without it.
        most: How many boxes the tree may have; None where nothing but its cells bounds it.

    Attributes:
        boxes: int32 (open, sides): the open boxes; at first the whole.
    """

    def __init__(self, root: Int32, answer: Answer | None, most: int | None) -> None:
        self.boxes, self._answer, self._most = root, answer, most
        self._nodes = np.zeros(1, dtype=np.int64)
        self._all: list[Int32] = [root]
        self._parents: list[Int64] = [np.array([ROOT], dtype=np.int64)]
        self._noises: dict[DiscreteLaplace, int] = {}
        self._measured: list[tuple[Int64, Int64, Int16, Bool]] = []

    @property
    def number(self) -> int:
        """Boxes so far."""
        return sum(map(len, self._all))

    @property
    @abstractmethod
    def single(self) -> Bool:
        """bool (open,): which boxes cannot be cut."""

    @abstractmethod
    def split(self, where: Bool, /) -> object:
        """Cut open boxes, bool (open,), at their middles; all others are closed."""

    @abstractmethod
    def _counts_of(self, where: Bool | slice) -> Int64:
        """The exact counts of some open boxes. Confidential."""

    def above(self, values: Int64, bound: Int64 | int, depths: int = 1) -> Bool:
        """bool (boxes,): the boxes that are cut, at so many depths: those with noisy counts, int64 (boxes,), above a bound; where the tree
        has no room for all, those of them that have the largest. Either follows from released values.
        """
        room = len(values) if self._most is None else (self._most - self.number) // below(depths)
        return fullest(values, bound, room)

    def measure(self, amount: Fraction, where: Bool | None = None, *, steered: Bool | bool) -> Int64:
        """Noisy counts of open boxes, which are also kept.

        Args:
            amount: What one point within the box pays; above 0.
            where: bool (open,): the boxes to be measured; all without it.
            steered: Whether the further shape depends on the value; or bool (measured,), whether it does on each.

        Returns:
            int64 (measured,).
        """
        chosen = slice(None) if where is None else where
        nodes = self._nodes[chosen]
        if not len(nodes):
            return np.empty(0, dtype=np.int64)
        noise = self._noises.setdefault(DiscreteLaplace(1 / amount), len(self._noises))
        values = (self._answer or noisy)(self._counts_of(chosen), amount)
        kinds = np.full(len(nodes), noise, dtype=np.int16)
        self._measured.append((nodes, values, kinds, np.broadcast_to(np.asarray(steered, dtype=np.bool_), nodes.shape)))
        return values

    def _columns(self) -> tuple[Int64, Int64, Int16, tuple[DiscreteLaplace, ...], Bool]:
        """All measurements, in the order in which they were made: boxes, values, noises by their numbers, these, what was steered."""
        node, value, noise, steered = (np.concatenate([each[column] for each in self._measured]) for column in range(4))
        return node, value, noise, tuple(self._noises), steered


class GrowingTree(Growing):
    """A tree of boxes of cells.

    Args:
        exact: int64 (rows, columns): the number of points of each cell; or the occupied cells, for a tree that is cut at middles alone.
        answer: Gives the noisy counts; `noisy` without it.

    Attributes:
        shape: Cells of the grid (rows, columns).
        bounded: Whether its cells are too many to bound the tree, which has at most MOST_BOXES boxes then.
        sums: int64 (rows + 1, columns + 1): what `boxes.cumulative` makes of the counts. Confidential. A sparse grid has none.
    """

    def __init__(self, exact: Exact, answer: Answer | None = None) -> None:
        rows, columns = exact.shape
        self.shape = (rows, columns)
        self.bounded = isinstance(exact, OccupiedCells)
        root = np.array([[0, rows, 0, columns]], dtype=np.int32)
        super().__init__(root, answer, MOST_BOXES if self.bounded else None)
        if isinstance(exact, OccupiedCells):
            self._counts: Callable[[Int32], Int64] = exact.box_counts
        else:
            self.sums = cumulative(np.ascontiguousarray(exact))
            self._counts = partial(box_counts, self.sums)

    @property
    def areas(self) -> Int64:
        """int64 (open,): cells of each open box."""
        return areas(self.boxes)

    @property
    def single(self) -> Bool:
        """bool (open,): the boxes of one cell."""
        return np.asarray(self.areas == 1)

    @property
    def every(self) -> Bool:
        """bool (open,): all open boxes."""
        return np.ones(len(self.boxes), dtype=np.bool_)

    def exact(self) -> Int64:
        """int64 (open,): the points of each open box. Confidential: for selections and searches, which have arguments of their own."""
        return self._counts(self.boxes)

    def _counts_of(self, where: Bool | slice) -> Int64:
        return self._counts(self.boxes[where])

    def split(self, where: Bool, rows: Int64 | int = 2, columns: Int64 | int = 2) -> Int64:
        """Cut open boxes evenly; all others are closed. A box that has only one part stays open as it is.

        Args:
            where: bool (open,): the boxes that are cut.
            rows: Into how many parts the rows are cut, of each of the boxes that are cut or of all; a side gives no more than its cells.
            columns: Into how many parts the columns are cut.

        Returns:
            int64 (open afterwards,): which of the open boxes, counted before, each lies in.
        """
        chosen = np.flatnonzero(where)
        down, across = (
            np.broadcast_to(np.asarray(each, dtype=np.int64), chosen.shape).copy() for each in (rows, columns)
        )
        boxes, above = parts(self.boxes[chosen], down, across)
        return self.grow(boxes, chosen[above])

    def grow(self, boxes: Int32, above: Int64) -> Int64:
        """Go on with smaller boxes, int32 (boxes, 4), those of one open box one after the other, which tile it; all others are closed.

        Takes and returns int64 (boxes,), ascending: the open box that each lies in; see `split`.
        """
        new = np.bincount(above, minlength=len(self.boxes))[above] > 1
        nodes = self._nodes[above]
        self._parents.append(nodes[new])
        nodes[new] = self.number + np.arange(np.count_nonzero(new))
        self._all.append(boxes[new])
        self.boxes, self._nodes = boxes, nodes
        return above

    def measured(self, searched: Int64 | None = None) -> MeasuredTree:
        """The tree with all measurements, in the order in which they were made, and other noisy values that the shape follows from."""
        tree = Tree(self.shape, np.concatenate(self._all), np.concatenate(self._parents))
        others = np.empty(0, dtype=np.int64) if searched is None else searched
        return MeasuredTree(tree, *self._columns(), others)
