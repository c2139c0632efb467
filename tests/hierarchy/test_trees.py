"""Two passes over a tree are the least-squares projection, and any sum of what they give has its exact variance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.hierarchy.trees import Estimated, climb, coefficients_of_sum, least_squares, variance_of_sum
from tests.tables.inference.dense import leaves_of, projection, trees


@given(trees(), st.integers(0, 2**32 - 1))
def test_two_passes_are_the_dense_projection(parents: list[np.ndarray], seed: int) -> None:
    random = np.random.default_rng(seed)
    top = int(parents[0].max()) + 1
    regions = [top, *map(len, parents)]
    levels = [Estimated(random.normal(50, 20, (n, 1)), random.uniform(0.1, 30, (n, 1))) for n in regions]
    result = least_squares(levels, parents)
    design = leaves_of(parents, top)
    values = np.concatenate([level.count[:, 0] for level in levels])
    variances = np.concatenate([level.variance[:, 0] for level in levels])
    x, covariance = projection(np.concatenate(design), values, variances)
    for level, output, before in zip(result, design, levels, strict=True):
        np.testing.assert_allclose(level.count[:, 0], output @ x, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(level.variance[:, 0], np.diag(output @ covariance @ output.T), rtol=1e-9)
        assert (level.variance <= before.variance * (1 + 1e-12)).all(), "never worse than measured"
    for index, parent in enumerate(parents):
        sums = np.zeros(regions[index])
        np.add.at(sums, parent, result[index + 1].count[:, 0])
        np.testing.assert_allclose(sums, result[index].count[:, 0], rtol=1e-9, atol=1e-9)


@given(trees(), st.integers(0, 2**32 - 1))
def test_a_weighted_sum_of_nodes_has_the_variance_of_dense_least_squares(parents: list[np.ndarray], seed: int) -> None:
    random = np.random.default_rng(seed)
    top = int(parents[0].max()) + 1
    regions = [top, *map(len, parents)]
    levels = [Estimated(np.zeros((n, 1)), random.uniform(0.1, 30, (n, 1))) for n in regions]
    weights = [random.choice([-1.0, 0.0, 1.0, 2.5], (n, 1)) for n in regions]
    design = leaves_of(parents, top)
    variances = np.concatenate([level.variance[:, 0] for level in levels])
    _, covariance = projection(np.concatenate(design), np.zeros(len(variances)), variances)
    of_leaves = sum(each[:, 0] @ output for each, output in zip(weights, design, strict=True))
    climbed = climb(levels, parents)
    best, below = ([each.variance for each in part] for part in (climbed.best, climbed.below))
    variance, largest = variance_of_sum(best, below, parents, weights)
    np.testing.assert_allclose(variance, of_leaves @ covariance @ of_leaves, rtol=1e-9, atol=1e-9)
    assert variance <= largest * (1 + 1e-12)


@given(trees(), st.integers(0, 2**32 - 1))
def test_the_coefficients_of_a_sum_make_it_of_what_was_measured(parents: list[np.ndarray], seed: int) -> None:
    random = np.random.default_rng(seed)
    regions = [int(parents[0].max()) + 1, *map(len, parents)]
    levels = [Estimated(random.normal(50, 20, (n, 1)), random.uniform(0.1, 30, (n, 1))) for n in regions]
    weights = [random.choice([-1.0, 0.0, 1.0, 2.5], (n, 1)) for n in regions]
    spreads = [level.variance for level in levels]
    coefficients = coefficients_of_sum(spreads, parents, weights)
    whole = sum(float((c * level.count).sum()) for c, level in zip(coefficients, levels, strict=True))
    estimates = least_squares(levels, parents)
    np.testing.assert_allclose(
        whole, sum(float((w * each.count).sum()) for w, each in zip(weights, estimates, strict=True)), atol=1e-8
    )
    climbed = climb(levels, parents)
    best, below = ([each.variance for each in part] for part in (climbed.best, climbed.below))
    exact = sum(float((c * c * spread).sum()) for c, spread in zip(coefficients, spreads, strict=True))
    np.testing.assert_allclose(variance_of_sum(best, below, parents, weights)[0], exact, rtol=1e-8, atol=1e-8)
