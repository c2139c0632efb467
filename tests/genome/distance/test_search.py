"""The nested path holds the best table of every distance; compiled search and exact search agree."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.distance.constants import threshold_p
from starling.genome.distance.rules import of_correlation, of_statistic, of_test
from starling.genome.distance.search import OPEN, distance_exactly, distances, settled, step
from starling.genome.statistics.association import Test, chi_squared_statistic, d_prime, g_statistic
from starling.genome.statistics.tails import fisher_tails
from tests.genome.small_tables import all_tables, neighbours

Tables = np.ndarray


def signed(tables: Tables, statistic: str) -> Tables:
    """A statistic with the sign of Delta, or a tail that grows with significance."""
    delta = np.sign(tables[:, 0] * tables[:, 3] - tables[:, 1] * tables[:, 2])
    if statistic == "upper":
        return np.array([-fisher_tails(*table)[0] for table in tables.tolist()])
    if statistic == "lower":
        return np.array([fisher_tails(*table)[1] for table in tables.tolist()])
    found = {"g": g_statistic, "chi2": chi_squared_statistic, "dprime": d_prime}[statistic]
    return np.asarray(delta * found(tables))


@pytest.mark.parametrize("statistic", ["g", "chi2", "dprime", "upper", "lower"])
@pytest.mark.parametrize("n", [3, 8, 13])
def test_the_path_is_best_at_every_distance(statistic: str, n: int) -> None:
    """M_k by taking the best neighbour k times over, against the one table T_k."""
    tables = all_tables(n)
    numbers = {tuple(table): index for index, table in enumerate(tables.tolist())}
    values = signed(tables, statistic)
    best = values
    for k in range(n + 1):
        on_path = values[[numbers[step(a, b, c, d, k)] for a, b, c, d in tables.tolist()]]
        assert on_path == pytest.approx(best, abs=1e-9)
        best = np.maximum(best, best[neighbours(n)].max(axis=0))


@pytest.mark.parametrize("statistic", ["g", "chi2", "upper", "lower"])
def test_the_three_claims_hold_on_larger_tables(statistic: str) -> None:
    """Each claim compares tables one step apart; here on all of n = 30."""
    tables = all_tables(30)
    numbers = {tuple(table): index for index, table in enumerate(tables.tolist())}
    values = signed(tables, statistic)

    def compare(move: tuple[int, int, int, int], when: Tables) -> Tables:
        """How much the values rise by the move, on the tables where it is possible."""
        reached = tables + np.array(move)
        possible = (reached >= 0).all(axis=1) & when
        after = values[[numbers[tuple(table)] for table in reached[possible].tolist()]]
        return np.asarray(after - values[possible])

    a, b, c, d = tables.T
    everywhere = np.ones(len(tables), dtype=np.bool_)
    for move in ((1, -1, 0, 0), (1, 0, -1, 0), (0, -1, 0, 1), (0, 0, -1, 1)):
        assert (compare(move, everywhere) >= -1e-9).all()
    assert (compare((-1, 0, 0, 1), a > d) >= -1e-9).all()
    assert (compare((0, 1, -1, 0), b >= c) >= -1e-9).all()


@given(st.tuples(*[st.integers(0, 40)] * 4), st.integers(0, 80))
def test_a_step_moves_one_patient_and_ends_even(table: tuple[int, int, int, int], k: int) -> None:
    here, there = np.array(step(*table, k)), np.array(step(*table, k + 1))
    assert here.min() >= 0
    assert here.sum() == sum(table)
    assert np.abs(here - np.array(table)).sum() // 2 <= k
    # Up to the order of the two cells of a pair, in which the rules do not differ.
    moved = sum(np.abs(np.sort(here[pair]) - np.sort(there[pair])).sum() for pair in ([0, 3], [1, 2]))
    assert moved <= 2
    a, b, c, d = step(*table, sum(table))
    assert b == c == 0
    assert abs(a - d) <= 1


@given(
    st.sampled_from(["g", "chi2", "fisher"]),
    st.tuples(*[st.integers(0, 600)] * 4).filter(any),
    st.sampled_from(["0.3", "0.01", "1e-6"]),
)
def test_compiled_and_exact_search_agree(test: Test, table: tuple[int, int, int, int], p: str) -> None:
    rule = of_test(test, threshold_p(p), sum(table))
    assert settled(rule, np.array([table]))[0] == distance_exactly(rule, table)


@given(
    st.sampled_from(["g", "chi2", "fisher"]),
    st.tuples(*[st.integers(0, 400)] * 5).filter(any),
    st.sampled_from(["0.3", "0.01", "1e-6"]),
)
def test_they_agree_with_people_outside_too(test: Test, table: tuple[int, int, int, int, int], p: str) -> None:
    a, b, c, d, outside = table
    rule = of_test(test, threshold_p(p), sum(table))
    assert settled(rule, np.array([table]))[0] == distance_exactly(rule, (a, b, c, d), outside)


@pytest.mark.series(1)
@pytest.mark.parametrize("scale", [1, 1000, 80_000])
def test_large_studies_agree_too(scale: int) -> None:
    numbers = np.random.default_rng(scale)
    tables = numbers.integers(0, 40 * scale, (25, 4)) // np.array([1, 1, 1, 3])
    # Counting Fisher's tails exactly takes a second for a table of 100,000 people, and longer in a study of millions.
    some: dict[Test, int] = (
        dict.fromkeys(("g", "chi2", "fisher"), 25) if scale == 1 else {"g": 12, "chi2": 12, "fisher": 1}
    )
    if scale > 1000:
        del some["fisher"]
    for test, count in some.items():
        rule = of_test(test, threshold_p("5e-7"), int(tables.sum(axis=1).max()))
        found = settled(rule, tables[:count])
        assert found.tolist() == [distance_exactly(rule, (a, b, c, d)) for a, b, c, d in tables[:count].tolist()]


def test_what_doubles_leave_open_is_settled_exactly() -> None:
    # t is Pearson's statistic of the table itself, and of its turned form.
    tables = np.array([[300, 200, 150, 350], [200, 300, 350, 150], [250, 250, 250, 250]])
    t = Fraction(1000 * (300 * 350 - 200 * 150) ** 2, 500 * 500 * 450 * 550)
    rule = of_statistic("chi2", t, 1000)
    raw = np.empty(3, dtype=np.int64)
    distances(rule.kernel, tables, raw)
    assert raw[:2].tolist() == [OPEN, OPEN]
    found = settled(rule, tables)
    assert found[:2].tolist() == [0, 0]
    assert found[2] == raw[2] > 0


def test_rows_may_have_different_numbers_of_patients() -> None:
    tables = np.array([[3, 0, 0, 3], [30, 1, 2, 40], [1, 0, 0, 1], [3, 0, 0, 3], [0, 0, 0, 0]])
    rule = of_test("g", threshold_p("0.01"), 73)
    assert settled(rule, tables).tolist() == [distance_exactly(rule, (a, b, c, d)) for a, b, c, d in tables.tolist()]
    assert settled(rule, tables)[2] == 3
    assert settled(rule, tables)[4] == 1


def test_a_correlation_is_never_left_open() -> None:
    tables = all_tables(20)
    for rule in (of_correlation("r2", Fraction(1, 4), 20), of_correlation("dprime", Fraction(1, 2), 20)):
        raw = np.empty(len(tables), dtype=np.int64)
        distances(rule.kernel, tables, raw)
        assert not (raw == OPEN).any()
