"""TopDown: each level is the nearest one to its noisy counts below the level that is fixed."""

import numpy as np
import pytest
from hypothesis import given, settings

from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.topdown import project_top_down
from tests.groups.optimise.linear_program import least_objective
from tests.groups.optimise.random_trees import Problem, assert_conditions, objective, problems, random_problem


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(case=problems())
def test_every_output_keeps_the_conditions(case: Problem) -> None:
    result = project_top_down(case.noisy, case.parents, case.total)
    assert_conditions(result.levels, case.parents, case.total)
    assert result.objective == objective(result.levels, case.noisy, [1] * len(case.noisy))


def test_each_level_is_nearest_given_the_one_above() -> None:
    """The root by a linear program; the children of each region and size as a root whose sizes they are."""
    numbers = np.random.default_rng(1)
    for _ in range(15):
        case = random_problem(numbers, 3)
        levels = project_top_down(case.noisy, case.parents, case.total + 1).levels
        assert objective(levels[:1], case.noisy[:1], [1]) == least_objective(case.noisy[:1], [], case.total + 1, [1])
        for level, rows in enumerate(case.parents, start=1):
            for row, size in np.ndindex(levels[level - 1].shape):
                below = np.flatnonzero(rows == row)
                wanted = int(levels[level - 1][row, size])
                family = [case.noisy[level][below, size][None, :]]
                if wanted:
                    result = objective([levels[level][below, size][None, :]], family, [1])
                    assert result == least_objective(family, [], wanted, [1])


def test_it_is_never_better_than_the_optimum_and_certified_only_if_equal() -> None:
    numbers = np.random.default_rng(2)
    worse = 0
    for _ in range(40):
        case = random_problem(numbers, 3)
        result, best = (solve(case.noisy, case.parents, case.total) for solve in (project_top_down, project_histogram))
        assert result.certified == (result.objective == best.objective)
        worse += result.objective > best.objective
    assert worse > 5
