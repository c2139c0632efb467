"""The bound on an attacker, against mechanisms whose best attack is known exactly."""

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.budget import Epsilon, Rho
from starling.privacy.guarantee import degree, measurement, sequential
from starling.privacy.laws import DiscreteGaussian, DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from starling.release.report.words import dearest, detection, percent_up, plainly

ALPHAS = st.floats(0.001, 0.5)


@given(st.floats(0.001, 20), ALPHAS)
def test_no_attack_on_gaussian_noise_beats_the_bound_for_rho(rho: float, alpha: float) -> None:
    # N(0, 1) against N(m, 1) is rho-zCDP with rho = m^2/2, and the best test at level alpha is known (Neyman, Pearson).
    exact = Rho(Fraction(rho))
    normal = NormalDist()
    power = normal.cdf(math.sqrt(2 * rho) - normal.inv_cdf(1 - alpha))
    assert power <= detection(exact.__class__(exact.amount), alpha) + 1e-12


@given(st.fractions(Fraction(1, 100), 20), ALPHAS)
def test_randomised_response_reaches_the_bound_for_epsilon(epsilon: Fraction, alpha: float) -> None:
    # Two outcomes of odds e^epsilon; the best test mixes them, and its power is the bound, nothing less.
    odds = math.exp(float(epsilon))
    likely, unlikely = odds / (1 + odds), 1 / (1 + odds)
    power = likely * alpha / unlikely if alpha <= unlikely else likely + unlikely * (alpha - unlikely) / likely
    assert detection(Epsilon(epsilon), alpha) == pytest.approx(power)


@given(st.fractions(0, 30), ALPHAS)
def test_the_bound_grows_from_blind_guessing_to_certainty(amount: Fraction, alpha: float) -> None:
    for kind in (Epsilon, Rho):
        assert detection(kind(Fraction(0)), alpha) == pytest.approx(alpha)
        assert alpha - 1e-12 <= detection(kind(amount), alpha) <= 1
        assert detection(kind(amount), alpha) <= detection(kind(amount + 1), alpha) + 1e-12


def test_percentages_are_rounded_up() -> None:
    assert [percent_up(p) for p in (0.05, 0.0500001, 0.999, 0.99901, 1.0)] == [
        "5 %", "5.1 %", "99.9 %", "nearly 100 %", "nearly 100 %",
    ]  # fmt: skip


def test_the_dearest_measurement_is_found_in_the_tree() -> None:
    cheap = measurement("cheap", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(10)))
    dear = measurement("dear", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(2)))
    assert dearest(sequential("all", (degree("a", 9, (cheap,)), degree("b", 1, (cheap, dear))))) == dear


def test_the_words_name_unit_and_costs() -> None:
    one = measurement("one", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(50)))
    text = plainly(degree("all", 9, (one,)))
    assert "hides one person" in text
    assert "rho 0.01 at most" in text
    assert "(rho 0.09)" in text
    assert "hold a given person at all" in text
    topped = plainly(degree("all", 9, (one,)), Rho(Fraction(1)))
    assert "From everything at once, the measurements of earlier releases in it included (rho 1)" in " ".join(
        topped.split()
    )
    replaced = plainly(measurement("one", REPLACE_PERSON, DiscreteGaussian(Fraction(50))))
    assert "what a given person's data are" in replaced
