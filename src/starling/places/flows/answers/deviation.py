"""How far sums of released trips err: exact variances of the noise that is in them, and intervals.

An answer is the sum over origins i and destinations j of a_i b_j x_ij. The estimate is linear, so an answer weighs the noise of the numbers
of a pair of levels (l, m) by u_l(a) u_m(b), where u are the coefficients that least squares along one end give to measured nodes. The
variance is the sum over pairs of V_lm |u_l|^2 |u_m|^2, with V_lm the variance of the noise as it is drawn. The most that one draw has of
it, the largest V_lm max(u_l^2) max(u_m^2), says how many deviations hold all but a chance (privacy/distributions/deviations.py, which also
says why margins have the variances of continuous twins in place of V, and half the largest weight of a draw).
Rounding to units moves an answer by at most half a unit for each of its cells.

Of a difference of two answers of one slice both weigh the same draws, so that the number from node i to node j of a pair of levels has the
weight u_i w_j - u'_i w'_j: its variance, and the most that one draw has of it, are those of these weights, which are summed as they are.
Slices are drawn apart, so that variances of a difference of two of them add up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, sqrt
from typing import Literal

import numpy as np

from starling.hierarchy.trees import coefficients_of_sum
from starling.places.arrays import Float64, Int64
from starling.places.flows.measurements import UNIT
from starling.places.flows.plan.levels import Levels
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.deviations import STEP, laplace_deviations, normal_deviations, twin_variance

COLUMNS = 512
"""Answers whose coefficients are computed at a time; and rows of the weights of a difference."""
HALF = 2.0 ** -(UNIT + 1)
"""Half a unit of released trips."""
_ROUNDED = 1 + 1e-9
"""A part of 1/n is one of n draws, whatever doubles make of it."""


@dataclass(frozen=True, slots=True)
class EndWeights:
    """Of one end of several answers, what least squares give to the nodes of each measured level.

    Attributes:
        squares: float64 (measured levels, answers): sums of squares.
        largest: float64 (measured levels, answers): largest squares.
        cells: float64 (answers,): the sum of the weights of areas, without their signs.
    """

    squares: Float64
    largest: Float64
    cells: Float64


class Noise:
    """The noise of a release, as far as it is in sums of trips.

    Attributes:
        variances: float64 (measured levels, measured levels): of the noise of one number from a node of a level to one of a level.
        twins: float64 (measured levels, measured levels): the same of the continuous twin of that noise.
    """

    def __init__(self, levels: Levels, cost: Cost, trips: int) -> None:
        self._levels, self._cost = levels, cost
        self._factors = levels.relative_variances(cost)
        many = len(levels.measured)
        noises = [levels.noise(pair, cost, trips) for pair in levels.pairs]
        self.variances = np.array([standard_deviation(noise) ** 2 for noise in noises]).reshape(many, many)
        self.twins = np.array([twin_variance(noise) for noise in noises]).reshape(many, many)

    def end(self, weights: Float64) -> EndWeights:
        """The weights of measured nodes in sums over the areas of one end, of which float64 (areas, answers) are the weights."""
        squares, largest = [], []
        for first in range(0, weights.shape[1], COLUMNS):
            own = self._coefficients(weights[:, first : first + COLUMNS])
            squares.append(np.stack([(each * each).sum(axis=0) for each in own]))
            largest.append(np.stack([(each * each).max(axis=0) for each in own]))
        return EndWeights(np.hstack(squares), np.hstack(largest), np.abs(weights).sum(axis=0))

    def together(self, areas: Int64) -> list[Float64]:
        """Of each measured level, the products of what least squares give to its nodes for one area and for another: float64 (areas, areas)
        for the areas in question, int64 (areas,).
        """
        weights = np.zeros((self._levels.areas, len(areas)))
        weights[areas, np.arange(len(areas))] = 1.0
        return [each.T @ each for each in self._coefficients(weights)]

    def _coefficients(self, weights: Float64) -> list[Float64]:
        """The coefficients of measured nodes in sums over areas: float64 (nodes, answers) of each measured level."""
        shapes = [(self._levels.sizes[level], weights.shape[1]) for level in self._levels.measured]
        variances = [np.full(shape, factor) for shape, factor in zip(shapes, self._factors, strict=True)]
        above = [np.zeros(shape) for shape in shapes[:-1]]
        return coefficients_of_sum(variances, list(self._levels.tree), [*above, np.ascontiguousarray(weights)])

    def margins(
        self, origins: EndWeights, destinations: EndWeights, alpha: Fraction, *, slices: Literal[1, 2] = 1
    ) -> Float64:
        """By how much each answer errs at most, but for a chance of `alpha`: float64 (answers of origins, answers of destinations); or the
        same answer of one slice less that of another, of 2 `slices`.
        """
        variance = slices * (origins.squares.T @ self.twins @ destinations.squares)
        largest = np.zeros(variance.shape)
        for row, column in np.ndindex(self.twins.shape) if isinstance(self._cost, Epsilon) else ():
            own = np.outer(origins.largest[row], destinations.largest[column]) * self.twins[row, column]
            np.maximum(largest, own, out=largest)
        moved = slices * np.outer(origins.cells, destinations.cells) * HALF
        weights = np.outer(*(np.sqrt(each.largest.max(axis=0)) for each in (origins, destinations)))
        return np.asarray(self._deviations(variance, largest, alpha) * np.sqrt(variance) + moved + STEP * weights)

    def _deviations(self, variance: Float64, largest: Float64, alpha: Fraction) -> Float64:
        """How many deviations of each answer hold all but a chance; `largest` is the most of its variance that one draw has, which Gaussian
        draws need not.
        """
        if not isinstance(self._cost, Epsilon):
            return np.full(variance.shape, normal_deviations(alpha))
        draws = np.floor(variance / np.where(largest > 0, largest, 1.0) * _ROUNDED)
        steps = np.frexp(np.clip(draws, 1, 64))[1] - 1
        by_step = np.array([laplace_deviations(alpha, 1 << step) for step in range(7)])
        return np.asarray(by_step[steps])

    def deviation(self, origins: EndWeights, destinations: EndWeights) -> Float64:
        """The exact standard deviation of each answer: float64 (answers of origins, answers of destinations)."""
        return np.asarray(np.sqrt(origins.squares.T @ self.variances @ destinations.squares))

    def difference(
        self, one: tuple[Float64, Float64], other: tuple[Float64, Float64], alpha: Fraction, *, apart: bool = False
    ) -> tuple[float, float]:
        """By how much the sum of one group of flows less that of another errs at most, but for a chance of `alpha`, and its exact standard
        deviation. Each group is the weights of areas as origins and as destinations, float64 (areas,); groups that are `apart`, in two
        slices, have no draw in common.
        """
        variance = twin = largest = most = cells = 0.0
        for groups in ([one], [other]) if apart else ([one, (other[0], -other[1])],):
            origins, destinations = (np.stack(each, axis=1) for each in zip(*groups, strict=True))
            ends = product(self._coefficients(origins), self._coefficients(destinations))
            drawn = zip(self.variances.reshape(-1).tolist(), self.twins.reshape(-1).tolist(), strict=True)
            for (rows, columns), (own, of_twin) in zip(ends, drawn, strict=True):
                for weights in _weights(rows, columns):
                    squares = weights * weights
                    variance += own * float(squares.sum())
                    twin += of_twin * float(squares.sum())
                    largest = max(largest, of_twin * float(squares.max()))
                    most = max(most, float(squares.max()))
            cells += sum(float(np.abs(weights).sum()) for weights in _weights(origins, destinations))
        deviations = self._deviations(np.array(twin), np.array(largest), alpha)
        return float(deviations) * sqrt(twin) + cells * HALF + STEP * sqrt(most), sqrt(variance)


def _weights(rows: Float64, columns: Float64) -> Iterator[Float64]:
    """The sums of the outer products of columns of two matrices, some rows at a time."""
    for first in range(0, len(rows), COLUMNS):
        yield rows[first : first + COLUMNS] @ columns.T


def whole_ends(estimate: float, margin: float) -> tuple[int, int]:
    """The least and the largest whole number of trips within a margin of an estimate, neither below 0.

    >>> whole_ends(3.4, 2.0), whole_ends(-5.0, 2.0)
    ((2, 5), (0, 0))
    """
    return max(ceil(estimate - margin), 0), max(floor(estimate + margin), 0)
