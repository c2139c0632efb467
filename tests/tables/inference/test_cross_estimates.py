"""Published cross tables: exact without noise, the dense least squares with it, and equal wherever two of them say the same."""

from fractions import Fraction
from itertools import combinations
from math import prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.sampling.noise import draw
from starling.tables.inference.cross_estimates import FINEST, cross_estimates, deviations
from starling.tables.measurements import Int64
from starling.tables.plan.best_families import divided
from starling.tables.plan.cell_margins import deviations_by_draw, largest_draw_of_cell
from starling.tables.plan.residuals import Shape, Shares
from tests.tables.dense_tables import (
    Floats,
    covariance,
    leaves,
    marginal,
    measured_rows,
    shared_in_any_measure,
    up_to,
    variance,
)


def measured(shape: Shape, shares: Shares, cells: Int64, seed: int | None) -> list[tuple[int, int, Int64]]:
    """What is measured of the counts of all cells in the finest regions, (regions, cells), and whole numbers where there is a seed."""
    random = np.random.default_rng(seed)
    rows = []
    for level, inside in enumerate(leaves(shape)):
        for place, part in enumerate(shape.parts):
            if not shares[level][place]:
                continue
            exact = (inside.astype(np.int64) @ cells) @ measured_rows(shape, part).T
            extra = 0 if seed is None else random.integers(-40, 41, exact.shape)
            rows.append((level, place, exact + extra))
    return rows


def counts(shape: Shape, seed: int) -> Int64:
    return np.random.default_rng(seed).integers(0, 50, (shape.regions[-1], prod(shape.sizes)))


@pytest.mark.examples(15)
@given(shared_in_any_measure(), st.integers(0, 2**32))
def test_without_noise_the_estimates_are_the_counts(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    cells = counts(shape, seed)
    estimates = cross_estimates(shape, shares, measured(shape, shares, cells, None))
    for level, inside in enumerate(leaves(shape)):
        for table in shape.tables:
            exact = (inside.astype(np.int64) @ cells) @ marginal(shape.sizes, table).T
            assert np.abs(estimates.counts(level, table).reshape(exact.shape) - exact).max() < 1e-4


@pytest.mark.examples(15)
@given(shared_in_any_measure(), st.integers(0, 2**32))
def test_they_are_those_of_dense_least_squares(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    rows = measured(shape, shares, counts(shape, seed), seed)
    right = np.zeros(shape.regions[-1] * prod(shape.sizes))
    for level, place, numbers in rows:
        part = shape.parts[place]
        matrix = np.kron(leaves(shape)[level], measured_rows(shape, part))
        right += matrix.T @ numbers.ravel() / variance(shape, part, shares[level][place])
    best = covariance(shape, shares) @ right
    estimates = cross_estimates(shape, shares, rows)
    for level, inside in enumerate(leaves(shape)):
        for table in shape.tables:
            dense = np.kron(inside, marginal(shape.sizes, table)) @ best
            assert estimates.counts(level, table).ravel() == pytest.approx(dense, abs=1e-3)


@pytest.mark.examples(25)
@given(shared_in_any_measure(), st.integers(0, 2**32))
def test_no_two_tables_say_different_things(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    estimates = cross_estimates(shape, shares, measured(shape, shares, counts(shape, seed), seed))
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
    estimates = cross_estimates(shape, shares, measured(shape, shares, cells, 1))
    assert estimates.bits < FINEST
    assert np.abs(estimates.tables[0][0, 1]).sum() < 2**52
    assert estimates.counts(0, ()) == pytest.approx(6 * 2**36, abs=41)


@pytest.mark.examples(15)
@given(shared_in_any_measure(), st.integers(1, 3))
def test_deviations_are_those_of_each_region(case: tuple[Shape, Shares], records: int) -> None:
    shape, shares = case
    spread = covariance(shape, shares)
    for inside, level in zip(leaves(shape), deviations(shape, shares, records), strict=True):
        for at, table in enumerate(shape.tables):
            query = np.kron(inside, marginal(shape.sizes, table))
            dense = np.einsum("ij,jk,ik->i", query, spread, query).reshape(len(inside), -1)
            assert np.sqrt(dense) * records == pytest.approx(np.tile(level[:, at : at + 1], dense.shape[1]), rel=1e-7)


REGIONS = 2_000
"""Each is an independent run of the same cross tables."""


def misses(wider: Fraction) -> tuple[float, float, float]:
    """Under pure epsilon, with noise of a scale so much wider than is stated: the furthest mean of what cells err, in deviations of the
    mean; the furthest part by which a variance is beyond its own; and the least part of intervals that hold the truth.
    """
    shape = Shape((2, 3, 4), up_to(3, 2), REGIONS, laplace=2)
    shares = divided(shape, [[1.0] * len(shape.tables)], Fraction(3, 2))
    cells = np.tile(np.arange(24) * 10, (REGIONS, 1))
    rows = [
        (level, place, exact + draw(DiscreteLaplace(wider * 2 / shares[level][place]), exact.shape))
        for level, place, exact in measured(shape, shares, cells, None)
    ]
    estimates, (spread,) = cross_estimates(shape, shares, rows), deviations(shape, shares, 2)
    means, parts, held = [], [], []
    for at, table in enumerate(shape.tables):
        truth = (cells @ marginal(shape.sizes, table).T).reshape(REGIONS, -1)
        errors = estimates.counts(0, table).reshape(REGIONS, -1) - truth
        sd = float(spread[0, at])
        means += list(np.abs(errors.mean(axis=0)) / (sd / sqrt(REGIONS)))
        parts += list(np.abs(errors.var(axis=0) / sd**2 - 1))
        wide = deviations_by_draw(shape, Fraction(1, 20), sd, largest_draw_of_cell(shape, shares, table))
        held += list((np.abs(errors) <= wide * sd + shape.step(table)).mean(axis=0))
    return max(means), max(parts), min(held)


@pytest.mark.slow
@pytest.mark.statistical
def test_under_pure_epsilon_cells_are_unbiased_and_err_as_they_say() -> None:
    """False alarms below 1e-6: 36 cells, each mean beyond 6 deviations, and each variance, of relative deviation at most sqrt(5/2000) and
    skewness .15, beyond 6.5 of these. Intervals hold at least 95 %; fewer than 92 % of 2,000 would lie six deviations below.
    """
    mean, part, held = misses(Fraction(1))
    assert mean < 6
    assert part < 0.325
    assert held > 0.92
    # A scale wider by a quarter has 1.56 times the variance, three deviations of any cell beyond the bound, and of all 36 far more.
    assert misses(Fraction(5, 4))[1] > 0.325
