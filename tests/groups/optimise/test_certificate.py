"""The certificate accepts what a linear program finds best, and rejects every change to it."""

import numpy as np
import pytest

from starling.groups.optimise.certificate import certify
from starling.groups.optimise.histogram import project_histogram
from tests.groups.optimise.random_trees import Int64, Problem, objective, random_problem


def moved(levels: tuple[Int64, ...], case: Problem, leaf: int, size: int, by: int) -> None:
    """Change one leaf cell and every cell above it."""
    row = leaf
    for level in reversed(range(len(levels))):
        levels[level][row, size] += by
        if level:
            row = int(case.parents[level - 1][row])


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_every_exchange_of_one_group_is_rejected_unless_it_costs_nothing(levels: int) -> None:
    numbers = np.random.default_rng(20 + levels)
    rejected = 0
    for _ in range(15):
        case = random_problem(numbers, levels)
        best = project_histogram(case.noisy, case.parents, case.total, case.weights)
        leaves, sizes = best.levels[-1].shape
        for giver, taker in np.ndindex(leaves * sizes, leaves * sizes):
            if giver == taker or best.levels[-1].flat[giver] == 0:
                continue
            changed = tuple(level.copy() for level in best.levels)
            moved(changed, case, giver // sizes, giver % sizes, -1)
            moved(changed, case, taker // sizes, taker % sizes, +1)
            result = certify(changed, case.noisy, case.parents, case.total, case.weights)
            assert result.feasible
            assert result.objective == objective(changed, case.noisy, case.weights)
            assert result.optimal == (result.objective == best.objective)
            rejected += not result.optimal
    assert rejected > 20


def test_every_change_of_one_cell_is_infeasible() -> None:
    case = random_problem(np.random.default_rng(2), 3)
    best = project_histogram(case.noisy, case.parents, 4, case.weights).levels
    for level, counts in enumerate(best):
        for cell in range(counts.size):
            for by in (-1, 1):
                changed = tuple(each.copy() for each in best)
                changed[level].flat[cell] += by
                result = certify(changed, case.noisy, case.parents, 4, case.weights)
                assert not result.feasible
                assert not result.optimal


def test_a_count_below_zero_is_infeasible() -> None:
    levels = np.array([[2, 0]]), np.array([[3, 0], [-1, 0]])
    noisy = np.array([[2, 0]]), np.array([[3, 0], [-1, 0]])
    result = certify(levels, noisy, [np.array([0, 0])], 2, [1, 1])
    assert not result.feasible
    assert not result.optimal


def test_another_total_is_infeasible() -> None:
    levels = (np.array([[2, 0]]),)
    assert certify(levels, levels, [], 2, [1]).optimal
    assert not certify(levels, levels, [], 3, [1]).feasible


def test_objectives_beyond_64_bits_are_exact() -> None:
    for difference in ((1 << 31) - 1, 1 << 31, 1 << 50):
        levels = (np.array([[difference, 0]]),)
        assert certify(levels, (np.array([[0, -difference]]),), [], difference, [3]).objective == 6 * difference**2
