"""The optimum on histograms: equal to that of a linear program, the conditions on every output, determinism, bounds."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings

from starling.groups.optimise import histogram
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.relaxed import Float64, relaxed_optimum
from starling.groups.optimise.tree import Tree
from starling.groups.optimise.water_kernels import Cells, Families
from tests.groups.optimise.linear_program import least_objective
from tests.groups.optimise.random_trees import (
    Int64,
    Problem,
    assert_conditions,
    assert_optimal,
    objective,
    problems,
    random_parents,
    random_problem,
)


@pytest.mark.series(2)
@pytest.mark.parametrize("levels", [1, 2, 3, 4, 5])
def test_the_objective_is_that_of_a_linear_program(levels: int) -> None:
    numbers = np.random.default_rng(levels)
    for _ in range(60 if levels < 5 else 30):
        case = random_problem(numbers, levels)
        result = project_histogram(case.noisy, case.parents, case.total, case.weights)
        assert_optimal(result, case)
        least = least_objective(case.noisy, case.parents, case.total, case.weights) if case.total else result.objective
        assert result.objective == least


def test_the_objective_is_that_of_an_integer_program() -> None:
    numbers = np.random.default_rng(7)
    for _ in range(10):
        case = random_problem(numbers, 3, most=4)
        result = project_histogram(case.noisy, case.parents, case.total + 1, case.weights)
        assert result.objective == least_objective(
            case.noisy, case.parents, case.total + 1, case.weights, integers=True
        )


@pytest.mark.slow
@pytest.mark.examples(25)
@settings(max_examples=150, deadline=None)
@given(case=problems())
def test_every_output_keeps_the_conditions_and_is_certified(case: Problem) -> None:
    result = project_histogram(case.noisy, case.parents, case.total, case.weights)
    assert_conditions(result.levels, case.parents, case.total)
    assert result.certified
    assert result.objective == objective(result.levels, case.noisy, case.weights)
    again = project_histogram(case.noisy, case.parents, case.total, case.weights)
    assert all(np.array_equal(one, other) for one, other in zip(result.levels, again.levels, strict=True))


def test_a_wide_tree_is_certified() -> None:
    """More sizes than a block, more children than water levels that are looked at, ties by the thousand."""
    numbers = np.random.default_rng(3)
    parents = [np.zeros(7, dtype=np.int64), numbers.permutation(np.repeat(np.arange(7), 40))]
    noisy = [numbers.integers(-3, 4, (len(rows), 1300)) for rows in (parents[0][:1], *parents)]
    result = project_histogram(noisy, parents, 5_000)
    assert_conditions(result.levels, parents, 5_000)
    assert result.certified


def test_floating_point_chooses_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows put in the wrong place, and too narrow ones, lead to the very same counts, ties included."""
    numbers = np.random.default_rng(11)
    parents = random_parents(numbers, 4, children=5)
    noisy = [numbers.integers(-2, 4, (len(rows), 30)) for rows in (parents[0][:1], *parents)]
    expected = project_histogram(noisy, parents, 150).levels
    shift = numbers.integers(-9, 10, (1 + sum(map(len, parents[:-1])), 30))

    def misled(
        tree: Tree, families: Families, leaves: Cells, given: Int64, total: int, weights: Sequence[int]
    ) -> tuple[Float64, Float64, Cells]:
        values, levels, largest = relaxed_optimum(tree, families, leaves, given, total, weights)
        return values + shift, levels + shift[-len(levels) :], largest

    monkeypatch.setattr(histogram, "relaxed_optimum", misled)
    monkeypatch.setattr(histogram, "RADIUS", 1)
    result = project_histogram(noisy, parents, 150).levels
    assert all(np.array_equal(one, other) for one, other in zip(expected, result, strict=True))


def test_an_end_is_found_by_size() -> None:
    lows = np.array([[0, 4, 4, 4], [2, 2, 2, 2]])
    counts = np.array([[0, 4, 6, 7], [3, 3, 3, 3]])
    window = histogram._Window(np.arange(4), lows, np.empty((2, 4, 3), dtype=np.int64))
    assert window.left_by(counts).tolist() == [False, True, False, True]


