"""Baselines that are in studies alone: some are not private, others are published methods that a release does not offer.

NOT PRIVATE: `ExactUniformGrid` and `ExactAdaptiveGrid` take the number of points as public, as their originals do, and pay nothing for
it. Who picks the best of several heights by the data pays nothing for that either. Tables mark all of these with a star.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.places.arrays import Int64
from starling.places.measurements import ROOT, MeasuredTree, Tree
from starling.places.mechanism.adaptive_grid import FINE_LOAD, LEAST
from starling.places.mechanism.boxes import box_counts
from starling.places.mechanism.growing import GrowingTree, noisy
from starling.places.mechanism.htf import Htf
from starling.places.mechanism.method import TOTAL
from starling.places.mechanism.uniform_grid import LOAD, side
from starling.privacy.distributions.discrete import DiscreteLaplace

Float64: TypeAlias = npt.NDArray[np.float64]
Shape: TypeAlias = tuple[int, int]

WORTH: Final = 8.0
"""DPCube cuts a box where that lowers the squared deviations by more than so many times the square of the noise's deviation."""


@dataclass(frozen=True, slots=True)
class ExactUniformGrid:
    """UG with a public number of points. NOT PRIVATE.

    Source: Qardaji, Yang and Li 2013, "Differentially private grids for geospatial data", Section IV-A.
    """

    shape: Shape
    epsilon: Fraction

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure as many boxes as the number of points bears."""
        tree = GrowingTree(exact)
        boxes = side(int(exact.sum()) * self.epsilon / LOAD)
        tree.split(tree.every, boxes, boxes)
        tree.measure(self.epsilon, steered=False)
        return tree.measured()


@dataclass(frozen=True, slots=True)
class ExactAdaptiveGrid:
    """AG with a public number of points. NOT PRIVATE.

    Source: Qardaji, Yang and Li 2013, "Differentially private grids for geospatial data", Section IV-B.
    """

    shape: Shape
    epsilon: Fraction

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure a coarse grid, then the grids that its counts bear."""
        tree, half = GrowingTree(exact), self.epsilon / 2
        boxes = max(LEAST, -(-side(int(exact.sum()) * self.epsilon / LOAD) // 4))
        tree.split(tree.every, boxes, boxes)
        values = tree.measure(half, steered=tree.areas > 1)
        sides = np.array([side(value * half / FINE_LOAD) for value in values.tolist()], dtype=np.int64)
        tree.split(tree.every, sides, sides)
        tree.measure(half, steered=False)
        return tree.measured()


@dataclass(frozen=True, slots=True)
class HtfOfHeight(Htf):
    """HTF with a height that somebody chose: the best of several by the data is what no rule for heights can surpass. NOT PRIVATE.

    Attributes:
        chosen: The height, at most that of a tree of cells.
    """

    chosen: int = 10

    def height(self, total: int) -> int:  # noqa: ARG002 - that is the point
        """The chosen height, whatever the number of points."""
        return min(self.chosen, self.highest)


@dataclass(frozen=True, slots=True)
class DpCube:
    """Boxes that are found in the noisy counts of a coarse grid, and measured afresh.

    Half of epsilon pays for UG: the number of points and the counts of its grid. The grid is cut along its longer side where the squared
    deviations of these counts from an even spread become least, part by part, while that gains enough. The other half pays for the boxes
    that remain. Both are merged by least squares. What is measured second follows from released counts, and each is a partition, so that
    one point costs epsilon.

    Source: Xiao, Xiong, Fan, Goryczka and Li 2014, "DPCube: Differentially private histogram release through multidimensional
    partitioning"; a coarse grid in place of cells, as in DPBench, and a threshold against cuts by noise are choices made here.
    """

    shape: Shape
    epsilon: Fraction

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the grid, then the boxes; the tree is the whole, the boxes, and the grid's boxes within them."""
        half = self.epsilon / 2
        grid = GrowingTree(exact)
        total = int(grid.measure(TOTAL * half, steered=True)[0])
        sides = side(total * half / LOAD)
        grid.split(grid.every, sides, sides)
        own = (1 - TOTAL) * half
        values = noisy(grid.exact(), own)
        rows, columns = (min(sides, length) for length in self.shape)
        owner = partition(values.reshape(rows, columns), WORTH * 2 * float(1 / own) ** 2).reshape(-1)
        number = int(owner.max()) + 1
        first = np.tile(np.array([self.shape[0], 0, self.shape[1], 0], dtype=np.int32), (number, 1))
        for column, end in enumerate((np.minimum, np.maximum, np.minimum, np.maximum)):
            end.at(first[:, column], owner, grid.boxes[:, column])
        whole = np.array([[0, self.shape[0], 0, self.shape[1]]], dtype=np.int32)
        parents = np.concatenate([[ROOT], np.zeros(number, dtype=np.int64), 1 + owner])
        return MeasuredTree(
            tree=Tree(self.shape, np.concatenate([whole, first, grid.boxes]), parents),
            node=1 + np.arange(number + len(values)),
            value=np.concatenate([noisy(box_counts(grid.sums, first), half), values]),
            noise=np.repeat(np.array([0, 1], dtype=np.int16), [number, len(values)]),
            noises=(DiscreteLaplace(1 / half), DiscreteLaplace(1 / own)),
            steered=np.repeat([False, True], [number, len(values)]),
        )


def partition(values: Int64, least: float) -> Int64:
    """Which part each box of a grid belongs to, numbered from 0.

    Args:
        values: int64 (rows, columns): noisy counts.
        least: What a cut must take from the squared deviations.

    >>> partition(np.array([[9, 9, 0], [9, 9, 0]]), 1.0).tolist()
    [[0, 0, 1], [0, 0, 1]]
    """
    owner = np.zeros(values.shape, dtype=np.int64)
    waiting = [(0, values.shape[0], 0, values.shape[1])]
    number = 0
    while waiting:
        top, bottom, left, right = waiting.pop()
        along = 0 if bottom - top >= right - left else 1
        part = values[top:bottom, left:right].astype(np.float64)
        lines = part.sum(axis=1 - along)
        place, gain = best_cut(lines, part.shape[1 - along])
        if gain > least:
            if along == 0:
                waiting += [(top + place, bottom, left, right), (top, top + place, left, right)]
            else:
                waiting += [(top, bottom, left + place, right), (top, bottom, left, left + place)]
        else:
            owner[top:bottom, left:right] = number
            number += 1
    return owner


def best_cut(lines: Float64, across: int) -> tuple[int, float]:
    """After how many lines the squared deviations of both parts from even spreads are least, and how much less than uncut; 0 of one line.

    Args:
        lines: float64 (lines,): the sum of each.
        across: Boxes of each line.
    """
    if len(lines) < 2:
        return 0, 0.0
    near = lines.cumsum()[:-1]
    whole = near[-1] + lines[-1]
    counts = across * np.arange(1, len(lines))
    all_boxes = across * len(lines)
    gains = near**2 / counts + (whole - near) ** 2 / (all_boxes - counts) - whole**2 / all_boxes
    place = int(np.argmax(gains))
    return place + 1, float(gains[place])


@dataclass(frozen=True, slots=True)
class Margins:
    """Noisy totals of rows and of columns, epsilon/2 each.

    This is what a graphical model over one-way marginals says of two attributes (private-PGM with one-way marginals; McKenna et al. 2019);
    with the two-way marginal the model is the grid itself, which `Singular` measures.
    """

    shape: Shape
    epsilon: Fraction

    def draw(self, exact: Int64, /) -> tuple[Int64, Int64]:
        """Both vectors; each cell is in one total of each, so that one point costs epsilon."""
        return noisy(exact.sum(axis=1), self.epsilon / 2), noisy(exact.sum(axis=0), self.epsilon / 2)


def product(margins: tuple[Int64, Int64]) -> Float64:
    """float64 (rows, columns): rows and columns independent, nothing negative; the total is the mean of both."""
    rows, columns = (np.maximum(each, 0).astype(np.float64) for each in margins)
    total = (rows.sum() + columns.sum()) / 2
    return np.asarray(np.outer(rows, columns) * (total / max(rows.sum() * columns.sum(), 1.0)))
