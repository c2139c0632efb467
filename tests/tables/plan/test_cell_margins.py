"""How much of a cell, or of a sum of cells, one draw can be, against dense linear algebra."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.tables.inference.cross_queries import largest_coefficients
from starling.tables.plan.cell_margins import deviations_by_draw, largest_draw, largest_draw_of_cell
from starling.tables.plan.residuals import Shape, Shares
from tests.tables.dense_tables import (
    Floats,
    covariance,
    leaves,
    marginal,
    measured_rows,
    shared_under_epsilon,
    variance,
)


def of_draws(shape: Shape, shares: Shares, asked: Floats) -> float:
    """The most variance that one draw has in a weighted sum of all cells in all regions of the finest level; of one record a person."""
    best = covariance(shape, shares) @ asked
    return max(
        float(np.max((np.kron(inside, measured_rows(shape, part)) @ best) ** 2)) / variance(shape, part, share)
        for inside, level in zip(leaves(shape), shares, strict=True)
        for part, share in zip(shape.parts, level, strict=True)
        if share
    )


@pytest.mark.examples(4)
@settings(max_examples=20)
@given(shared_under_epsilon())
def test_no_draw_is_more_of_a_cell_than_is_stated(case: tuple[Shape, Shares]) -> None:
    shape, shares = case
    for table in shape.tables:
        most = largest_draw_of_cell(shape, shares, table)
        for inside in leaves(shape):
            for cell in np.kron(inside, marginal(shape.sizes, table))[:: shape.cells(table)]:
                reached = shape.laplace**2 * of_draws(shape, shares, cell)
                assert reached <= most * (1 + 1e-6)
                if len(shape.regions) == 1:
                    assert reached == pytest.approx(most)


@settings(max_examples=20)
@given(shared_under_epsilon(below=0), st.integers(0, 2**32))
def test_no_draw_is_more_of_a_sum_than_is_stated(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    random, weights, asked = np.random.default_rng(seed), {}, np.zeros(shape.regions[-1] * int(np.prod(shape.sizes)))
    for table in shape.tables:
        each = random.integers(-2, 3, (shape.regions[0], *(shape.sizes[column] for column in table))).astype(np.float64)
        weights[0, table] = each
        asked += each.ravel() @ np.kron(np.eye(shape.regions[0]), marginal(shape.sizes, table))
    most = largest_draw(shape, shares[0], largest_coefficients(shape, weights))
    assert of_draws(shape, shares, asked) <= most * (1 + 1e-6) + 1e-9


def test_the_more_of_a_number_one_draw_can_be_the_more_deviations_hold_it() -> None:
    alpha = Fraction(1, 20)
    shape = Shape((2,), ((0,),), laplace=1)
    assert [deviations_by_draw(shape, alpha, 4.0, part) for part in (16.0, 8.0, 4.0, 0.1, 0.0)] == [
        2.17,
        2.08,
        2.02,
        1.97,
        2.17,
    ]
    assert deviations_by_draw(replace(shape, laplace=0), alpha, 4.0, 16.0) == 1.96
