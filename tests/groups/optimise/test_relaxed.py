"""The relaxed problem: its optimality conditions, and what rounding breaks."""

import numpy as np
import pytest
from hypothesis import given, settings

from starling.groups.optimise.problem import Problem as Checked
from starling.groups.optimise.relaxed import _real_levels, project_relaxed
from tests.groups.optimise.random_trees import Problem, problems, random_parents, random_problem


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 5])
def test_the_relaxed_optimum_meets_its_optimality_conditions(levels: int) -> None:
    """Marginal costs along the way from the root to a leaf add up to one price: equal for all leaves above 0, no less at 0."""
    numbers = np.random.default_rng(levels)
    for _ in range(40):
        case = random_problem(numbers, levels)
        if not case.total:
            continue
        result = _real_levels(Checked.of(case.noisy, case.parents, case.total, case.weights))
        price = np.zeros((1, result[0].shape[1]))
        for level, (real, noisy, weight) in enumerate(zip(result, case.noisy, case.weights, strict=True)):
            if level:
                added = np.zeros_like(result[level - 1])
                np.add.at(added, case.parents[level - 1], real)
                assert np.allclose(added, result[level - 1], atol=1e-9)
                price = price[case.parents[level - 1]]
            price = price + 2 * weight * (real - noisy)
        assert result[0].sum() == pytest.approx(case.total)
        assert result[-1].min() >= 0
        above = price[result[-1] > 1e-9]
        assert np.allclose(above, above[0])
        assert price.min() >= above[0] - 1e-9


@settings(max_examples=50, deadline=None)
@given(case=problems())
def test_rounded_counts_are_integers_from_zero_on_and_repeat(case: Problem) -> None:
    result = project_relaxed(case.noisy, case.parents, case.total, case.weights)
    again = project_relaxed(case.noisy, case.parents, case.total, case.weights)
    for one, other in zip(result.levels, again.levels, strict=True):
        assert one.dtype == np.int64
        assert one.min() >= 0
        assert np.array_equal(one, other)


def test_rounding_breaks_consistency() -> None:
    numbers = np.random.default_rng(9)
    parents = random_parents(numbers, 3, children=6)
    noisy = [numbers.integers(-5, 9, (len(rows), 20)) for rows in (parents[0][:1], *parents)]
    result = project_relaxed(noisy, parents, 200)
    added = np.zeros_like(result.levels[1])
    np.add.at(added, parents[1], result.levels[2])
    assert not np.array_equal(added, result.levels[1])
    assert not result.certified
    assert result.gap is None
