"""Least squares on the tree against a dense solver."""

import numpy as np
import pytest

from starling.groups.optimise.cumulative_kernels import least_squares
from starling.groups.optimise.cumulative_problem import CumulativeProblem
from tests.groups.optimise.random_trees import random_parents, totals_of


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@pytest.mark.parametrize("public", [False, True])
def test_it_is_what_a_dense_solver_finds(levels: int, public: bool) -> None:
    numbers = np.random.default_rng(levels)
    parents = random_parents(numbers, levels)
    totals = totals_of(numbers, parents, 40)
    noisy = [numbers.integers(-5, 40, (count, 3)) for count in (1, *map(len, parents))]
    problem = CumulativeProblem.of(noisy, parents, 40, None, totals if public else None)
    values = problem.stacked()
    weights = numbers.uniform(0.2, 3.0, (levels, 3))
    result = values.copy()
    tree, above = problem.tree, problem.regions().parent
    least_squares(result, weights, problem.regions())
    leaves = int(tree.regions[-1])
    first = int(tree.starts[-2])
    # Which leaves lie in which region.
    inside = np.zeros((len(values), leaves))
    for leaf in range(leaves):
        region = first + leaf
        inside[region, leaf] = 1
        while region:
            region = int(above[region])
            inside[region, leaf] = 1
    of_region = np.concatenate([np.full(count, level) for level, count in enumerate(tree.regions)])
    for size in range(3):
        root = np.sqrt(weights[of_region, size])
        # A public total is a measurement of overwhelming weight.
        if size == 2:
            root[problem.known] = 1e7
        best = np.linalg.lstsq(inside * root[:, None], values[:, size] * root, rcond=None)[0]
        assert np.allclose(result[:, size], inside @ best, atol=1e-4)
