"""The extreme tables of the trend test, against all tables of a few people."""

from functools import lru_cache

import numpy as np
import pytest

from starling.genome.distance import trend_tables
from starling.genome.statistics import association
from tests.genome.small_tables import all_tables

N = 9
STARTS = (
    (3, 1, 0, 0, 2, 3),
    (4, 1, 0, 3, 1, 0),
    (0, 0, 1, 2, 6, 0),
    (2, 2, 2, 1, 1, 1),
    (0, 5, 0, 4, 0, 0),
    (9, 0, 0, 0, 0, 0),
)


@lru_cache(maxsize=1)
def measured() -> np.ndarray:
    """Delta, R S, V, R of every table."""
    found = [(*trend_tables.measured(tuple(table)), sum(table[:3])) for table in all_tables(N, 6).tolist()]
    return np.array(found)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("k", [0, 1, 2, 4, 7])
def test_no_table_within_reach_is_beyond_the_extremes(start: trend_tables.Six, k: int) -> None:
    tables = all_tables(N, 6)
    within = np.abs(tables - np.array(start)).sum(axis=1) <= 2 * k
    delta, _, v, cases = measured()[within].T
    for number in np.unique(cases).tolist():
        assert trend_tables.largest_delta(start, k, number) == delta[cases == number].max()
    assert trend_tables.least_variance(start, k) == v.min()
    assert trend_tables.largest_variance(start, k) >= v.max()
    values = association.trend_statistic(tables[within])
    least, greatest = trend_tables.trend_range(start, k)
    assert greatest == pytest.approx(values.max())
    assert least <= values.min() + 1e-9


def test_a_candidate_is_as_far_as_it_may_be_and_has_the_cases() -> None:
    start = (4, 1, 2, 3, 1, 1)
    for cases in range(3, 12):
        for code in range(4 * 4 * 6):
            table = trend_tables.candidate(start, 4, cases, code // 24, code // 6 % 4, code % 6)
            assert min(table) >= 0
            assert (sum(table), sum(table[:3])) == (12, cases)
            assert sum(max(0, now - then) for now, then in zip(table, start, strict=True)) <= 4
