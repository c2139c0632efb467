"""Budgets over levels: exact sums, short numbers, proportions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.mechanism.ladders import GRAIN, cube_root, remainders, shares


@pytest.mark.examples(15)
@given(
    st.fractions(Fraction(1, 10**6), 10),
    st.lists(st.fractions(Fraction(1, 100), 100), min_size=1, max_size=20),
)
def test_shares_add_up_exactly_and_are_in_proportion(amount: Fraction, weights: list[Fraction]) -> None:
    result = shares(amount, weights)
    assert sum(result) == amount
    for share, weight in zip(result, weights, strict=True):
        assert (share / amount * GRAIN).denominator == 1
        assert abs(share / amount - weight / sum(weights)) <= Fraction(len(weights), GRAIN)
    assert remainders(result)[0] + result[0] == amount
    assert remainders(result)[-1] == 0


@given(st.integers(0, 4**16))
def test_a_cube_root_is_the_largest_that_is_not_above_it(number: int) -> None:
    root = cube_root(number)
    assert root**3 <= number < (root + Fraction(1, 1 << 60)) ** 3
    assert float(root) == pytest.approx(number ** (1 / 3))
