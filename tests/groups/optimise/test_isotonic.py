"""Monotone sequences: the slow twin, SciPy's, bounds, and pooling in place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from starling.errors import ParameterError
from starling.groups.optimise.isotonic import isotonic

VALUES = st.lists(st.integers(-50, 50), min_size=1, max_size=30)


def by_all_means(values: list[int]) -> list[float]:
    """The slow twin: entry i is the greatest, over starts at or before i, of the least mean up to an end at or after i."""
    n = len(values)
    return [max(min(sum(values[a : b + 1]) / (b - a + 1) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]


@settings(max_examples=80, deadline=None)
@given(values=VALUES)
def test_it_is_the_minimax_of_means_and_what_scipy_finds(values: list[int]) -> None:
    result = isotonic([values])[0]
    assert np.allclose(result, by_all_means(values), rtol=1e-12, atol=1e-12)
    assert np.allclose(result, isotonic_regression(values).x, rtol=1e-12, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(values=VALUES, low=st.integers(-60, 60), width=st.integers(0, 40), seed=st.integers(0, 1000))
def test_within_bounds_no_other_monotone_sequence_is_nearer(values: list[int], low: int, width: int, seed: int) -> None:
    result = isotonic([values], low, low + width)[0]
    assert (np.diff(result) >= 0).all()
    assert result.min() >= low
    assert result.max() <= low + width
    other = np.sort(np.random.default_rng(seed).uniform(low, low + width, len(values)))
    # The angle between the way to the data and the way to any other point of a convex set is never acute.
    assert np.dot(values - result, other - result) <= 1e-9 * (1 + abs(low) + width) * len(values)


def test_each_row_has_its_own_upper_bound() -> None:
    assert isotonic([[3, 1, 9], [3, 1, 9]], 0, [5, 7]).tolist() == [[2, 2, 5], [2, 2, 7]]


def test_large_magnitudes_stay_finite_and_monotone() -> None:
    values = np.random.default_rng(1).choice([-(2.0**63), 2.0**63, 0.0], (20, 400))
    result = isotonic(values, 0, 2.0**60)
    assert np.isfinite(result).all()
    assert (np.diff(result, axis=1) >= 0).all()


@pytest.mark.parametrize(("rows", "low", "high"), [([1.0], 0, 1), ([[np.nan]], 0, 1), ([[1.0]], 2, 1)])
def test_what_has_no_answer_is_refused(rows: list[object], low: float, high: float) -> None:
    with pytest.raises(ParameterError):
        isotonic(np.array(rows, dtype=np.float64), low, high)
