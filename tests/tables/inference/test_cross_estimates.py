"""Published cross tables: exact without noise, the dense least squares with it, and equal wherever two of them say the same."""

from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.inference.cross_estimates import FINEST, cross_estimates, deviations
from starling.tables.measurements import Int64
from starling.tables.plan.residuals import Shape, Shares, noise
from tests.tables.dense_tables import Floats, covariance, leaves, marginal, residual, shared


def measured(shape: Shape, cells: Int64, seed: int | None) -> list[tuple[int, int, Int64]]:
    """Residuals of the counts of all cells in the finest regions, (regions, cells); with whole numbers added where there is a seed."""
    random = np.random.default_rng(seed)
    rows = []
    for level, inside in enumerate(leaves(shape)):
        for place, part in enumerate(shape.parts):
            exact = (inside.astype(np.int64) @ cells) @ residual(shape.sizes, part).T
            extra = 0 if seed is None else random.integers(-40, 41, exact.shape)
            rows.append((level, place, exact + extra))
    return rows


def counts(shape: Shape, seed: int) -> Int64:
    return np.random.default_rng(seed).integers(0, 50, (shape.regions[-1], prod(shape.sizes)))


@pytest.mark.examples(15)
@given(shared(), st.integers(0, 2**32))
def test_without_noise_the_estimates_are_the_counts(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    cells = counts(shape, seed)
    estimates = cross_estimates(shape, shares, measured(shape, cells, None))
    for level, inside in enumerate(leaves(shape)):
        for table in shape.tables:
            exact = (inside.astype(np.int64) @ cells) @ marginal(shape.sizes, table).T
            assert np.abs(estimates.counts(level, table).reshape(exact.shape) - exact).max() < 1e-4


@pytest.mark.examples(15)
@given(shared(), st.integers(0, 2**32))
def test_they_are_those_of_dense_least_squares(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    rows = measured(shape, counts(shape, seed), seed)
    right = np.zeros(shape.regions[-1] * prod(shape.sizes))
    for level, place, numbers in rows:
        part = shape.parts[place]
        matrix = np.kron(leaves(shape)[level], residual(shape.sizes, part))
        right += matrix.T @ numbers.ravel() / float(noise(shape, part, shares[level][place]).sigma_squared)
    best = covariance(shape, shares) @ right
    estimates = cross_estimates(shape, shares, rows)
    for level, inside in enumerate(leaves(shape)):
        for table in shape.tables:
            dense = np.kron(inside, marginal(shape.sizes, table)) @ best
            assert estimates.counts(level, table).ravel() == pytest.approx(dense, abs=1e-3)


@pytest.mark.examples(25)
@given(shared(), st.integers(0, 2**32))
def test_no_two_tables_say_different_things(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    estimates = cross_estimates(shape, shares, measured(shape, counts(shape, seed), seed))
    for level in range(len(shape.regions)):
        for one, other in combinations(shape.tables, 2):
            both = set(one) & set(other)
            sums: list[Floats] = []
            for table in (one, other):
                # In doubles, added one after the other as a spreadsheet does.
                values = np.moveaxis(
                    estimates.counts(level, table), [1 + table.index(c) for c in sorted(both)], range(1, 1 + len(both))
                )
                values = values.reshape(*values.shape[: 1 + len(both)], -1)
                sums.append(np.cumsum(values, axis=-1)[..., -1])
            assert np.array_equal(sums[0], sums[1])
        if level:
            for table in shape.tables:
                above = np.zeros_like(estimates.counts(level - 1, table))
                for child, parent in enumerate(shape.parents[level - 1]):
                    above[parent] += estimates.counts(level, table)[child]
                assert np.array_equal(above, estimates.counts(level - 1, table))


def test_very_large_numbers_get_a_coarser_unit() -> None:
    shape = Shape((2, 3), ((), (0,), (0, 1)))
    shares: Shares = ((Fraction(1),) * 4,)
    cells = np.full((1, 6), 2**36, dtype=np.int64)
    estimates = cross_estimates(shape, shares, measured(shape, cells, 1))
    assert estimates.bits < FINEST
    assert np.abs(estimates.tables[0][0, 1]).sum() < 2**52
    assert estimates.counts(0, ()) == pytest.approx(6 * 2**36, abs=41)


@pytest.mark.examples(15)
@given(shared(), st.integers(1, 3))
def test_deviations_are_those_of_each_region(case: tuple[Shape, Shares], records: int) -> None:
    shape, shares = case
    spread = covariance(shape, shares)
    for inside, level in zip(leaves(shape), deviations(shape, shares, records), strict=True):
        for at, table in enumerate(shape.tables):
            query = np.kron(inside, marginal(shape.sizes, table))
            dense = np.einsum("ij,jk,ik->i", query, spread, query).reshape(len(inside), -1)
            assert np.sqrt(dense) * records == pytest.approx(np.tile(level[:, at : at + 1], dense.shape[1]), rel=1e-7)
