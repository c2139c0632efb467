"""The public distance: equal to breadth-first search on all small tables, and 1-Lipschitz over all twelve moves."""

from inspect import unwrap
from itertools import permutations

import numpy as np
import pytest

import starling.genome
from starling.errors import ParameterError
from starling.genome.distance.constants import threshold_p
from starling.genome.distance.rules import decide, of_test
from starling.genome.distance.significance import distance_to_significance
from starling.genome.statistics.association import Test
from tests.genome.small_tables import all_tables, most_changed, searched

TESTS: tuple[Test, ...] = ("g", "chi2", "fisher")


def significant(tables: np.ndarray, test: Test, p: str) -> list[bool]:
    """By exact arithmetic."""
    rule = of_test(test, threshold_p(p), int(tables[0].sum()))
    return [decide(rule, a, b, c, d) != 0 for a, b, c, d in tables.tolist()]


@pytest.mark.series(3)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("p", ["0.3", "0.05", "0.001"])
def test_distance_is_that_of_breadth_first_search(test: Test, p: str) -> None:
    for n in range(2, 26):
        tables = all_tables(n)
        found = distance_to_significance(tables, test, p)
        assert np.array_equal(found, searched(n, significant(tables, test, p)))
        assert most_changed(found, n) == (1 if np.ptp(found) else 0)


@pytest.mark.series(2)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("p", ["0.3", "0.05", "0.001"])
def test_with_missing_calls_apart_too(test: Test, p: str) -> None:
    """All 30 moves between six cells, of which a table is significant by four; with nobody missing it is the distance of these."""
    for n in range(2, 9):
        tables = all_tables(n, 6)
        rule = of_test(test, threshold_p(p), n)
        yes = [decide(rule, a, b, c, d) != 0 for a, b, _, c, d, _ in tables.tolist()]
        found = distance_to_significance(tables, test, p)
        assert np.array_equal(found, searched(n, yes, 6))
        assert most_changed(found, n, 6) == (1 if np.ptp(found) else 0)
    called = np.random.default_rng(1).multinomial(20_000, [0.2, 0.3, 0.2, 0.3], 20)
    none = np.insert(called, [2, 4], 0, axis=1)
    assert np.array_equal(distance_to_significance(none, test, p), distance_to_significance(called, test, p))


@pytest.mark.parametrize("test", TESTS)
def test_a_small_move_of_six_large_cells_moves_the_distance_by_at_most_one(test: Test) -> None:
    tables = np.random.default_rng(5).multinomial(50_000, [0.21, 0.29, 0.01, 0.19, 0.28, 0.02], 20)
    here = distance_to_significance(tables, test, 5e-7)
    for source, target in permutations(range(6), 2):
        moved = tables.copy()
        moved[:, source] -= 1
        moved[:, target] += 1
        assert np.abs(distance_to_significance(moved, test, 5e-7) - here).max() <= 1


def test_logistic_is_g() -> None:
    tables = all_tables(15)
    assert np.array_equal(
        distance_to_significance(tables, "logistic", 0.05), distance_to_significance(tables, "g", 0.05)
    )


def test_unreachable_is_n_plus_one_for_all_tables() -> None:
    assert set(distance_to_significance(all_tables(6), "g", 1e-5).tolist()) == {7}


@pytest.mark.parametrize("test", TESTS)
def test_a_small_move_of_a_large_table_moves_the_distance_by_at_most_one(test: Test) -> None:
    numbers = np.random.default_rng(5)
    tables = numbers.multinomial(500_000, [0.21, 0.29, 0.2, 0.3], 200)
    here = distance_to_significance(tables, test, 5e-7)
    for source in range(4):
        for target in range(4):
            moved = tables.copy()
            moved[:, source] -= 1
            moved[:, target] += 1
            assert np.abs(distance_to_significance(moved, test, 5e-7) - here).max() <= 1


def test_shape_and_type() -> None:
    assert distance_to_significance(np.empty((0, 4), dtype=np.int32), "g", 0.05).shape == (0,)
    found = distance_to_significance(np.array([[9, 1, 2, 8]], dtype=np.uint8), "g", 0.05)
    assert found.dtype == np.int64


def test_it_is_public() -> None:
    assert unwrap(starling.genome.distance_to_significance) is distance_to_significance


@pytest.mark.parametrize(
    ("tables", "test", "p", "field"),
    [
        ([[1.0, 2, 3, 4]], "g", 0.05, "tables"),
        ([[1, 2, 3]], "g", 0.05, "tables"),
        ([1, 2, 3, 4], "g", 0.05, "tables"),
        ([[1, 2, 3, -4]], "g", 0.05, "tables"),
        ([[1, 2, 3, 1 << 24]], "g", 0.05, "tables"),
        ([[1, 2, 3, 1 << 62]], "g", 0.05, "tables"),
        ([[1, 2, 3, 4]], "wald", 0.05, "test"),
        ([[1, 2, 3, 4]], "g", 0.4, "p_threshold"),
        ([[1, 2, 3, 4]], "g", 0, "p_threshold"),
    ],
)
def test_bad_input_is_refused(tables: list[list[int]], test: Test, p: float, field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        distance_to_significance(tables, test, p)
