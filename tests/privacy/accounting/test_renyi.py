"""Renyi divergences and their conversion: against sums over all values, and the paper's Lemma 8 below the truth (rows 8, 11, 13, 15)."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from bench.safetab import printed_lemma_8
from starling.privacy.accounting import renyi
from starling.privacy.accounting.composition import Accounted, Events, OverlappingEvents
from starling.privacy.events import ZCDP, DiscreteGaussianNoise, PureDP
from starling.privacy.precision import precision
from tests.privacy.safetab import exact_divergence, printed_conversion

orders = st.fractions(min_value=Fraction(101, 100), max_value=256, max_denominator=100)
rates = st.fractions(min_value=Fraction(1, 100), max_value=4, max_denominator=100)


def one(event: Accounted, times: int = 1) -> Events:
    return frozenset({(event, times)})


def divergence(event: Accounted, order: Fraction) -> float:
    with precision(128):
        return float(renyi.divergence(one(event), order))


def summed(log_weights: "np.ndarray[tuple[int], np.dtype[np.float64]]", order: float, *, reverse: bool) -> float:
    """Slow twin: D_order between a distribution on integers and itself moved by 1, in either direction."""
    log_p, log_q = log_weights[1:], log_weights[:-1]
    if reverse:
        log_p, log_q = log_q, log_p
    exponents = order * log_p + (1 - order) * log_q
    largest = exponents.max()
    return float(largest + np.log(np.exp(exponents - largest).sum())) / (order - 1)


@pytest.mark.examples(33)
@given(orders, rates)
@pytest.mark.parametrize("reverse", [False, True])
def test_the_geometric_divergence_is_the_sum_over_integers(reverse: bool, order: Fraction, rate: Fraction) -> None:
    x = np.arange(-4000, 4001)
    log_weights = -float(rate) * np.abs(x) + log(np.tanh(float(rate) / 2))
    found = divergence(PureDP(rate), order)
    assert found == pytest.approx(summed(log_weights, float(order), reverse=reverse), rel=1e-9, abs=1e-12)
    assert found == pytest.approx(exact_divergence(float(order), float(rate)), rel=1e-9, abs=1e-12)


@given(st.floats(1.001, 60), st.floats(0.01, 4))
def test_the_printed_lemma_8_is_below_the_truth_everywhere(order: float, epsilon: float) -> None:
    """Row 15."""
    assert printed_lemma_8(order, epsilon) < exact_divergence(order, epsilon)


def test_the_printed_lemma_8_at_the_example_of_the_spec() -> None:
    """Row 15: order 2, epsilon 0.427: printed 0.1365, true 0.1698."""
    assert round(printed_lemma_8(2, 0.427), 4) == 0.1365
    assert round(divergence(PureDP(Fraction("0.427")), Fraction(2)), 4) == 0.1698


@given(
    st.fractions(min_value=1 + Fraction(1, 100), max_value=256, max_denominator=100),
    st.fractions(min_value=Fraction(1, 4), max_value=200, max_denominator=20),
)
def test_the_discrete_gaussian_is_zcdp(order: Fraction, s2: Fraction) -> None:
    """Row 8: the Renyi curve summed over the integers never exceeds rho times the order, for orders in (1, 256]."""
    reach = int(float(order) + 40 * float(s2) ** 0.5) + 5
    x = np.arange(-reach, reach + 1)
    log_weights = -(x**2) / (2 * float(s2))
    log_weights -= np.log(np.exp(log_weights).sum())
    bound = float(order / (2 * s2))
    found = max(summed(log_weights, float(order), reverse=reverse) for reverse in (False, True))
    assert found <= bound * (1 + 1e-9) + 1e-12 / (float(order) - 1)
    if order.denominator == 1:
        assert found == pytest.approx(bound, rel=1e-9)


def test_zcdp_is_linear_in_the_order() -> None:
    assert divergence(ZCDP(Fraction(1, 4)), Fraction(6)) == 1.5
    assert divergence(DiscreteGaussianNoise(Fraction(2)), Fraction(6)) == 1.5


def test_overlapping_events_count_their_worst_part_at_each_order() -> None:
    """At low orders the many small events are worse, at high orders the one large event."""
    few, many = one(PureDP(Fraction(2))), one(PureDP(Fraction(7, 10)), 20)
    overlapping = OverlappingEvents(frozenset({few, many}), 3)
    for order in (Fraction(3, 2), Fraction(200)):
        with precision(128):
            parts = [renyi.divergence(events, order) for events in (few, many)]
        assert divergence(overlapping, order) == pytest.approx(3 * max(map(float, parts)))


@pytest.mark.examples(33)
@given(st.fractions(min_value=Fraction(1, 10**4), max_value=50, max_denominator=10**4), st.integers(2, 30))
def test_the_optimum_is_no_worse_than_the_papers_grid(rho: Fraction, digits: int) -> None:
    """Row 13: the paper tries the orders 1.01, 1.02, ... 10.00."""
    delta = Fraction(1, 10**digits)
    found = float(renyi.epsilon(one(ZCDP(rho)), delta).upper())
    grid = np.arange(101, 1001) / 100
    assert (
        found <= min(printed_conversion(float(rho) * order, order, float(delta)) for order in grid) * (1 + 1e-9) + 1e-9
    )


@pytest.mark.examples(33)
@given(st.fractions(min_value=Fraction(1, 10**4), max_value=50, max_denominator=10**4), st.integers(2, 30))
def test_the_optimum_is_the_optimum(rho: Fraction, digits: int) -> None:
    delta = 10.0**-digits
    found = float(renyi.epsilon(one(ZCDP(rho)), Fraction(1, 10**digits)).mid())
    orders_tried = 1 + np.exp(np.linspace(log(1e-3), log(1e5), 2_001))
    best = np.min(
        float(rho) * orders_tried
        + np.log1p(-1 / orders_tried)
        + (log(1 / delta) - np.log(orders_tried)) / (orders_tried - 1)
    )
    assert best - 1e-3 * abs(best) - 1e-6 <= found <= best + 1e-9


def test_conversion_is_equation_6() -> None:
    found = renyi.epsilon(one(ZCDP(Fraction("1.41"))), Fraction(1, 10**10))
    nearby = [printed_conversion(1.41 * order, order, 1e-10) for order in np.linspace(4, 6, 2001)]
    assert float(found) == pytest.approx(min(nearby), abs=1e-6)
    assert isinstance(found, arb)


def test_conversion_agrees_with_the_delta_form() -> None:
    """Equation 5, of which equation 6 is the inverse."""
    order, divergence_, epsilon = 4.5, 1.2, 7.0
    delta = exp((order - 1) * (divergence_ - epsilon)) / (order - 1) * (1 - 1 / order) ** order
    assert printed_conversion(divergence_, order, delta) == pytest.approx(epsilon)
