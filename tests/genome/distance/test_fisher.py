"""Fisher's tails against the threshold: the bracket holds, doubles never contradict counting, and hardly ever leave anything open."""

from fractions import Fraction
from math import comb, isqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.distance.constants import UNDECIDED, log_factorials, threshold_p
from starling.genome.distance.fisher import _bracket, _exp, tail_bounds, tail_reaches
from starling.genome.distance.rules import of_test
from starling.genome.distance.search import OPEN, distances
from tests.genome.small_tables import all_tables

Table = tuple[int, int, int, int]


def weights(a: int, b: int, c: int, d: int) -> list[Fraction]:
    """w_0, w_1, ...: of the tables further up, relative to this one."""
    out = [Fraction(1)]
    while b and c:
        out.append(out[-1] * Fraction(b * c, (a + 1) * (d + 1)))
        a, b, c, d = a + 1, b - 1, c - 1, d + 1
    return out


def tail(a: int, b: int, c: int, d: int) -> Fraction:
    """P(X >= a)."""
    at = Fraction(comb(a + b, a) * comb(c + d, c), comb(a + b + c + d, a + c))
    return at * sum(weights(a, b, c, d))


def says(half: Fraction, table: Table) -> int:
    logs = log_factorials(sum(table))
    low, high, margin = tail_bounds(half, sum(table), logs)
    return tail_reaches(float(half), low, high, 2.0**-logs.shift, margin, logs.table, *table)[0]


@pytest.mark.parametrize("n", [2, 9, 20, 33])
def test_above_the_mean_only_the_upper_tail_is_small(n: int) -> None:
    """The median of X is its mean, rounded down or up: for Delta >= 0 P(X <= a) is at least 1/2, which no alpha/2 is."""
    for a, b, c, d in all_tables(n).tolist():
        if a * d >= b * c:
            assert tail(b, a, d, c) >= Fraction(1, 2)


@pytest.mark.parametrize("n", [5, 12, 24])
def test_moments_bracket_the_sum_of_weights(n: int) -> None:
    """Each identity and inequality of the argument, in fractions, on all tables with Delta > 0."""
    for a, b, c, d in all_tables(n).tolist():
        delta = a * d - b * c
        if delta <= 0:
            continue
        w = weights(a, b, c, d)
        s = sum(w)
        m = sum(i * x for i, x in enumerate(w)) / s
        v = sum(i * i * x for i, x in enumerate(w)) / s
        assert s == a * d / (delta + n * m)
        assert (delta + b + c) * m + (n - 1) * v == b * c
        assert m * m <= v <= m + 2 * m * m
        least, most = _bracket(a, b, c, d)
        assert Fraction(least) * (1 - Fraction(1, 2**45)) <= s <= Fraction(most) * (1 + Fraction(1, 2**45))


@given(st.tuples(*[st.integers(0, 400)] * 4).filter(lambda table: table[0] * table[3] > table[1] * table[2]))
def test_compiled_and_counted_tails_agree(table: Table) -> None:
    """At thresholds just beside the tail itself, and at the tail, where doubles must not tell."""
    exact = tail(*table)
    if not Fraction(1, 10**250) <= exact <= Fraction(3, 20):
        return
    assert says(exact, table) == UNDECIDED
    for part in (Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 2)):
        assert says(exact * (1 + part), table) == 1
        assert says(exact * (1 - part), table) == 0


@pytest.mark.parametrize("quarter", [40, 1_000, 100_000])
def test_tails_of_large_tables_agree(quarter: int) -> None:
    """P(X >= a) about 3e-5, its sum in doubles: all terms are above 0."""
    off = 2 * isqrt(quarter)
    a, b, c, d = table = quarter + off, quarter - off, quarter - off, quarter + off
    total, weight = 0.0, 1.0
    while weight > 1e-20:
        total, weight = total + weight, weight * (b * c) / ((a + 1) * (d + 1))
        a, b, c, d = a + 1, b - 1, c - 1, d + 1
    with mpmath.workprec(300):
        a, b, c, d = table
        logs = [mpmath.loggamma(x + 1) for x in (a + b, c + d, a + c, b + d, a, b, c, d, a + b + c + d)]
        found = mpmath.exp(sum(logs[:4]) - sum(logs[4:])) * total
        exact = Fraction(int(found * mpmath.mpf(2) ** 200), 2**200)
    assert says(exact, table) == UNDECIDED
    assert says(exact * Fraction(1_000_001, 1_000_000), table) == 1
    assert says(exact * Fraction(999_999, 1_000_000), table) == 0


def test_a_wrong_bracket_would_be_noticed() -> None:
    """Without the second term of v <= m + 2 m^2 the upper bound falls below the sum."""
    a, b, c, d = 300, 200, 180, 320
    s, n, delta = sum(weights(a, b, c, d)), 1000, a * d - b * c
    wrong = Fraction(2 * b * c) / (delta + b + c + n - 1) / 2
    assert a * d / (delta + n * wrong) < s


def test_exp_is_within_its_error() -> None:
    with mpmath.workprec(200):
        for y in [0.0, 1e-9, 0.3465, 0.3466, 1.0, 13.7, 100.25, 575.6, 650.0, *np.linspace(0, 690, 500).tolist()]:
            assert abs(mpmath.mpf(_exp(y)) / mpmath.exp(mpmath.mpf(y)) - 1) < 2.0**-42


@pytest.mark.parametrize(("people", "p"), [(1_138, "5e-7"), (500_000, "5e-7"), (500_000, "0.05"), (3_000_000, "5e-8")])
def test_doubles_leave_hardly_anything_open(people: int, p: str) -> None:
    numbers = np.random.default_rng(people)
    share = numbers.uniform(0.05, 0.75, 2_000)
    cases, controls = numbers.binomial(people // 2, share), numbers.binomial(people - people // 2, share)
    tables = np.column_stack((cases, people // 2 - cases, controls, people - people // 2 - controls))
    found = np.empty(len(tables), dtype=np.int64)
    distances(of_test("fisher", threshold_p(p), people).kernel, tables, found)
    assert (found == OPEN).sum() <= 1
