"""The procedure of Benjamini and Hochberg, from its definition, and what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.earlier.pairs import benjamini_hochberg

LEVEL = 0.05


@given(p_values=st.lists(st.floats(1e-12, 1), max_size=40))
def test_it_is_the_largest_number_that_its_definition_allows(p_values: list[float]) -> None:
    tests = len(p_values)
    ordered = sorted(p_values)
    expected = max((rank for rank in range(1, tests + 1) if ordered[rank - 1] <= LEVEL * rank / tests), default=0)
    small = np.array([value for value in p_values if value <= LEVEL])
    count, limit = benjamini_hochberg(small, tests, LEVEL)
    assert count == expected
    # What is told is what has a p-value up to the limit.
    assert sum(value <= limit for value in p_values) == expected
    assert limit == pytest.approx(LEVEL * expected / max(tests, 1))


@pytest.mark.statistical
def test_of_what_is_told_few_are_equal_in_truth() -> None:
    """400 rounds of 200 independent comparisons, 20 of them real: the mean share of false ones is at most 5 %. Its standard error
    is below 0.4 %, so that a true 5 % alarms with a chance below one in 10,000; telling all p-values up to 5 % gives over 25 %."""
    rng = np.random.default_rng(11)
    shares: list[float] = []
    naive: list[float] = []
    for _ in range(400):
        p_values = rng.random(200)
        p_values[:20] = rng.random(20) * 1e-6
        _, limit = benjamini_hochberg(p_values[p_values <= LEVEL], 200, LEVEL)
        for bound, result in ((limit, shares), (LEVEL, naive)):
            chosen = np.flatnonzero(p_values <= bound)
            result.append(float((chosen >= 20).sum() / max(len(chosen), 1)))
    assert np.mean(shares) < 0.05 + 4 * 0.004
    assert np.mean(naive) > 0.25
