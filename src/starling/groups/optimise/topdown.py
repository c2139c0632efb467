"""TopDown as the paper compares with it: each level is fixed before the one below, and nothing flows up."""

from collections.abc import Sequence

import numpy.typing as npt

from starling.groups.optimise.certificate import certify
from starling.groups.optimise.problem import Problem
from starling.groups.optimise.tree import Projection
from starling.groups.optimise.water import nearest_row, nearest_with_sum
from starling.groups.optimise.water_kernels import Families


def project_top_down(noisy: Sequence[npt.ArrayLike], parents: Sequence[npt.ArrayLike], total: int) -> Projection:
    """Consistent histograms, from the root down: each level is the nearest to its noisy counts that adds up to the level above.

    The root is the nearest histogram of integers >= 0 with the public total; then for each region and size the children are the nearest
    integers >= 0 that add up to it. Takes and raises what `project_histogram` does with all weights 1. The objective is that of
    `project_histogram`; it is certified in the rare case that it is the least one, and its gap is not known otherwise.

    >>> found = project_top_down([[[4, 1]], [[2, 0], [3, 0]]], [[0, 0]], total=3)
    >>> [level.tolist() for level in found.levels]
    [[[3, 0]], [[1, 0], [2, 0]]]
    """
    problem = Problem.of(noisy, parents, total, None)
    levels = [nearest_row(problem.cells[0], problem.total)]
    for level in range(problem.tree.levels - 1):
        levels.append(nearest_with_sum(problem.cells[level + 1], Families.of(problem.tree, level), levels[-1]))
    result = certify(levels, problem.cells, problem.tree.parents, problem.total, problem.weights)
    return Projection(tuple(levels), result.objective, result.optimal, None)
