"""How far a selection may be off: found by halving, whatever it costs and however many there are to choose from."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from starling.genome.inference.answers import SelectionError
from tests.privacy.distributions.test_accuracy_searches import ALPHAS, powers
from tests.stepping import at_most


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 10**9), powers(-30, 6), st.integers(1, 1000), ALPHAS)
def test_the_fewest_patients_are_found_in_few_steps(
    candidates: int, epsilon: Fraction, rounds: int, alpha: Fraction
) -> None:
    error = SelectionError(candidates, epsilon, rounds)
    with at_most(20_000):
        patients = error.within(alpha)
    assert error.beyond(patients) <= float(alpha / rounds)
    assert patients == 0 or error.beyond(patients - 1) > float(alpha / rounds)
