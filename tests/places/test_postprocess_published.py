"""The estimates of published methods against their formulas, worked out anew from the same noisy values."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, Final

import numpy as np
import pytest

from starling.places.answers.rectangles import CumulativeGrid
from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism import adaptive_grid
from starling.places.mechanism.adaptive_grid import AdaptiveGrid
from starling.places.mechanism.table import MECHANISMS
from starling.places.mechanism.uniform_grid import UniformGrid
from starling.places.plan import METHODS
from starling.places.postprocess import ADDED_UP, Estimate, estimate
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.neighbours import ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import scripted

OTHERS: Final = sorted(set(METHODS) - ADDED_UP - {"adaptive", "privlet"})
"""Methods that publish their leaves alone."""


def drawn(method: str) -> MeasuredTree:
    """Of points in a corner, so that trees grow."""
    exact = np.zeros((12, 9), dtype=np.int64)
    exact[:4, :3] = 1 + np.arange(12).reshape(4, 3) * 200
    parameters: dict[str, Any] = {"htf": {"least_cells": 2}, "kd_tree": {"height": 3}, "quadtree": {"height": 3}}
    result = MECHANISMS[method]((12, 9), ADD_REMOVE_POINT, Fraction(1), **parameters.get(method, {})).draw(exact)
    assert isinstance(result, MeasuredTree)
    return result


def variances(measured: MeasuredTree) -> list[float]:
    """Of each measurement."""
    each = [standard_deviation(noise) ** 2 for noise in measured.noises]
    return [each[noise] for noise in measured.noise.tolist()]


@pytest.mark.parametrize("method", OTHERS)
def test_a_leaf_has_the_mean_of_its_own_counts_by_inverse_variance(method: str) -> None:
    measured = drawn(method)
    created = estimate(method, measured)
    weights = [1 / each for each in variances(measured)]
    for count, leaf in zip(created.counts.tolist(), np.flatnonzero(measured.tree.leaves).tolist(), strict=True):
        own = np.flatnonzero(measured.node == leaf).tolist()
        assert own
        mean = sum(weights[at] * int(measured.value[at]) for at in own) / sum(weights[at] for at in own)
        assert count == pytest.approx(mean)


@pytest.mark.parametrize("method", sorted(ADDED_UP))
def test_counts_of_many_levels_are_those_of_a_dense_least_squares_solver(method: str) -> None:
    measured = drawn(method)
    boxes, leaves = measured.tree.boxes, np.flatnonzero(measured.tree.leaves)
    small = boxes[leaves]
    inside = np.ones((len(leaves), len(boxes)), dtype=np.bool_)
    for first, last in ((0, 1), (2, 3)):
        inside &= np.greater_equal.outer(small[:, first], boxes[:, first])
        inside &= np.less_equal.outer(small[:, last], boxes[:, last])
    root = np.sqrt(1 / np.array(variances(measured)))
    design = inside.T[measured.node] * root[:, None]
    right, *_ = np.linalg.lstsq(design, measured.value * root, rcond=None)
    assert estimate(method, measured).counts == pytest.approx(right, abs=1e-6)


def test_the_example_of_figure_2_is_answered_as_the_paper_says() -> None:
    """Partitions of a grid of 3 x 3 with 0, 12, 4 and 2 points; a query takes a quarter of the second and half of the fourth."""
    leaves = np.array([[0, 1, 0, 1], [0, 2, 1, 3], [1, 3, 0, 1], [2, 3, 1, 3]], dtype=np.int32)
    for n2, n4 in ((0, 0), (3, -5), (-20, 1)):
        grid = Estimate((3, 3), leaves, np.array([0.0, 12 + n2, 4, 2 + n4])).grid()
        query = np.array([[2.0, 1.0, 3.0, 3.0]])
        assert CumulativeGrid(grid).count(query).counts.tolist() == pytest.approx([(12 + n2) / 4 + (2 + n4) / 2])


SIDE: Final = 32
EPSILON: Final = Fraction(2, 5)


def blocks(values: Int64, side: int) -> np.ndarray:
    """Values of boxes, row by row, spread over cells."""
    return np.repeat(np.repeat(values.reshape(side, side), SIDE // side, axis=0), SIDE // side, axis=1)


def test_a_uniform_grid_is_that_of_the_formula_with_the_same_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """UG of dpcomp_core: m = ceil(sqrt(n epsilon/10)) boxes a side; here n is noisy, and counts have 49/50 of epsilon."""
    side, number = 8, 1_600
    noisy = np.arange(side * side) * 7 - 20
    with scripted((0,), monkeypatch) as script:
        method = UniformGrid((SIDE, SIDE), ADD_REMOVE_POINT, EPSILON)
        measured, _ = script.tree(method, np.zeros((SIDE, SIDE), dtype=np.int64), (number, *noisy.tolist()))
    assert ceil(sqrt(number * float(EPSILON) / 10)) == side
    expected = blocks(noisy, side) / (SIDE // side) ** 2
    assert np.allclose(estimate("uniform_grid", measured).grid(), expected)


def test_an_adaptive_grid_is_that_of_the_formula_with_the_same_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """AG of dpcomp_core: m1 coarse boxes a side, m2 = ceil(sqrt(max(y, 0) epsilon_2/5)) fine ones, both counts averaged.

    With halves of the budget a box's count becomes (m2^2 y + sum of its parts)/(m2^2 + 1), and parts share the difference evenly.
    Here m1 may be below 10, so that sides divide evenly.
    """
    monkeypatch.setattr(adaptive_grid, "LEAST", 1)
    number, coarse = 6_000, 4
    assert ceil(ceil(sqrt(number * 0.4 / 10)) / 4) == coarse
    fine_amount = float(EPSILON) * 0.98 / 2
    first = np.array([-9, 0, 3, 20, 90, 95, 99, 100, 3, 12, 60, 70, 80, 1, 2, 97])
    sides = [max(1, ceil(sqrt(max(y, 0) * fine_amount / 5))) for y in first.tolist()]
    assert set(sides) == {1, 2}
    parts = {box: np.arange(m * m) * 5 + box - 8 for box, m in enumerate(sides)}
    stated = (number, *first.tolist(), *(int(value) for box in range(16) for value in parts[box]))
    with scripted((0,), monkeypatch) as script:
        method = AdaptiveGrid((SIDE, SIDE), ADD_REMOVE_POINT, EPSILON)
        measured, drawn = script.tree(method, np.zeros((SIDE, SIDE), dtype=np.int64), stated)
    assert len(drawn) == len(stated)
    expected = np.zeros((SIDE, SIDE))
    for box, m in enumerate(sides):
        total = (m * m * first[box] + parts[box].sum()) / (m * m + 1)
        shares = parts[box] + (total - parts[box].sum()) / (m * m)
        row, column, cells = box // coarse * 8, box % coarse * 8, 8 // m
        for part, share in enumerate(shares.tolist()):
            top, left = row + part // m * cells, column + part % m * cells
            expected[top : top + cells, left : left + cells] = share / cells**2
    # The original has no count of the root, which the number of points is here.
    keys = ("node", "value", "noise", "steered")
    below = replace(measured, **{key: getattr(measured, key)[1:] for key in keys})
    assert np.allclose(estimate("adaptive_grid", below).grid(), expected)
