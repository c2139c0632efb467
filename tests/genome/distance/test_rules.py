"""The compiled predicate never contradicts exact arithmetic, even where its two sides are as near as can be."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.genome.distance.constants import UNDECIDED, threshold_p
from starling.genome.distance.rules import Rule, decide, of_correlation, of_statistic, of_test, way
from starling.genome.statistics.association import Test, correlation, p_values
from tests.genome.small_tables import all_tables

TESTS: tuple[Test, ...] = ("g", "chi2", "fisher")


def agree(rule: Rule, table: tuple[int, int, int, int]) -> bool:
    """Whether compiled code decides; if so, as exact arithmetic does."""
    said = way(rule.kernel, *table)[0]
    assert said in (UNDECIDED, decide(rule, *table))
    return said != UNDECIDED


@pytest.mark.examples(30)
@given(
    st.sampled_from(TESTS),
    st.tuples(*[st.integers(0, 3000)] * 4).filter(any),
    st.sampled_from(["0.3", "0.05", "1e-4", "5e-8"]),
)
def test_compiled_and_exact_agree(test: Test, table: tuple[int, int, int, int], p: str) -> None:
    agree(of_test(test, threshold_p(p), sum(table)), table)


@given(st.tuples(*[st.integers(0, 60)] * 4).filter(any), st.sampled_from(["1/20", "1/4", "1/3", "1/2", "4/5"]))
def test_compiled_and_exact_agree_on_correlations(table: tuple[int, int, int, int], threshold: str) -> None:
    delta_c = Fraction(threshold)
    if sum(table) * delta_c >= 1:
        assert agree(of_correlation("r2", delta_c, sum(table)), table)
    if delta_c >= Fraction(1, 2):
        assert agree(of_correlation("dprime", delta_c, sum(table)), table)


@pytest.mark.parametrize("test", ["g", "chi2"])
def test_a_statistic_at_the_threshold_is_left_to_exact_arithmetic(test: Test) -> None:
    """t made the table's own statistic, as near as a rational can be."""
    table = (300, 200, 150, 350)
    a, b, c, d = table
    t = Fraction(1000 * (a * d - b * c) ** 2, (a + b) * (c + d) * (a + c) * (b + d))
    if test == "g":
        with mpmath.workprec(300):
            cells = sum(x * mpmath.log(x) for x in (*table, 1000))
            statistic = 2 * (cells - sum(x * mpmath.log(x) for x in (a + b, c + d, a + c, b + d)))
            t = Fraction(int(statistic * 2**250), 2**250)
    rule = of_statistic(test, t, 1000)
    assert way(rule.kernel, *table)[0] == UNDECIDED
    assert decide(rule, *table) == 1
    assert decide(of_statistic(test, t + Fraction(1, 2**240), 1000), *table) == 0
    assert agree(of_statistic(test, t * (1 + Fraction(1, 10**6)), 1000), table)
    assert agree(of_statistic(test, t * (1 - Fraction(1, 10**6)), 1000), table)


def test_pearson_at_exactly_the_threshold_is_significant() -> None:
    assert decide(of_statistic("chi2", Fraction(4), 4), 2, 0, 0, 2) == 1
    assert decide(of_statistic("chi2", Fraction(4) + Fraction(1, 10**30), 4), 2, 0, 0, 2) == 0


def test_fisher_at_exactly_the_threshold_is_significant() -> None:
    assert p_values(np.array([[3, 0, 0, 3]]), "fisher")[0] == pytest.approx(0.1)
    assert decide(of_test("fisher", threshold_p("0.1"), 6), 3, 0, 0, 3) == 1
    assert decide(of_test("fisher", threshold_p("0.0999999999999999999"), 6), 3, 0, 0, 3) == 0
    assert decide(of_test("fisher", threshold_p("0.1"), 6), 0, 3, 3, 0) == -1


