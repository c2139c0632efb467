"""Histograms where every region's total is public: the least cost of a linear program, the conditions, the proof by prices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.groups.optimise.certificate import certify_with_totals
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.problem import Problem as Checked
from starling.groups.optimise.region_totals import optimum_with_totals
from tests.groups.optimise.linear_program import least_objective
from tests.groups.optimise.random_trees import (
    Int64,
    Problem,
    assert_conditions,
    assert_optimal,
    problems,
    random_parents,
    random_problem,
    totals_of,
)


@pytest.mark.series(2)
@pytest.mark.parametrize("levels", [1, 2, 3, 4, 5])
def test_the_objective_is_that_of_a_linear_program(levels: int) -> None:
    numbers = np.random.default_rng(100 + levels)
    for _ in range(50 if levels < 5 else 20):
        case = random_problem(numbers, levels)
        totals = totals_of(numbers, case.parents, case.total)
        result = project_histogram(case.noisy, case.parents, case.total, case.weights, totals)
        assert_optimal(result, case)
        assert all(np.array_equal(each.sum(axis=1), t) for each, t in zip(result.levels, totals, strict=True))
        if case.total:
            assert result.objective == least_objective(case.noisy, case.parents, case.total, case.weights, totals)


def test_the_objective_is_that_of_an_integer_program() -> None:
    numbers = np.random.default_rng(17)
    for _ in range(10):
        case = random_problem(numbers, 3, most=4)
        totals = totals_of(numbers, case.parents, case.total + 1)
        result = project_histogram(case.noisy, case.parents, case.total + 1, case.weights, totals)
        assert result.objective == least_objective(
            case.noisy, case.parents, case.total + 1, case.weights, totals, integers=True
        )


@pytest.mark.slow
@pytest.mark.examples(60)
@settings(max_examples=100, deadline=None)
@given(case=problems(), seed=st.integers(0, 2**32))
def test_every_output_keeps_the_conditions_and_is_certified(case: Problem, seed: int) -> None:
    totals = totals_of(np.random.default_rng(seed), case.parents, case.total)
    result = project_histogram(case.noisy, case.parents, case.total, case.weights, totals)
    assert_conditions(result.levels, case.parents, case.total)
    assert all(np.array_equal(each.sum(axis=1), t) for each, t in zip(result.levels, totals, strict=True))
    assert result.certified
    again = project_histogram(case.noisy, case.parents, case.total, case.weights, totals)
    assert all(np.array_equal(one, other) for one, other in zip(result.levels, again.levels, strict=True))


def test_no_change_of_the_flow_and_no_other_price_is_a_proof() -> None:
    """Every cycle of four leaf cells keeps all conditions; certified with the optimum's prices only if it costs as little."""
    numbers = np.random.default_rng(3)
    rejected = 0
    for _ in range(80):
        case = random_problem(numbers, 2)
        totals = totals_of(numbers, case.parents, case.total)
        levels, prices = optimum_with_totals(Checked.of(case.noisy, case.parents, case.total, case.weights), totals)
        best = certify_with_totals(levels, case.noisy, case.parents, totals, case.weights, prices)
        assert best.optimal
        regions, sizes = levels[-1].shape
        for r, q, s, t in np.ndindex(regions, regions, sizes, sizes):
            leaves = levels[-1].copy()
            leaves[r, s] += 1
            leaves[r, t] -= 1
            leaves[q, t] += 1
            leaves[q, s] -= 1
            if r == q or s == t or leaves.min() < 0:
                continue
            result = certify_with_totals((levels[0], leaves), case.noisy, case.parents, totals, case.weights, prices)
            assert result.feasible
            assert result.optimal == (result.objective == best.objective)
            rejected += not result.optimal
        wrong = (prices[0], prices[1] + 1_000)
        assert not certify_with_totals(levels, case.noisy, case.parents, totals, case.weights, wrong).optimal
    assert rejected > 50


def test_prices_whose_differences_could_overflow_prove_nothing() -> None:
    levels, totals = (np.array([[1]]), np.array([[1], [0]])), (np.array([1]), np.array([1, 0]))
    far = np.int64(1 << 61)
    prices = np.full((1, 1), far), np.full((2, 1), far)
    assert not certify_with_totals(levels, levels, [np.array([0, 0])], totals, [1, 1], prices).optimal


@pytest.mark.parametrize("bits", [40, 48, 53])
def test_large_totals_and_noise_are_certified(bits: int) -> None:
    for seed in range(12):
        numbers = np.random.default_rng(seed)
        parents = random_parents(numbers, 3, children=3)
        far = (1 << bits) if seed % 2 else 9
        noisy = [numbers.integers(-far, far, (len(rows), 6)) for rows in (parents[0][:1], *parents)]
        totals = totals_of(numbers, parents, (1 << bits) - seed)
        result = project_histogram(noisy, parents, (1 << bits) - seed, [1, 2, 1], totals)
        assert_conditions(result.levels, parents, (1 << bits) - seed)
        assert result.certified


def test_other_totals_are_infeasible() -> None:
    levels = np.array([[1, 1]]), np.array([[1, 0], [0, 1]])
    prices: tuple[Int64, Int64] = (np.zeros((1, 2), dtype=np.int64), np.zeros((2, 1), dtype=np.int64))
    right, wrong = (np.array([2]), np.array([1, 1])), (np.array([2]), np.array([2, 0]))
    parents = [np.array([0, 0])]
    assert certify_with_totals(levels, levels, parents, right, [1, 1], prices).optimal
    assert not certify_with_totals(levels, levels, parents, wrong, [1, 1], prices).feasible


@pytest.mark.slow
def test_a_wide_tree_is_certified() -> None:
    numbers = np.random.default_rng(3)
    parents = random_parents(numbers, 4, children=6)
    noisy = [numbers.integers(-4, 9, (len(rows), 700)) for rows in (parents[0][:1], *parents)]
    totals = totals_of(numbers, parents, 20_000)
    result = project_histogram(noisy, parents, 20_000, [4, 3, 2, 1], totals)
    assert_conditions(result.levels, parents, 20_000)
    assert all(np.array_equal(each.sum(axis=1), t) for each, t in zip(result.levels, totals, strict=True))
    assert result.certified


@pytest.mark.parametrize(
    ("totals", "field"),
    [
        ([[3], [1, 1]], "region_totals[0]"),
        ([[2], [1, 2]], "region_totals[1]"),
        ([[2], [3, -1]], "region_totals[1]"),
        ([[2], [2]], "region_totals[1]"),
        ([[2]], "region_totals"),
        ([[2], [[1], [1]]], "region_totals[1]"),
    ],
)
def test_totals_that_do_not_add_up_are_refused(totals: list[list[int]], field: str) -> None:
    with pytest.raises(ParameterError) as refused:
        project_histogram([[[1, 0]], [[1, 0], [0, 1]]], [[0, 0]], 2, None, totals)
    assert refused.value.problems[0].field == field
