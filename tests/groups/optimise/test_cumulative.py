"""The joint projection of cumulative counts: near the integer optimum, its bound, the conditions on every output."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from starling.groups.optimise.cumulative import project_cumulative
from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.tree import Projection
from tests.groups.optimise.cumulative_cases import Case, assert_kept_twice, cases, small_case
from tests.groups.optimise.cumulative_program import least_cumulative_objective
from tests.groups.optimise.random_trees import assert_conditions


def solve(case: Case, **options: int) -> Projection:
    return project_cumulative(case.noisy, case.parents, case.total, case.variances, case.totals, **options)


@pytest.mark.series(1)
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_the_result_is_near_the_integer_optimum_and_its_bound_holds(levels: int) -> None:
    numbers = np.random.default_rng(levels)
    gaps = []
    for _ in range(20):
        case = small_case(numbers, levels)
        result = solve(case, passes=60)
        weights = CumulativeProblem.of(case.noisy, case.parents, case.total, case.variances, case.totals).weights()
        least = least_cumulative_objective(case.noisy, case.parents, case.total, weights, case.totals)
        assert result.objective >= least * (1 - 1e-9)
        if result.gap is not None:
            bound = result.objective / (1 + result.gap)
            assert bound <= least * (1 + 1e-9)
        gaps.append(float(result.objective) / least - 1 if least else float(result.objective))
    # Rounding from the root down has no guarantee. 20, 19 and 18 of these 20 cases reach the optimum, and the worst is 4.2 % above it.
    assert np.median(gaps) < 0.01
    assert np.mean(np.array(gaps) < 1e-9) >= 0.8
    assert max(gaps) < 0.1


@pytest.mark.examples(50)
@settings(max_examples=150, deadline=None)
@given(case=cases())
def test_every_output_keeps_the_conditions_twice_alike(case: Case) -> None:
    result = assert_kept_twice(case, solve)
    assert result.gap is None or result.gap >= 0


def test_no_gap_falls_below_zero_by_rounding() -> None:
    # A projection that is the optimum; weights differ 3,000 times from level to level, so that doubles miss the optimum of least squares.
    noisy = [np.array([[1]]), *(np.array([[off], [off]]) for off in (0, -1, -1))]
    parents = [np.array([0, 0]), np.array([0, 1]), np.array([0, 1])]
    result = project_cumulative(noisy, parents, 0, [[0.01], [0.01], [30.0], [1.0]])
    assert result.gap is not None
    assert 0 <= result.gap < 1e-9


def test_further_passes_come_to_one_relaxed_optimum() -> None:
    numbers = np.random.default_rng(5)
    parents = [np.zeros(4, dtype=np.int64), np.repeat(np.arange(4), 10)]
    counts = numbers.poisson(3.0, (40, 60))
    levels = [counts.sum(axis=0, keepdims=True), counts.reshape(4, 10, 60).sum(axis=1), counts]
    noisy = [np.cumsum(each, axis=1) + numbers.integers(-9, 10, each.shape) for each in levels]
    bounds: list[Fraction] = []
    least_gap = Fraction(1)
    for passes in (3, 30, 300):
        result = project_cumulative(noisy, parents, int(counts.sum()), passes=passes)
        assert result.gap is not None
        bounds.append(Fraction(result.objective) / (1 + result.gap))
        least_gap = result.gap
    assert bounds[0] < bounds[1] * 0.999
    assert abs(bounds[2] / bounds[1] - 1) < 1e-4
    assert least_gap < 0.05


def test_noise_free_counts_come_back() -> None:
    counts = np.array([[2, 0, 3], [1, 1, 0], [0, 4, 2]])
    parents = [np.array([0, 0]), np.array([1, 0, 1])]
    middle = np.array([counts[1], counts[0] + counts[2]])
    levels = [counts.sum(axis=0, keepdims=True), middle, counts]
    result = project_cumulative([np.cumsum(each, axis=1) for each in levels], parents, int(counts.sum()))
    assert [each.tolist() for each in result.levels] == [each.tolist() for each in levels]
    assert result.certified
    assert result.objective == result.gap == 0


def test_the_order_of_children_decides_ties_alone() -> None:
    numbers = np.random.default_rng(9)
    parents = [np.repeat(np.arange(1), 12)]
    leaves = np.cumsum(numbers.integers(0, 9, (12, 5)), axis=1) + numbers.integers(-9, 10, (12, 5))
    root = leaves.sum(axis=0, keepdims=True)
    order = numbers.permutation(12)
    one = project_cumulative([root, leaves], parents, int(root[0, -1]))
    other = project_cumulative([root, leaves[order]], parents, int(root[0, -1]))
    assert np.array_equal(one.levels[0], other.levels[0])
    off = np.cumsum(one.levels[1][order], axis=1) - np.cumsum(other.levels[1], axis=1)
    # A tie moves one group from one child to another.
    assert np.abs(off).max() <= 1
    assert abs(float(one.objective) / float(other.objective) - 1) < 0.01


def test_a_better_measured_level_counts_for_more() -> None:
    noisy = [np.array([[10, 20]]), np.array([[9, 14], [9, 14]])]
    parents = [np.array([0, 0])]
    trusted_root = project_cumulative(noisy, parents, 20, [0.01, 100.0])
    trusted_leaves = project_cumulative(noisy, parents, 20, [100.0, 0.01])
    assert trusted_root.levels[0].tolist() == [[10, 10]]
    assert trusted_leaves.levels[0].tolist()[0][0] > 15


def test_one_pass_is_enough_for_the_conditions() -> None:
    case = small_case(np.random.default_rng(3), 3)
    assert_conditions(solve(case, passes=1).levels, case.parents, case.total)
