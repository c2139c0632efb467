"""The paper's dynamic program on tables: its theorems, its running example, and that the fast optimum equals it."""

from collections import Counter as Multiset

import numpy as np
import pytest

from starling.groups.optimise.histogram import project_histogram
from tests.groups.optimise.random_trees import random_parents, random_problem
from tests.groups.optimise.table_program import (
    Counter,
    Node,
    by_merging,
    by_trying,
    hierarchy,
    merged,
    objective_by_tables,
)

USERS = [(1, "A", "GA"), (2, "B", "GA"), (3, "A", "GA"), (4, "A", "GA"), (5, "C", "GA")] + [
    (number, unit, "NY") for number, unit in enumerate("DEDDFF", start=6)
]
"""Table 2 of the paper: user, unit, region; every quantity is 1."""


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_the_optimum_on_histograms_is_that_of_the_tables(levels: int) -> None:
    numbers = np.random.default_rng(200 + levels)
    for _ in range(40):
        case = random_problem(numbers, levels, most=12)
        result = project_histogram(case.noisy, case.parents, case.total, case.weights)
        assert result.objective == objective_by_tables(case.noisy, case.parents, case.total, case.weights)


def test_merging_gives_the_tables_that_trying_gives() -> None:
    """Algorithm 1 (Theorem 4 is its time) in place of the constraint program."""
    numbers = np.random.default_rng(1)
    for _ in range(15):
        case = random_problem(numbers, 3, most=4)
        top = hierarchy(case.noisy, case.parents, case.total, case.weights)
        for child in top.children:
            assert by_merging(child) == by_trying(child, Counter())


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_theorem_2_one_problem_for_each_value_of_each_node(levels: int) -> None:
    parents = random_parents(np.random.default_rng(levels), levels, children=2)
    noisy = [np.ones((count, 2), dtype=np.int64) for count in (1, *map(len, parents))]
    counter = Counter()
    by_trying(hierarchy(noisy, parents, 3, [1] * levels), counter)
    assert counter.problems == 2 * (3 + 1) * sum(map(len, noisy)) + 1


def nodes(top: Node) -> list[Node]:
    """A node and all below it."""
    return [top, *(node for child in top.children for node in nodes(child))]


def test_lemma_5_and_theorem_3_every_table_is_convex() -> None:
    numbers = np.random.default_rng(5)
    tables = 0
    for _ in range(20):
        case = random_problem(numbers, 4, most=8)
        for node in nodes(hierarchy(case.noisy, case.parents, case.total, case.weights)):
            table = by_merging(node)
            assert sorted(table) == list(range(min(table), max(table) + 1))
            assert (np.diff([table[value] for value in sorted(table)], n=2) >= 0).all()
            tables += len(table) > 2
    assert tables > 100


def test_a_table_that_is_not_convex_is_not_merged_right() -> None:
    """What the lemma is for: from the cheapest values on, a dear step hides the cheap one behind it."""
    tables = [{0: 0, 1: 9, 2: 1}, {0: 0, 1: 2, 2: 5}]
    assert merged(tables)[0][2] != min(tables[0][one] + tables[1][2 - one] for one in range(3))


def test_examples_4_and_5_the_smallest_slope_moves_on() -> None:
    """The steps of the two examples; the figures in the published tables are not in the text at hand, so these are our own."""
    georgia, new_york = {0: 4, 1: 1, 2: 0, 3: 2, 4: 6}, {0: 1, 1: 0, 2: 1, 3: 4, 4: 9}
    costs, parts = merged([georgia, new_york])
    assert (parts[3], costs[3]) == ((2, 1), 0)
    assert (parts[4], costs[4]) == ((2, 2), 1)
    assert (parts[5], costs[5]) == ((3, 2), 3)
    assert [costs[value] for value in range(4)] == [5, 2, 1, 0]


def test_the_running_example() -> None:
    """Tables 2 to 4 and Figure 1: groups and their sizes; consistent counts are their own optimum."""
    members = Multiset((unit, region) for _, unit, region in USERS)
    assert {unit: count for (unit, _), count in members.items()} == {"A": 3, "B": 1, "C": 1, "D": 3, "E": 1, "F": 2}
    counts = {
        state: [sum(count == size for (_, region), count in members.items() if region == state) for size in (1, 2, 3)]
        for state in ("GA", "NY")
    }
    assert counts == {"GA": [2, 0, 1], "NY": [1, 1, 1]}
    nation = np.array([[3, 1, 2]])
    states = np.array([counts["GA"], counts["NY"]])
    assert (states.sum(axis=0) == nation).all()
    result = project_histogram([nation, states], [[0, 0]], total=6)
    assert result.objective == 0
    assert [level.tolist() for level in result.levels] == [nation.tolist(), states.tolist()]


def test_the_running_example_with_noise() -> None:
    noisy = [np.array([[4, 0, 3]]), np.array([[1, -1, 2], [2, 2, 0]])]
    result = project_histogram(noisy, [np.array([0, 0])], total=6)
    assert result.objective == objective_by_tables(noisy, [np.array([0, 0])], 6, [1, 1])
    assert sum(result.levels[0][0].tolist()) == 6
