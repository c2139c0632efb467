"""The choice of pieces against exhaustive search, and the conditions that counts keep."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from starling.places.measurements import MeasuredTree, Tree
from starling.places.postprocess.least_squares import Boxwise, merged, upwards
from starling.places.postprocess.pieces import CUT, EMPTY, TIGHTER, Chosen, choose, divided, halved, piecewise
from tests.places.postprocess.trees import measured

EVEN, NOTHING, RESOLVED = range(3)


def children_of(tree: Tree, node: int) -> list[int]:
    """The children of a box."""
    return [int(child) for child in np.flatnonzero(tree.parents == node)]


def priced(tree: Tree, own: Boxwise, models: tuple[int, ...], node: int) -> tuple[float, float, float]:
    """Cost, value and variance of a box under given models of all boxes, by the formulas of the specification."""
    children = children_of(tree, node)
    measured = bool(np.isfinite(own.variance[node]))
    if models[node] == RESOLVED:
        each = [priced(tree, own, models, child) for child in children]
        cost, total, variance = (sum(column) for column in zip(*each, strict=True))
        cost += CUT * (len(children) - 1)
        if measured:
            cost += (own.value[node] - total) ** 2 / (own.variance[node] + variance)
            precision = 1 / own.variance[node] + 1 / variance
            total = (own.value[node] / own.variance[node] + total / variance) / precision
            variance = 1 / precision
        return cost, total, variance
    below = [node]
    for each_node in below:
        below += children_of(tree, each_node)
    known = [each_node for each_node in below if np.isfinite(own.variance[each_node])]
    area, areas = tree.areas[node], tree.areas[known]
    a = (areas**2 / own.variance[known]).sum()
    b = (areas * own.value[known] / own.variance[known]).sum()
    c = (own.value[known] ** 2 / own.variance[known]).sum()
    if models[node] == EVEN:
        return c - b * b / a, area * b / a, area**2 / a
    return c - EMPTY, 0.0, area**2 / (TIGHTER * a)


def cheapest(tree: Tree, own: Boxwise, node: int) -> dict[int, int]:
    """The models of the least cost at and below a box, found by trying each of the box's own over the best of its children.

    The value that a box passes on follows from its children's own best models, as in the specification.
    """
    below: dict[int, int] = {}
    for child in children_of(tree, node):
        below |= cheapest(tree, own, child)
    choices = (EVEN, NOTHING, RESOLVED) if children_of(tree, node) else (EVEN, NOTHING)
    costs = {}
    for choice in choices:
        models = tuple({**below, node: choice}.get(each, EVEN) for each in range(len(tree.parents)))
        costs[choice] = priced(tree, own, models, node)[0]
    return {**below, node: min(costs, key=lambda choice: costs[choice])}


@given(measured(least=1, largest=10**4, cells=9))
@settings(max_examples=40)
def test_costs_are_those_of_the_formulas_of_each_model(made: MeasuredTree) -> None:
    own = merged(made)
    chosen = choose(made.tree, own)
    models = cheapest(made.tree, own, 0)
    for node in range(len(made.tree.parents)):
        cost, value, variance = priced(made.tree, own, tuple(models[each] for each in sorted(models)), node)
        assert chosen.cost[node] == pytest.approx(cost, rel=1e-6, abs=1e-4)
        assert chosen.fit.value[node] == pytest.approx(value, rel=1e-6, abs=1e-4)
        assert chosen.fit.variance[node] == pytest.approx(variance, rel=1e-6)


@given(measured(least=1, largest=10**4, cells=5))
@settings(max_examples=40)
def test_without_measurements_above_leaves_no_choice_of_models_costs_less(made: MeasuredTree) -> None:
    leaves = made.tree.leaves
    own = merged(made)
    own = Boxwise(np.where(leaves, own.value, 0), np.where(leaves, own.variance, np.inf))
    inner = [(EVEN, NOTHING) if leaf else (EVEN, NOTHING, RESOLVED) for leaf in leaves]
    if np.prod([len(each) for each in inner]) > 2_000:
        return
    best = min(priced(made.tree, own, models, 0)[0] for models in product(*inner))
    assert choose(made.tree, own).cost[0] == pytest.approx(best, rel=1e-6, abs=1e-4)


@pytest.mark.examples(20)
@given(measured())
def test_counts_are_not_negative_add_up_at_every_cut_and_keep_the_total(made: MeasuredTree) -> None:
    own = merged(made)
    tree, halves = halved(made.tree, own, upwards(made.tree.parents, own).value)
    tree.check()
    chosen = choose(tree, halves)
    counts, remaining = divided(tree, chosen)
    assert np.isfinite(counts).all()
    assert (counts >= 0).all()
    assert counts[0] == max(chosen.fit.value[0], 0)
    for node in np.flatnonzero(chosen.cut):
        assert counts[tree.parents == node].sum() == pytest.approx(counts[node], rel=1e-9)
    result = piecewise(made)
    assert result.counts.sum() == pytest.approx(counts[remaining].sum(), rel=1e-9)
    assert result.grid().sum() == pytest.approx(counts[0], rel=1e-9)
    assert result.grid().tobytes() == piecewise(made).grid().tobytes()


@given(measured(least=1, largest=10**6))
def test_children_are_the_nearest_counts_that_add_up(made: MeasuredTree) -> None:
    fit = upwards(made.tree.parents, merged(made))
    counts, _ = divided(made.tree, Chosen(fit, ~made.tree.leaves, np.zeros(len(fit.value))))
    for node in np.flatnonzero(~made.tree.leaves & (counts > 0)):
        children = made.tree.parents == node
        level = (fit.value[children] - counts[children]) / fit.variance[children]
        positive = counts[children] > 1e-6 * counts[node]
        # Optimality: one level for all children above 0, and none at 0 that this level would raise.
        assert level[positive] == pytest.approx(np.full(positive.sum(), level[positive].max()), rel=1e-6, abs=1e-3)
        assert (level[~positive] <= level[positive].max() + 1e-3 * (1 + abs(level[positive].max()))).all()


def test_quarters_are_joined_along_the_axis_on_which_they_differ_less() -> None:
    boxes = [[0, 2, 0, 2], [0, 1, 0, 1], [0, 1, 1, 2], [1, 2, 0, 1], [1, 2, 1, 2]]
    tree = Tree((2, 2), np.array(boxes, dtype=np.int32), np.array([-1, 0, 0, 0, 0]))
    own = Boxwise(np.zeros(5), np.ones(5))
    by_row, _ = halved(tree, own, np.array([22.0, 1, 1, 10, 10]))
    assert by_row.boxes[1:3].tolist() == [[0, 1, 0, 2], [1, 2, 0, 2]]
    by_column, created = halved(tree, own, np.array([22.0, 1, 10, 1, 10]))
    assert by_column.boxes[1:3].tolist() == [[0, 2, 0, 1], [0, 2, 1, 2]]
    assert by_column.parents.tolist() == [-1, 0, 0, 1, 2, 1, 2]
    assert np.isinf(created.variance).tolist() == [False, True, True, False, False, False, False]
