"""Sums over packed calls, beside whole numbers of any size."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.adjusted import Coding
from starling.genome.adjusted.sums import BYTES, Weights, call_counts, coded, on_grid, sums_with_means
from starling.genome.source.calls import Calls, copies, packed
from tests.genome.residuals import CODED, as_calls


@pytest.mark.parametrize("coding", CODED)
def test_sums_are_exact(coding: Coding) -> None:
    """Of alleles either way round and turned or not, with missing calls by a mean, and of squares: against fractions."""
    random = np.random.default_rng(1)
    people, snps = 4 * BYTES + 3, 8
    carried = random.integers(-1, 3, size=(snps, people)).astype(np.int8)
    rows = on_grid(random.normal(size=(4, people)) * np.array([[1], [1e9], [1e-9], [3]]), 2 * people)
    weights = Weights.of((*rows, rows[3]), 5, people, squares=4)
    second, turned = np.arange(snps) % 2 > 0, np.arange(snps) % 4 > 1
    numbers = np.where(second[:, np.newaxis] & (carried >= 0), 2 - carried, carried).astype(np.int8)
    values = np.where(turned[:, np.newaxis], CODED[coding][2] - np.array(CODED[coding]), CODED[coding]).astype(float)
    means = random.integers(0, 8, snps) / 4
    found = sums_with_means(Calls(np.arange(snps), packed(numbers), second), values, means, weights)
    assert found.shape == (snps, 8)
    for snp, row in enumerate(carried.tolist()):
        stands = [Fraction(values[snp, copies] if copies >= 0 else means[snp]) for copies in row]
        for at, each in enumerate((*rows, rows[3])):
            exact = sum(n ** (2 if at == 4 else 1) * Fraction(w) for n, w in zip(stands, each.tolist(), strict=True))
            # A mean makes a sum that need not be on the grid: it is rounded once or twice.
            assert abs(Fraction(found[snp, at]) - exact) <= 2.0**-50 * np.abs(each).sum() * 4
            called = sum(n * Fraction(w) for n, w, c in zip(stands, each.tolist(), row, strict=True) if c >= 0)
            missing = sum(Fraction(w) for w, c in zip(each.tolist(), row, strict=True) if c < 0)
            if at < 4:
                assert found[snp, at] == float(called) + float(means[snp]) * float(missing)


@pytest.mark.examples(40)
@given(st.integers(1, 2**26), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_the_largest_sum_is_exact_on_a_grid(terms: int, values: list[float]) -> None:
    grid = on_grid(np.array([values]), terms)
    largest = float(np.abs(grid).max())
    steps = [Fraction(each) for each in grid[0].tolist() if each]
    if steps:
        # Half of the step: the sum is then a whole number of steps below 2^53.
        step = Fraction(2) ** (int(np.frexp(np.abs(values).max())[1]) - (51 - terms.bit_length()))
        assert all((each / step).denominator == 1 for each in steps)
        assert 2 * terms * Fraction(largest) / step <= 2**53
        assert np.allclose(grid, values, rtol=0, atol=float(step))


@pytest.mark.parametrize("second", [False, True])
def test_counts_of_calls(second: bool) -> None:
    carried = np.array([[0, 1, 2, -1, 2], [-1] * 5, [1, 1, 0, 0, 0]], dtype=np.int8)
    found = call_counts(as_calls(carried, second), 5)
    assert found.counts.tolist() == [[1, 1, 2, 1], [0, 0, 0, 5], [3, 2, 0, 0]]
    assert found.calls.tolist() == [4, 0, 5]
    assert found.frequencies.tolist() == [5 / 8, 0, 2 / 10]


def test_codes_are_those_of_the_format() -> None:
    calls = as_calls(np.array([[2, -1, 1, 0]], dtype=np.int8))
    values = coded(calls, np.array([[10.0, 11.0, 12.0, 13.0]]))
    assert copies(calls.packed, 4).tolist() == [[2, -1, 1, 0]]
    assert values.tolist() == [[12, 13, 11, 10]]
