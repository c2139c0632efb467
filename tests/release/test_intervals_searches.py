"""The interval of a ratio is found in few steps, whatever the weights and the noise."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.release.intervals import Value
from tests.privacy.distributions.test_accuracy_searches import powers
from tests.stepping import at_most


@pytest.mark.slow
@pytest.mark.examples(3)
@settings(max_examples=8, deadline=None)
@given(powers(-20, 20), st.integers(1, 10**6), st.booleans())
def test_the_ends_of_a_ratio_are_found_in_few_steps(weight: Fraction, count: int, below: bool) -> None:
    """Whatever the weights: the ends are those of the plain ratio, in the other unit, as near as PRECISION says."""
    noise = DiscreteGaussian(Fraction(4))
    number = Value(Fraction(count), {"a": (noise, Fraction(1))})
    divisor = Value(Fraction(10**6), {"b": (noise, Fraction(1))})
    with at_most(500_000):
        ratio = number.ratio(divisor.times(weight)) if below else number.times(weight).ratio(divisor)
    plain, factor = number.ratio(divisor), float(1 / weight if below else weight)
    for end, other in ((ratio.lower, plain.lower), (ratio.upper, plain.upper)):
        assert abs(end / factor - other) <= 1e-3 * (plain.upper - plain.lower)
