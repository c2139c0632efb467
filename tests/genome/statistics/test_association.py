"""Statistics against SciPy and statsmodels, their invariances, and their zero margins."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import Table, Table2x2

from starling.errors import ParameterError
from starling.genome.statistics.association import (
    PTest,
    chi_squared_statistic,
    correlation,
    d_prime,
    g_statistic,
    log10_p_values,
    p_values,
    r_squared,
    trend_statistic,
    wald_statistic,
)

NUMBERS = np.random.default_rng(6)
TABLES = np.concatenate([NUMBERS.integers(1, high, (60, 4)) for high in (6, 300, 100_000)])
WIDE = np.concatenate([NUMBERS.integers(1, high, (60, 6)) for high in (6, 300, 100_000)])
ALL: tuple[PTest, ...] = ("g", "chi2", "fisher", "logistic", "wald")


@pytest.mark.parametrize("tables", [TABLES, WIDE], ids=["2x2", "2x3"])
@pytest.mark.parametrize("test", ["g", "chi2"])
def test_p_values_equal_scipys(tables: np.ndarray, test: PTest) -> None:
    power = "log-likelihood" if test == "g" else "pearson"
    found = g_statistic(tables) if test == "g" else chi_squared_statistic(tables)
    for table, statistic, p in zip(tables, found, p_values(tables, test), strict=True):
        wanted = stats.chi2_contingency(table.reshape(2, -1), correction=False, lambda_=power)
        assert statistic == pytest.approx(wanted.statistic, rel=1e-9, abs=1e-9)
        if wanted.pvalue > 1e-300:
            assert p == pytest.approx(wanted.pvalue, rel=1e-9)


def test_trend_is_statsmodels_test_of_ordinal_association() -> None:
    """Cochran-Armitage with the scores 0, 1, 2; statsmodels divides by n - 1 where PLINK and this divide by n."""
    for table, statistic, p in zip(WIDE, trend_statistic(WIDE), p_values(WIDE, "trend"), strict=True):
        n = int(table.sum())
        found = Table(table.reshape(2, 3), shift_zeros=False).test_ordinal_association(np.array([0, 1]), np.arange(3))
        assert statistic == pytest.approx(found.zscore**2 * n / (n - 1), rel=1e-8, abs=1e-8)
        assert p == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-9)
    none = np.array([[0, 0, 0, 3, 4, 5], [0, 7, 0, 0, 5, 0]])
    assert (trend_statistic(none) == 0).all()
    with pytest.raises(ParameterError, match="tables"):
        p_values(TABLES, "trend")


def test_fisher_is_twice_scipys_smaller_tail() -> None:
    for table, p in zip(TABLES, p_values(TABLES, "fisher"), strict=True):
        a, b, c, d = table.tolist()
        cell = stats.hypergeom(a + b + c + d, a + b, a + c)
        wanted = min(1.0, 2 * min(cell.cdf(a), cell.sf(a - 1)))
        if wanted > 1e-290:
            assert p == pytest.approx(wanted, rel=1e-8 if wanted < 1e-50 else 1e-9)


@pytest.mark.parametrize("table", [[12, 30, 25, 20], [3, 1, 1, 1133], [150, 250, 100, 300]])
def test_logistic_and_wald_equal_statsmodels_regression(table: list[int]) -> None:
    cells = np.array(table)
    status = np.array([1.0, 1.0, 0.0, 0.0])
    carrier = np.array([1.0, 0.0, 1.0, 0.0])
    fit = sm.GLM(
        np.repeat(status, cells), sm.add_constant(np.repeat(carrier, cells)), family=sm.families.Binomial()
    ).fit(tol=1e-14)
    ratio = 2 * (fit.llf - fit.llnull)
    assert p_values(cells[np.newaxis], "logistic")[0] == pytest.approx(stats.chi2.sf(ratio, 1), rel=1e-9)
    assert wald_statistic(cells[np.newaxis])[0] == pytest.approx(fit.tvalues[1] ** 2, rel=1e-7)
    assert p_values(cells[np.newaxis], "wald")[0] == pytest.approx(
        Table2x2(cells.reshape(2, 2)).log_oddsratio_pvalue(), rel=1e-9
    )


def test_wald_adds_a_half_everywhere_when_a_cell_is_empty() -> None:
    assert wald_statistic(np.array([[4, 0, 1, 1133]])) == pytest.approx(
        wald_statistic(np.array([[4.5, 0.5, 1.5, 1133.5]]))
    )


@pytest.mark.parametrize("test", ALL)
def test_a_zero_margin_gives_p_one(test: PTest) -> None:
    tables = np.array([[0, 0, 3, 4], [3, 4, 0, 0], [0, 3, 0, 4], [3, 0, 4, 0], [0, 0, 0, 0], [9, 0, 0, 0]])
    assert p_values(tables, test).tolist() == [1.0] * len(tables)


@pytest.mark.parametrize("test", ["g", "chi2"])
def test_an_empty_column_of_three_adds_nothing_and_keeps_two_degrees(test: PTest) -> None:
    wide, narrow = np.array([[30, 0, 70, 15, 0, 85]]), np.array([[30, 70, 15, 85]])
    statistic = g_statistic if test == "g" else chi_squared_statistic
    assert statistic(wide) == pytest.approx(statistic(narrow))
    assert p_values(wide, test)[0] == pytest.approx(np.exp(-statistic(wide)[0] / 2))
    alone = np.array([[5, 0, 0, 9, 0, 0], [1, 2, 3, 0, 0, 0]])
    assert p_values(alone, test).tolist() == [1.0, 1.0]


def test_correlations_equal_numpys_and_the_textbooks() -> None:
    for table, found in zip(TABLES[:120], r_squared(TABLES[:120]), strict=True):
        first, second = np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)
        assert found == pytest.approx(np.corrcoef(first, second)[0, 1] ** 2, rel=1e-9, abs=1e-12)
    for (a, b, c, d), prime in zip(TABLES.tolist(), d_prime(TABLES), strict=True):
        n = a + b + c + d
        p, q, difference = (a + b) / n, (a + c) / n, a / n - (a + b) * (a + c) / n**2
        most = min(p * (1 - q), (1 - p) * q) if difference > 0 else min(p * q, (1 - p) * (1 - q))
        assert prime == pytest.approx(abs(difference) / most, rel=1e-6, abs=1e-9)


@given(st.lists(st.integers(0, 2000), min_size=4, max_size=4))
def test_statistics_do_not_change_by_swaps(table: list[int]) -> None:
    a, b, c, d = table
    swapped = np.array([[a, b, c, d], [c, d, a, b], [b, a, d, c], [a, c, b, d], [d, c, b, a]])
    for statistic in (g_statistic, chi_squared_statistic, wald_statistic, r_squared, d_prime):
        assert statistic(swapped) == pytest.approx(statistic(swapped)[0], rel=1e-9, abs=1e-9)
    assert p_values(swapped, "fisher") == pytest.approx(p_values(swapped, "fisher")[0], rel=1e-9)


@pytest.mark.parametrize("test", ALL)
def test_p_values_that_vanish_keep_their_logarithm(test: PTest) -> None:
    found = log10_p_values(np.array([[20_000, 1, 1, 20_000]]), test)
    assert -20_000 < found[0] < -15
    assert np.isfinite(found[0])


@pytest.mark.parametrize(
    ("tables", "test", "field"),
    [
        (np.ones((2, 5)), "g", "tables"),
        (np.ones((2, 6), dtype=np.int64), "fisher", "tables"),
        (np.full((2, 4), 0.5), "fisher", "tables"),
        (np.ones((2, 4)), "t", "test"),
    ],
)
def test_what_is_no_table_or_test_is_refused(tables: np.ndarray, test: PTest, field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        p_values(tables, test)


def test_an_unknown_correlation_is_refused() -> None:
    with pytest.raises(ParameterError, match="corr"):
        correlation(np.ones((1, 4)), "r")  # type: ignore[arg-type]


def test_every_small_table_has_a_p_value_in_reach() -> None:
    tables = np.array(list(product(range(4), repeat=4)))
    for test in ALL:
        found = p_values(tables, test)
        assert ((found > 0) & (found <= 1)).all()
