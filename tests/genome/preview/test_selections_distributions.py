"""Chances of selections equal the audit's exact distributions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.audit import exact
from starling.genome.preview.selections import all_found, chances

SCORES = st.lists(st.integers(-9, 9), min_size=1, max_size=7)
EPSILONS = st.fractions(Fraction(1, 10), 4, max_denominator=10)


@pytest.mark.examples(33)
@given(SCORES, EPSILONS)
@pytest.mark.parametrize("selection", ["exponential", "permute-and-flip"])
def test_chances_are_those_of_the_audit(selection: Any, scores: list[int], epsilon: Fraction) -> None:
    distribution = (
        exact.exponential_distribution(scores, epsilon)
        if selection == "exponential"
        else exact.permute_and_flip_distribution(scores, epsilon)
    )
    wanted = {place if isinstance(place, int) else place[0]: float(chance) for place, chance in distribution.items()}
    found = chances(np.array(scores), float(epsilon), selection)
    assert found.tolist() == pytest.approx([wanted.get(place, 0.0) for place in range(len(scores))], abs=1e-12)


def test_many_candidates_add_up_to_one() -> None:
    scores = np.arange(-300, 1)
    for selection in ("exponential", "permute-and-flip"):
        assert chances(scores, 0.1, selection).sum() == pytest.approx(1)


@pytest.mark.examples(20)
@given(st.integers(0, 6), st.lists(st.integers(-6, 6), min_size=1, max_size=3), st.integers(1, 2), EPSILONS)
def test_all_are_found_as_often_as_top_k_takes_them(beyond: int, others: list[int], k: int, epsilon: Fraction) -> None:
    distribution = exact.exponential_distribution([beyond] * k + others, epsilon, k=k)
    wanted = sum(float(chance) for places, chance in distribution.items() if set(places) == set(range(k)))
    found = all_found(beyond, k, np.array(others, dtype=float), np.ones(len(others), dtype=np.int64), float(epsilon))
    assert found == pytest.approx(wanted, abs=1e-12)


def test_groups_count_as_often_as_they_are() -> None:
    alone = all_found(3, 2, np.array([1.0, 1.0, -2.0]), np.ones(3, dtype=np.int64), 1.0)
    assert all_found(3, 2, np.array([1.0, -2.0]), np.array([2, 1]), 1.0) == pytest.approx(alone)
    assert all_found(0, 2, np.empty(0), np.empty(0, dtype=np.int64), 1.0) == 1
