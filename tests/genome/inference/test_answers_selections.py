"""The error statement of a selection: attained by the worst scores, kept by all others, below the published bound."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.audit import exact
from starling.errors import ParameterError
from starling.genome.inference.answers import SelectionError


def missed(scores: list[int], epsilon: Fraction, patients: int, *, flip: bool = False) -> float:
    """P(more than `patients` below the best), exactly."""
    best = max(scores)
    distribution = (
        exact.permute_and_flip_distribution(scores, epsilon)
        if flip
        else exact.exponential_distribution(scores, epsilon)
    )
    places = {place if isinstance(place, int) else place[0]: float(chance) for place, chance in distribution.items()}
    return sum(chance for place, chance in places.items() if best - scores[place] > patients)


@given(
    st.lists(st.integers(-12, 12), min_size=1, max_size=7),
    st.fractions(Fraction(1, 10), 4, max_denominator=10),
    st.integers(0, 15),
)
def test_no_scores_are_missed_by_more(scores: list[int], epsilon: Fraction, patients: int) -> None:
    """Theorem 6, and the sharper bound below it."""
    bound = SelectionError(len(scores), epsilon).beyond(patients)
    assert missed(scores, epsilon, patients) <= bound + 1e-12
    assert missed(scores, epsilon, patients, flip=True) <= bound + 1e-12
    assert bound <= len(scores) * exp(-float(epsilon) * patients / 2) + 1e-12


@pytest.mark.parametrize("patients", [0, 1, 5])
def test_the_worst_scores_attain_it(patients: int) -> None:
    scores = [0] + [-(patients + 1)] * 4
    assert missed(scores, Fraction(1), patients) == pytest.approx(SelectionError(5, Fraction(1)).beyond(patients))
    # A statement for twice the epsilon would be false.
    assert missed(scores, Fraction(1), patients) > SelectionError(5, Fraction(2)).beyond(patients) + 1e-3


@given(st.integers(1, 10**6), st.fractions(Fraction(1, 20), 5, max_denominator=20), st.integers(1, 10))
def test_within_is_the_fewest(candidates: int, epsilon: Fraction, rounds: int) -> None:
    error = SelectionError(candidates, epsilon, rounds)
    fewest = error.within(Fraction(1, 20))
    assert error.beyond(fewest) <= 0.05 / rounds
    assert fewest == 0 or error.beyond(fewest - 1) > 0.05 / rounds


def test_each_round_keeps_it_as_well() -> None:
    """Top-2 of 4: the second pick against the best that was left."""
    scores = [4, 1, 0, -3]
    distribution = exact.exponential_distribution(scores, Fraction(2), k=2)
    left = sum(
        float(chance)
        for (first, second), chance in distribution.items()
        if max(np.delete(scores, first)) - scores[second] > 1
    )
    assert left <= SelectionError(4, Fraction(2), 2).beyond(1)


def test_bad_numbers_are_refused() -> None:
    error = SelectionError(5, Fraction(1))
    with pytest.raises(ParameterError, match="patients"):
        error.beyond(-1)
    with pytest.raises(ParameterError, match="alpha"):
        error.within(Fraction(1))
