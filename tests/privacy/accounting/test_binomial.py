"""Exact composition of pure events: against enumeration, and against the mechanism itself."""

from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.accounting.binomial import MOST_ATOMS, Atoms, atoms
from starling.privacy.accounting.composition import Events
from starling.privacy.events import DiscreteGaussianNoise, PureDP

rates = st.fractions(min_value=Fraction(1, 50), max_value=3, max_denominator=60)


def pure(*amounts: Fraction) -> Events:
    return frozenset(Counter(PureDP(amount) for amount in amounts).items())


def known(events: Events) -> Atoms:
    found = atoms(events)
    assert found is not None
    return found


def enumerated(amounts: list[Fraction], epsilon: float) -> mpmath.mpf:
    """Slow twin: the hockey-stick divergence over all 2^k outputs of binary randomized response, as a sum over single outputs."""
    with mpmath.workdps(40):
        total = mpmath.mpf(0)
        for signs in product((1, -1), repeat=len(amounts)):
            p = q = mpmath.mpf(1)
            for sign, amount in zip(signs, amounts, strict=True):
                likely = 1 / (1 + mpmath.exp(-mpmath.mpf(amount.numerator) / amount.denominator))
                p *= likely if sign > 0 else 1 - likely
                q *= 1 - likely if sign > 0 else likely
            total += max(p - mpmath.exp(epsilon) * q, mpmath.mpf(0))
        return total


@pytest.mark.examples(33)
@given(st.lists(rates, min_size=1, max_size=6), st.floats(0, 6))
def test_delta_is_the_enumeration_rounded_up(amounts: list[Fraction], epsilon: float) -> None:
    exactly = enumerated(amounts, epsilon)
    assert exactly <= known(pure(*amounts)).delta(epsilon) <= float(exactly) * (1 + 1e-8) + 1e-10


@pytest.mark.examples(33)
@given(st.lists(rates, min_size=1, max_size=6), st.floats(1e-9, 0.5))
def test_epsilon_is_the_smallest_rounded_up(amounts: list[Fraction], delta: float) -> None:
    epsilon = known(pure(*amounts)).epsilon(delta)
    assert enumerated(amounts, epsilon) <= delta
    assert epsilon == 0 or enumerated(amounts, max(epsilon - 1e-8, 0)) > delta * (1 - 1e-6)


@pytest.mark.examples(30)
@given(st.fractions(min_value=Fraction(1, 20), max_value=2, max_denominator=40), st.floats(0, 2))
def test_one_event_is_the_discrete_laplace_itself(rate: Fraction, epsilon: float) -> None:
    """At sensitivity 1 the loss has two values, so randomized response is not a bound but the mechanism."""
    x = np.arange(-2000, 2001)
    p, q = (np.exp(-float(rate) * np.abs(x - shift)) * np.tanh(float(rate) / 2) for shift in (0, 1))
    set_form = np.maximum(p - np.exp(epsilon) * q, 0).sum()
    assert known(pure(rate)).delta(epsilon) == pytest.approx(set_form, rel=1e-6, abs=1e-9)


def test_equal_events_are_one_binomial() -> None:
    assert len(known(frozenset({(PureDP(Fraction(1, 2)), 18)})).losses) == 9
    losses = known(pure(Fraction(1, 2), Fraction(1, 3))).losses
    assert sorted(losses) == pytest.approx([1 / 6, 5 / 6])


def test_many_events_are_still_exact() -> None:
    """A thousand events of 1/100: the loss is 0.01 (2 K - 1000), K binomial."""
    with mpmath.workdps(40):
        likely = 1 / (1 + mpmath.exp(mpmath.mpf(-1) / 100))
        exactly = mpmath.fsum(
            mpmath.binomial(1000, k)
            * likely**k
            * (1 - likely) ** (1000 - k)
            * (1 - mpmath.exp(2 - mpmath.mpf(2 * k - 1000) / 100))
            for k in range(601, 1001)
        )
    found = known(frozenset({(PureDP(Fraction(1, 100)), 1000)})).delta(2.0)
    assert exactly <= found <= exactly * (1 + mpmath.mpf(10) ** -6)


def test_what_is_not_pure_or_too_much_is_left_to_others() -> None:
    assert atoms(frozenset({(DiscreteGaussianNoise(Fraction(1)), 1)})) is None
    assert atoms(pure(*(Fraction(1, k) for k in range(1, 21)))) is not None
    assert atoms(pure(*(Fraction(1, k) for k in range(1, 22)))) is None
    assert atoms(frozenset({(PureDP(Fraction(1)), MOST_ATOMS)})) is None


def test_a_delta_that_nothing_exceeds_needs_no_epsilon() -> None:
    assert known(pure(Fraction(1, 10))).epsilon(0.5) == 0
