"""The certified tails: each enclosure against a slow twin, and where one form hands over to another."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions import tails
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.tails import NARROW, WIDE, tail_ball
from starling.privacy.precision import precision

rationals = st.fractions(min_value=Fraction(1, 5), max_value=30, max_denominator=50)


def twin_sum(distribution: Distribution, terms: int, reach: int) -> dict[int, mpmath.mpf]:
    """The distribution of the sum by convolution, with draws cut at `reach`."""
    one: dict[int, mpmath.mpf] = {}
    for x in range(-reach, reach + 1):
        if isinstance(distribution, DiscreteLaplace):
            one[x] = mpmath.exp(-mpmath.mpf(abs(x)) * distribution.scale.denominator / distribution.scale.numerator)
        else:
            t = mpmath.mpf(distribution.sigma_squared.denominator) / (2 * distribution.sigma_squared.numerator)
            one[x] = mpmath.exp(-t * x * x)
    total = mpmath.fsum(one.values())
    whole = {0: mpmath.mpf(1)}
    for _ in range(terms):
        longer: dict[int, mpmath.mpf] = {}
        for s, p in whole.items():
            for x, q in one.items():
                longer[s + x] = longer.get(s + x, mpmath.mpf(0)) + p * q / total
        whole = longer
    return whole


@pytest.mark.series(3)
@pytest.mark.parametrize(
    ("distribution", "reach"),
    [
        (DiscreteLaplace(Fraction(1, 3)), 20),
        (DiscreteLaplace(Fraction(3, 2)), 60),
        (DiscreteGaussian(Fraction(1, 5)), 8),
        (DiscreteGaussian(Fraction(7, 2)), 22),
        (DiscreteGaussian(Fraction(9, 2)), 24),
    ],
)
@pytest.mark.parametrize("terms", [1, 2, 3])
def test_the_tail_of_a_sum_encloses_the_convolution(distribution: Distribution, reach: int, terms: int) -> None:
    with mpmath.workdps(40):
        twin = twin_sum(distribution, terms, reach)
        for m in (0, 1, 2, 5, 9):
            expected = mpmath.fsum(p for s, p in twin.items() if abs(s) > m)
            with precision(128):
                found = tail_ball(distribution, m, terms)
            low, high = (mpmath.mpf(str(end.str(40, radius=False))) for end in (found.lower(), found.upper()))
            slack = mpmath.mpf(10) ** -14
            assert low - slack <= expected <= high + slack
            assert high - low <= mpmath.mpf(10) ** -15


@pytest.mark.examples(20)
@given(rationals, st.integers(0, 400))
def test_one_geometric_draw_has_the_closed_form(scale: Fraction, m: int) -> None:
    with precision(128):
        q = (-tails.ball(1 / scale)).exp()
        assert tail_ball(DiscreteLaplace(scale), m, 1).overlaps(2 * q ** (m + 1) / (1 + q))


@pytest.mark.examples(20)
@given(st.integers(1, 12), st.integers(0, 40))
def test_the_geometric_sum_is_the_difference_of_negative_binomials(terms: int, m: int) -> None:
    """The module's argument, checked at q = 1/2, where all is rational: by the double sum over both negative binomials."""
    half, cut = Fraction(1, 2), 200
    counts = [comb(n + terms - 1, terms - 1) * half ** (n + terms) for n in range(cut)]
    above = [Fraction(0)] * (cut + 1)
    for n in reversed(range(cut)):
        above[n] = above[n + 1] + counts[n]
    direct = sum((counts[b] * above[b + m + 1] for b in range(cut - m - 1)), Fraction(0))
    few = [sum((comb(m + terms, j) * half ** (m + terms) for j in range(terms - r)), Fraction(0)) for r in range(terms)]
    form = sum(
        (comb(terms - 1 + r, r) * half**r / (1 + half) ** (terms + r) * few[r] for r in range(terms)),
        Fraction(0),
    )
    assert abs(direct - form) < Fraction(1, 10**25)


@pytest.mark.parametrize("m", [0, 100, 1000, 2048, 4014, 10_000, 20_000])
def test_the_bounds_of_a_wide_law_enclose_its_sum(m: int) -> None:
    with precision(128):
        t = tails.ball(1 / (2 * WIDE))
        summed = 2 * tails._half_sum(t, m + 1, 96) / tails.whole_sum(t, 96)
        bounds = tail_ball(DiscreteGaussian(WIDE), m, 1)
        assert bounds.contains(summed)
        assert bounds.upper() / summed < 1 + arb(10) ** -4


@pytest.mark.series(2)
@pytest.mark.parametrize("terms", [2, 8, 46, 300])
@pytest.mark.parametrize("m", [0, 3, 20, 60])
def test_narrow_and_wide_sums_agree_at_the_border(terms: int, m: int) -> None:
    with precision(128):
        narrow, beyond = tails._narrow(NARROW, terms)
        by_convolution = narrow[m] if m < len(narrow) else beyond
        wide = tail_ball(DiscreteGaussian(NARROW), m, terms)
        assert wide.overlaps(by_convolution)
        assert wide.rad() <= wide.mid() * arb(10) ** -12


def test_the_tail_beyond_every_kept_draw_is_what_was_cut() -> None:
    distribution = DiscreteGaussian(Fraction(1, 2))
    with precision(128):
        beyond = tail_ball(distribution, 10**6, 3)
        assert beyond.contains(0)
        assert beyond.upper() < arb(10) ** -40


def test_a_tail_in_the_deep_is_still_enclosed() -> None:
    with precision(128):
        deep = tail_ball(DiscreteGaussian(Fraction(100)), 400, 1)
        assert 0 < deep.upper() < arb(10) ** -340