def test_a_correlation_at_exactly_the_threshold_is_not_above() -> None:
    # r^2 = 1/4 and |D'| = 1/2; large, so that doubles cannot tell.
    for size in (1, 1 << 20):
        half = tuple(size * x for x in (3, 1, 1, 3))
        n = sum(half)
        for measure in ("r2", "dprime"):
            threshold = Fraction(1, 4) if measure == "r2" else Fraction(1, 2)
            rule = of_correlation(measure, threshold, n)
            assert way(rule.kernel, *half)[0] == decide(rule, *half) == 0
            a, b, c, d = half
            nearer = (a + 1, b - 1, c, d)
            assert way(rule.kernel, *nearer)[0] == decide(rule, *nearer) == 1


def test_a_correlation_at_the_threshold_of_the_largest_study() -> None:
    """n = 2^24 and a threshold of 2^16 parts: r = 255/256, and tables one patient to either side."""
    x, y = 511 << 14, 1 << 14
    rule = of_correlation("r2", Fraction(255, 256) ** 2, 1 << 24)
    for table, wanted in (
        ((x, y, y, x), 0),
        ((x + 1, y - 1, y, x), 1),
        ((x - 1, y + 1, y, x), 0),
        ((y, x, x + 1, y - 1), -1),
    ):
        assert way(rule.kernel, *table)[0] == decide(rule, *table) == wanted


@pytest.mark.parametrize("test", [*TESTS, "logistic"])
@pytest.mark.parametrize("p", ["0.3", "0.05", "0.001"])
def test_significant_means_a_p_value_at_or_below_the_threshold(test: Test, p: str) -> None:
    for n in (5, 12):
        rule = of_test(test, threshold_p(p), n)
        tables = all_tables(n)
        values = p_values(tables, test)
        for table, value in zip(tables.tolist(), values.tolist(), strict=True):
            if abs(value / float(p) - 1) > 1e-9:
                assert (decide(rule, *table) != 0) == (value <= float(p))


@pytest.mark.parametrize("measure", ["r2", "dprime"])
def test_above_means_a_correlation_above_the_threshold(measure: str) -> None:
    rule = of_correlation(measure, Fraction(3, 5), 12)  # type: ignore[arg-type]
    tables = all_tables(12)
    values = correlation(tables, measure)  # type: ignore[arg-type]
    for table, value in zip(tables.tolist(), values.tolist(), strict=True):
        if abs(value - 0.6) > 1e-9:
            assert (decide(rule, *table) != 0) == (value > 0.6)


@given(st.sampled_from(TESTS), st.tuples(*[st.integers(0, 200)] * 4).filter(any))
def test_significance_does_not_change_by_swaps(test: Test, table: tuple[int, int, int, int]) -> None:
    rule = of_test(test, threshold_p("0.01"), sum(table))
    a, b, c, d = table
    same_sign = [(a, b, c, d), (d, c, b, a), (a, c, b, d), (d, b, c, a)]
    other_sign = [(b, a, d, c), (c, d, a, b), (b, d, a, c), (c, a, d, b)]
    said = {decide(rule, *swapped) for swapped in same_sign}
    assert len(said | {-decide(rule, *swapped) for swapped in other_sign}) == 1
    if agree(rule, table):
        assert {way(rule.kernel, *swapped)[0] for swapped in same_sign} == said


@pytest.mark.parametrize(
    ("measure", "delta_c", "n"),
    [
        ("r2", "0", 100),
        ("r2", "1", 100),
        ("r2", "0.05", 19),
        ("dprime", "0.49", 100),
        ("r2", "0.0500001", 100),
        ("r", "0.5", 9),
    ],
)
def test_thresholds_of_correlations_that_do_not_fit_are_refused(measure: str, delta_c: str, n: int) -> None:
    with pytest.raises(ParameterError):
        of_correlation(measure, Fraction(delta_c), n)  # type: ignore[arg-type]


def test_an_unknown_test_is_refused() -> None:
    with pytest.raises(ParameterError, match="test"):
        of_test("wald", Fraction(1, 20), 10)  # type: ignore[arg-type]