@pytest.mark.slow
def test_cells_of_32_and_of_64_bits_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(12)
    parents = random_parents(numbers, 3, children=6)
    noisy = [numbers.integers(-3, 5, (len(rows), 40)) for rows in (parents[0][:1], *parents)]
    narrow = project_histogram(noisy, parents, 300).levels
    monkeypatch.setattr("starling.groups.optimise.water.NARROW", 0)
    wide = project_histogram(noisy, parents, 300).levels
    assert all(np.array_equal(one, other) for one, other in zip(narrow, wide, strict=True))


def test_the_order_of_regions_changes_no_objective() -> None:
    numbers = np.random.default_rng(13)
    for _ in range(20):
        case = random_problem(numbers, 3)
        order = numbers.permutation(len(case.parents[-1]))
        noisy = [*case.noisy[:-1], case.noisy[-1][order]]
        parents = [*case.parents[:-1], case.parents[-1][order]]
        one = project_histogram(case.noisy, case.parents, case.total, case.weights)
        other = project_histogram(noisy, parents, case.total, case.weights)
        assert one.objective == other.objective


def test_no_groups_give_zeros() -> None:
    result = project_histogram([np.array([[-4, 5]]), np.array([[1, 2], [3, -4]])], [[0, 0]], 0)
    assert not any(level.any() for level in result.levels)
    assert (result.objective, result.certified) == (16 + 25 + 1 + 4 + 9 + 16, True)


def test_one_cell_gets_all() -> None:
    result = project_histogram([np.array([[-4]])], [], 9)
    assert ([level.tolist() for level in result.levels], result.objective, result.certified) == ([[[9]]], 169, True)


@pytest.mark.parametrize("largest", [(1 << 57) - (1 << 17), (1 << 31) + 5])
def test_values_near_the_bound_do_not_overflow(largest: int) -> None:
    """The root alone and 8 times its value below 2^61: three sizes, counts whose squares leave 64 bits by far."""
    root: Int64 = np.array([[largest, -largest, largest - 3]])
    result = project_histogram([root], [], largest)
    assert_conditions(result.levels, [], largest)
    assert result.certified
    assert result.objective == objective(result.levels, [root], [1])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_tree_near_the_bound_does_not_overflow(sign: int) -> None:
    numbers = np.random.default_rng(5)
    parents = [np.array([0, 0]), np.array([0, 1, 1, 0])]
    largest = (1 << 54) - (1 << 17)
    noisy = [sign * (largest - numbers.integers(0, 1000, (len(rows), 3))) for rows in (parents[0][:1], *parents)]
    for total in (1, largest):
        result = project_histogram(noisy, parents, total, [1, 2, 5])
        assert_conditions(result.levels, parents, total)
        assert result.certified
        assert result.objective == objective(result.levels, noisy, [1, 2, 5])


def test_sizes_that_need_wide_windows_get_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(12)
    parents = [np.zeros(4, dtype=np.int64), np.repeat(np.arange(4), 100)]
    leaves = numbers.multinomial(90_000, [0.6, 0.3, 0.1, *np.zeros(20)], size=400)
    middle = leaves.reshape(4, 100, -1).sum(axis=1)
    noisy = [counts + numbers.integers(-9, 10, counts.shape) for counts in (middle.sum(axis=0)[None], middle, leaves)]
    created = []
    window = histogram._Windows._window

    def seen(self: histogram._Windows, sizes: Int64, radius: int) -> histogram._Window:
        created.append((len(sizes), radius))
        return window(self, sizes, radius)

    monkeypatch.setattr(histogram._Windows, "_window", seen)
    monkeypatch.setattr(histogram, "ROUNDS", 1)
    result = project_histogram(noisy, parents, int(leaves.sum()), [2, 16, 64])
    assert result.certified
    assert created[0] == (23, histogram.RADIUS)
    assert len(created) > 1
    assert all(number < 23 for number, _ in created[1:])
    assert max(radius for _, radius in created) > histogram.RADIUS
