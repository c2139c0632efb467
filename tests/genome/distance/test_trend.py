"""The distance of the trend test: the gain is that of breadth-first search, the loss no more, and all of it is 1-Lipschitz."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.distance import trend
from starling.genome.distance.constants import quantile, threshold_p
from starling.genome.distance.search import OPEN
from starling.genome.distance.trend import trend_distance
from starling.genome.statistics.association import p_values
from tests.genome.small_tables import all_tables, most_changed, searched

RANDOM = np.random.default_rng(23)
COMMON = RANDOM.multinomial(300, [0.2, 0.25, 0.05, 0.25, 0.2, 0.05], 300)
RARE = RANDOM.multinomial(300, [0.46, 0.03, 0.01, 0.49, 0.01, 0.0], 300)


def significant_exactly(tables: np.ndarray, p: float) -> np.ndarray:
    """By whole numbers and the threshold itself."""
    t = Fraction(quantile(threshold_p(p), 1))
    found = []
    for table in tables.tolist():
        n, cases = sum(table), sum(table[:3])
        both = [table[copies] + table[3 + copies] for copies in range(3)]
        copies, squares = both[1] + 2 * both[2], both[1] + 4 * both[2]
        delta = n * (table[1] + 2 * table[2]) - cases * copies
        below = cases * (n - cases) * (n * squares - copies**2)
        found.append(below > 0 and n * delta**2 >= t * below)
    return np.array(found)


@pytest.mark.parametrize("p", [0.3, 0.05, 0.002])
@pytest.mark.parametrize("n", [2, 4, 7, 12, 14])
def test_no_mismatch_with_breadth_first_search(n: int, p: float) -> None:
    """Every table of n people: the gain is exact, the loss at most one short, and no move changes the distance by more than 1."""
    tables = all_tables(n, 6)
    found, significant = trend_distance(tables, p), significant_exactly(tables, p)
    assert np.array_equal(found <= 0, significant)
    exact = searched(n, significant, 6)
    assert np.array_equal(found[~significant], exact[~significant])
    short = found[significant] - exact[significant]
    assert set(short.tolist()) <= {0, 1}
    assert most_changed(found, n, 6) <= 1


def test_the_statistic_itself_in_place_of_the_distance_is_not_private() -> None:
    """What the test above must catch: counted in people, the trend statistic of neighbours differs by more than 1."""
    tables = all_tables(12, 6)
    statistic = np.nan_to_num(-np.log10(p_values(tables, "trend")) * 10).astype(np.int64)
    assert most_changed(statistic, 12, 6) > 1


@pytest.mark.parametrize("tables", [COMMON, RARE], ids=["common", "rare"])
@pytest.mark.parametrize("p", [0.3, 1e-4, 1e-9])
def test_neighbours_of_larger_tables_differ_by_at_most_1(tables: np.ndarray, p: float) -> None:
    found = trend_distance(tables, p)
    assert np.array_equal(found <= 0, significant_exactly(tables, p))
    moved = tables.copy()
    for row in moved:
        row[RANDOM.choice(np.flatnonzero(row))] -= 1
        row[RANDOM.integers(6)] += 1
    assert np.abs(trend_distance(moved, p) - found).max() <= 1


def test_swapping_groups_or_alleles_changes_nothing() -> None:
    tables = np.concatenate([COMMON[:100], RARE[:100]])
    found = trend_distance(tables, 0.001)
    assert np.array_equal(trend_distance(tables[:, [3, 4, 5, 0, 1, 2]], 0.001), found)
    assert np.array_equal(trend_distance(tables[:, [2, 1, 0, 5, 4, 3]], 0.001), found)


@pytest.mark.slow
def test_the_slow_twin_agrees() -> None:
    tables = np.concatenate([COMMON[:6] // 5, RARE[:6] // 5, all_tables(5, 6)[::9]])
    t = Fraction(quantile(threshold_p(0.01), 1))
    twin = [trend.distance_exactly(tuple(table), t) for table in tables.tolist()]
    assert trend_distance(tables, 0.01).tolist() == twin


def test_a_statistic_at_the_threshold_is_left_to_exact_arithmetic() -> None:
    """Two cases with two copies and two controls with none: 4 exactly. At the threshold is significant."""
    table = (0, 0, 2, 2, 0, 0)
    assert trend._distance(table, 4.0) == OPEN
    assert trend.distance_exactly(table, Fraction(4)) == 0
    assert trend.distance_exactly(table, Fraction(4) + Fraction(1, 10**40)) == 5


def test_where_no_table_is_significant_all_are_as_far() -> None:
    assert trend_distance([[3, 0, 0, 0, 0, 3], [1, 1, 1, 1, 1, 1]], "1e-6").tolist() == [7, 7]


def test_tables_of_two_columns_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"shape \(m, 6\)"):
        trend_distance([[1, 2, 3, 4]], 0.05)
