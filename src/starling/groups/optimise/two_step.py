"""The paper's approximate mechanism on cumulative counts (Fioretto, Van Hentenryck and Zhu 2021, Section 9.1, Algorithm 2)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.isotonic import isotonic
from starling.groups.optimise.tree import Projection


def project_two_step(
    noisy: Sequence[npt.ArrayLike],
    parents: Sequence[npt.ArrayLike],
    total: int,
    variances: Sequence[npt.ArrayLike] | None = None,
) -> Projection:
    """Consistent histograms in two steps: each region by itself, then all together.

    The cumulative counts of each region become the nearest sequence that does not fall, from 0 to the total, are rounded, and give a
    histogram by differences. `project_histogram` finds the consistent histograms nearest to these. Takes and raises what
    `project_cumulative` does, without totals of regions, and raises what `project_histogram` does. The variances weigh the objective; the
    two steps, as the paper's, do without them.

    Returns histograms, and their objective in the joint problem (cumulative.py), of which no gap is known.

    >>> found = project_two_step([[[3, 4]], [[2, 2], [2, 2]]], [[0, 0]], total=4)
    >>> found.objective // 2**20
    1
    """
    problem = CumulativeProblem.of(noisy, parents, total, variances, None)
    stacked = problem.stacked()
    monotone = np.rint(isotonic(stacked, 0.0, float(total))).astype(np.int64)
    monotone[0, -1] = total
    histograms = np.diff(monotone, axis=1, prepend=0)
    tree = problem.tree
    solution = project_histogram([histograms[tree.rows(level)] for level in range(tree.levels)], tree.parents, total)
    return Projection(solution.levels, problem.objective(solution.levels), certified=False, gap=None)
