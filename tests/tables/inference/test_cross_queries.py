"""The variance of any weighted sum of cells, against dense linear algebra."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.inference.cross_estimates import deviations
from starling.tables.inference.cross_queries import largest_weight, query_variance
from starling.tables.plan.residuals import Shape, Shares
from tests.tables.dense_tables import covariance, leaves, marginal, measured_rows, shared_in_any_measure, variance


@pytest.mark.examples(25)
@given(shared_in_any_measure(), st.integers(0, 2**32))
def test_any_sum_of_any_tables_and_regions_has_its_exact_variance(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    random = np.random.default_rng(seed)
    weights = {}
    asked = np.zeros(shape.regions[-1] * int(np.prod(shape.sizes)))
    for level, inside in enumerate(leaves(shape)):
        for table in shape.tables:
            size = (len(inside), *(shape.sizes[column] for column in table))
            # Some regions of some tables, or none.
            each = random.integers(-2, 3, size) * random.integers(0, 2, (len(inside), *(1 for _ in table)))
            weights[level, table] = each.astype(np.float64)
            asked += each.ravel() @ np.kron(inside, marginal(shape.sizes, table))
    dense = float(asked @ covariance(shape, shares) @ asked)
    assert query_variance(shape, shares, 2, weights) == pytest.approx(4 * dense, rel=1e-6, abs=1e-7)
    most, best = largest_weight(shape, shares, weights), covariance(shape, shares) @ asked
    reached = max(
        float(np.abs(np.kron(inside, measured_rows(shape, part)) @ best).max()) / variance(shape, part, share)
        for inside, level in zip(leaves(shape), shares, strict=True)
        for part, share in zip(shape.parts, level, strict=True)
        if share
    )
    assert reached <= most * (1 + 1e-6) + 1e-6, "no draw counts more"
    if not shape.laplace:
        assert reached == pytest.approx(most, rel=1e-6, abs=1e-6)


@pytest.mark.examples(15)
@given(shared_in_any_measure())
def test_a_cell_has_its_deviation_and_what_holds_by_construction_has_none(case: tuple[Shape, Shares]) -> None:
    shape, shares = case
    for level, each in enumerate(deviations(shape, shares, 1)):
        for at, table in enumerate(shape.tables):
            one = np.zeros((shape.regions[level], *(shape.sizes[column] for column in table)))
            one.ravel()[-1] = 1
            assert query_variance(shape, shares, 1, {(level, table): one}) == pytest.approx(each[-1, at] ** 2)
            if not level:
                continue
            below = np.ones_like(one)
            above = -np.ones((shape.regions[level - 1], *one.shape[1:]))
            assert query_variance(shape, shares, 1, {(level, table): below, (level - 1, table): above}) == 0
