"""Sums over packed calls, beside whole numbers of any size."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.adjusted.sums import (
    BYTES,
    FEW,
    ROWS,
    call_counts,
    coded,
    on_grid,
    padded,
    sums_over_people,
    sums_with_means,
)
from starling.genome.source.calls import copies
from tests.genome.residuals import as_calls


@pytest.mark.parametrize("second", [False, True])
def test_sums_are_exact(second: bool) -> None:
    """Of more SNPs and people than are unpacked at once, against fractions."""
    random = np.random.default_rng(1)
    snps, people = ROWS + 2, 4 * BYTES + 3
    carried = random.integers(-1, 3, size=(snps, people)).astype(np.int8)
    weights = on_grid(random.normal(size=(5, people)) * np.array([[1], [1e9], [1e-9], [3], [0]]), people)
    calls = as_calls(carried, second)
    found = sums_over_people(calls.packed, coded(calls, np.tile([0.0, 1.0, 2.0, 0.0], (snps, 1))), padded(weights))
    exact = [[Fraction(each) for each in row] for row in weights.tolist()]
    for snp in (0, 1, ROWS - 1, ROWS, snps - 1):
        for at, row in enumerate(exact):
            each = sum(w * max(0, number) for w, number in zip(row, carried[snp].tolist(), strict=True))
            assert Fraction(found[snp, at]) == each
    assert not found[:, 5:].any()


@pytest.mark.parametrize("share", [0.0, FEW / 4, FEW * 4])
def test_missing_calls_are_means_however_many_they_are(share: float) -> None:
    """Few are looked up one by one, many are summed as the others are; against sums of unpacked numbers, on a coarse grid."""
    random = np.random.default_rng(2)
    snps, people = 5, 4 * BYTES + 3
    carried = np.where(random.random((snps, people)) < share, -1, random.integers(0, 3, (snps, people))).astype(np.int8)
    carried[-1] = 1
    calls, means = as_calls(carried, second=False), random.integers(0, 8, snps) / 4
    weights = random.integers(-99, 100, (5, people)) / 8
    values = np.tile([0.0, 1.0, 2.0], (snps, 1))
    found = sums_with_means(calls, call_counts(calls, people), values, means, padded(weights))
    filled = np.where(carried < 0, means[:, np.newaxis], carried)
    assert found[:, :5].tolist() == (filled[:, np.newaxis] * weights).sum(axis=2).tolist()


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
