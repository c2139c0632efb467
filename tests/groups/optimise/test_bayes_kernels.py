"""Stretches, smoother and likelihood against the conditional normal distribution, moments against their expectation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.groups.optimise import bayes_kernels as kernels


def random_prior(numbers: np.random.Generator, count: int) -> kernels.Prior:
    """A prior of `count` sizes; what is fresh at the first size plays no part."""
    keep, fresh, lone = numbers.uniform(-1, 1, count), numbers.uniform(0, 0.3, count), numbers.uniform(0, 0.2, count)
    return kernels.Prior(keep, fresh, lone, numbers.uniform(0, 0.5, count))


def spread_of(prior: kernels.Prior, expected: np.ndarray) -> np.ndarray:
    """The covariance matrix of c: u is a sum of fresh parts, n = m (1 + u) + e, c the cumulated n, all linear in independent parts."""
    count = len(expected)
    keep, fresh = prior.keep, np.concatenate([prior.first[:1], prior.fresh[1:]])
    chain = np.array([[np.prod(keep[j + 1 : i + 1]) if j <= i else 0.0 for j in range(count)] for i in range(count)])
    to_c = np.tril(np.ones((count, count)))
    spread_u = chain @ np.diag(fresh) @ chain.T
    spread_n = np.diag(expected) @ spread_u @ np.diag(expected) + np.diag(expected + prior.lone * expected**2)
    return np.asarray(to_c @ spread_n @ to_c.T)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7), exact=st.booleans())
def test_the_smoother_gives_the_conditional_mean_and_variance(seed: int, count: int, exact: bool) -> None:
    numbers = np.random.default_rng(seed)
    expected, noise = numbers.uniform(0.1, 9, count), numbers.uniform(0.2, 4, count)
    if exact:
        noise[-1] = 0.0
    prior = random_prior(numbers, count)
    seen = np.cumsum(expected) + numbers.normal(size=count)
    mean, variance = np.empty((1, count)), np.empty((1, count))
    kernels.smooth(expected[None], seen[None], noise[None], np.arange(count), prior, mean, variance)
    spread_c = spread_of(prior, expected)
    gain = spread_c @ np.linalg.inv(spread_c + np.diag(noise))
    assert np.allclose(mean[0], np.cumsum(expected) + gain @ (seen - np.cumsum(expected)), atol=1e-7)
    assert np.allclose(variance[0], np.diag(spread_c - gain @ spread_c), atol=1e-7)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7), regions=st.integers(1, 3), exact=st.booleans())
def test_agreement_is_the_likelihood_and_factors_are_least_squares(
    seed: int, count: int, regions: int, exact: bool
) -> None:
    numbers = np.random.default_rng(seed)
    expected, noise = numbers.uniform(0.1, 9, (regions, count)), numbers.uniform(0.2, 4, (regions, count))
    if exact:
        noise[:, -1] = 0.0
    prior = random_prior(numbers, count)
    seen = 3 * np.cumsum(expected, axis=1) + numbers.normal(size=(regions, count))
    factors = np.empty(regions)
    agreement = kernels.fit_of_prior(expected, seen, noise, np.arange(count), prior, factors)
    total, result = 0.0, []
    for m, y, v in zip(expected, seen, noise, strict=True):
        whole, inverse = np.cumsum(m), np.linalg.inv(spread_of(prior, m) + np.diag(v))
        total += np.linalg.slogdet(inverse)[1] - (y - whole) @ inverse @ (y - whole)
        result.append(whole @ inverse @ y / (whole @ inverse @ whole))
    assert agreement == pytest.approx(total, rel=1e-9, abs=1e-7)
    assert factors == pytest.approx(result, rel=1e-9)


def test_the_logarithm_is_that_of_the_library() -> None:
    for number in np.linspace(0.25, 1, 50):
        assert kernels.logarithm(number) == pytest.approx(np.log(number), rel=1e-14, abs=1e-16)


def test_a_stretch_is_weighted_by_precision_and_ends_in_what_is_known() -> None:
    values, variances = np.array([9.0, 1.0, 4.0, 7.0, 8.0]), np.array([1.0, 1.0, 2.0, 1.0, 0.0])
    seen, noise = np.empty((1, 2)), np.empty((1, 2))
    kernels.average_runs(values[None], variances[None], np.array([0]), np.array([1, 3]), seen, noise)
    assert seen[0].tolist() == [pytest.approx((1 + 4 / 2) / 1.5), 8.0]
    assert noise[0].tolist() == [pytest.approx(1 / 1.5), 0.0]


def test_moments_expect_the_covariances_of_u() -> None:
    numbers = np.random.default_rng(11)
    regions, count = 40_000, 4
    expected = np.full((regions, count), 30.0)
    u = np.empty((regions, count))
    u[:, 0] = numbers.normal(scale=0.3, size=regions)
    for size in range(1, count):
        u[:, size] = 0.8 * u[:, size - 1] + numbers.normal(scale=0.18, size=regions)
    noise = np.full((regions, count), 5.0)
    counts = np.cumsum(numbers.poisson(expected * np.maximum(1 + u, 0)), axis=1)
    seen = counts + numbers.normal(scale=np.sqrt(5.0), size=counts.shape)
    moments = kernels.Moments(np.zeros((3, count)), np.zeros((3, count)), np.zeros(count), np.zeros(count))
    kernels.add_moments(expected, seen, noise, np.arange(count), moments)
    covariances = np.empty((3, count))
    kernels.pool_sizes(moments, 1.0, covariances)
    # Six standard errors or more; without the noise taken off, each would be 0.005 to 0.011 off.
    assert np.allclose(covariances[0], 0.09, atol=0.006)
    assert np.allclose(covariances[1, 1:], 0.8 * 0.09, atol=0.004)
    assert np.allclose(covariances[2, 2:], 0.64 * 0.09, atol=0.004)


def test_sizes_with_few_groups_are_taken_together() -> None:
    moments = kernels.Moments(
        np.ones((3, 5)), np.full((3, 5), 2.0), np.array([1.0, 90.0, 90.0, 90.0, 1.0]), np.full(5, 10.0)
    )
    covariances = np.empty((3, 5))
    moments.squares[0] = [4.0, 1.0, 2.0, 3.0, 8.0]
    kernels.pool_sizes(moments, 0.6, covariances)
    assert covariances[0].tolist() == [2.0, 1.0, 1.0, 1.0, 4.0]


def test_what_children_differ_by_goes_where_least_is_known() -> None:
    mean, variance = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [3.0, 0.0]])
    kernels.reconcile(mean, variance, np.array([8.0, 9.0]))
    assert mean.tolist() == [[2.0, 2.0], [6.0, 4.0]]


def test_a_neighbourhood_grows_with_the_size_and_ends_with_the_sizes() -> None:
    counts = np.arange(25.0)
    expected = kernels.neighbourhoods(np.cumsum(counts), 0.1)
    assert expected[:3].tolist() == [0.5, 1.0, 2.0]
    # From 20 on two sizes to either side.
    assert expected[[20, 22, 23, 24]].tolist() == [20.0, 22.0, 22.5, 23.0]
