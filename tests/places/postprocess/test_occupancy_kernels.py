"""Kernels of the occupancy model against plain formulas on single boxes."""

import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import log, pi, sqrt

import numpy as np
import pytest

from starling.places.arrays import Float64
from starling.places.postprocess import neighbourhood, occupancy_kernels
from starling.places.postprocess.neighbourhood import guides
from starling.places.postprocess.occupancy_kernels import divide, messages

INF = np.inf


def one(value: float) -> Float64:
    """One box."""
    return np.full((1, 1), value)


@pytest.mark.slow
def test_a_quarter_without_cells_is_never_occupied() -> None:
    measured = np.array([[5.0, 9.0], [7.0, 30.0]]), np.array([[INF, INF], [4.0, 4.0]])
    below = (*measured, np.zeros((2, 2)), np.array([[0.0, 0.0], [-500.0, -500.0]]))
    shares, weights = np.array([[[0.0, 0.0, 0.5, 0.5]]]), np.full((8, 4, 2), 0.1)
    learned = np.zeros((8, 4, 2))
    kinds = np.array([0.5, 1.5]), np.array([1.0, 0.0])
    value, variance, _, _ = messages(below, shares, one(37.0), (one(0), one(INF), one(0)), (*kinds, weights), learned)
    assert value[0, 0] == pytest.approx(37, abs=2)
    assert variance[0, 0] < 20
    assert learned[:, :2].sum() == pytest.approx(1)
    created = divide(one(37.0), below, shares, (*kinds, weights), 1.0, 0.5)
    assert created[0].tolist() == [0, 0]
    assert created.sum() == pytest.approx(37)
    # A total so small beside the means that rounding would leave no quarter above 0.
    tiny = divide(one(1e-300), below, shares, (*kinds, weights), 1.0, 0.5)
    assert tiny.sum() == pytest.approx(1e-300)


def test_a_message_is_the_likelihood_of_the_sum_of_four_quarters() -> None:
    # One component alone, all four quarters: the count x has shares p of x with covariance Q, Q the deviations made to add up to 0.
    z, w = np.array([[30.0, 12.0], [8.0, 25.0]]), np.array([[9.0, 4.0], [16.0, 2.0]])
    weights = np.zeros((8, 4, 1))
    weights[:, 3, 0] = 1e12
    tau, points, p = 0.3, 80.0, np.array([0.4, 0.1, 0.2, 0.3])
    below = (z, w, np.zeros((2, 2)), np.full((2, 2), -500.0))
    own = one(0.0), one(INF), one(0.0)
    created = messages(below, p.reshape(1, 1, 4), one(points), own, (np.array([tau]), np.ones(1), weights), weights * 0)
    q = (tau * points * p) ** 2
    covariance = np.diag(q) - np.outer(q, q) / q.sum() + np.diag(w.ravel())
    inverse = np.linalg.inv(covariance)
    precision = p @ inverse @ p
    mean = p @ inverse @ z.ravel() / precision
    assert (created[0][0, 0], created[1][0, 0]) == pytest.approx((mean, 1 / precision))
    rest = z.ravel() - mean * p
    # Messages are peaks: a quarter's own curve has peak 1 and not 1/sqrt(2 pi w).
    peak = -0.5 * (rest @ inverse @ rest + log(np.linalg.det(2 * pi * covariance)))
    peak += 0.5 * np.log(2 * pi * w).sum()
    assert created[2][0, 0] - log(1e12) == pytest.approx(peak, abs=1e-6)


def test_a_box_is_divided_by_the_conditional_mean_given_its_count() -> None:
    z, w = np.array([[30.0, 12.0], [8.0, 25.0]]), np.array([[9.0, 4.0], [16.0, 2.0]])
    weights = np.zeros((8, 4, 1))
    weights[:, 3, 0] = 1e12
    tau, points, p = 0.3, 80.0, np.array([0.4, 0.1, 0.2, 0.3])
    below = (z, w, np.zeros((2, 2)), np.full((2, 2), -500.0))
    result = divide(one(points), below, p.reshape(1, 1, 4), (np.array([tau]), np.ones(1), weights), 1.0, 0.0)
    q = (tau * points * p) ** 2
    prior = np.diag(q) - np.outer(q, q) / q.sum()
    expected = points * p + prior @ np.linalg.inv(prior + np.diag(w.ravel())) @ (z.ravel() - points * p)
    assert result.ravel() == pytest.approx(expected)
    assert result.sum() == pytest.approx(points)


def test_components_weigh_by_a_power_of_their_probabilities_and_small_quarters_are_empty() -> None:
    # One quarter holds everything, and it is not known which: its points lie at a distance from what each quarter's curve says.
    z, w = np.array([[10.0, 9.0], [8.0, 4.0]]), np.full((2, 2), 4.0)
    weights = np.zeros((8, 4, 1))
    weights[:, 0, 0] = 1e12
    below = (z, w, np.zeros((2, 2)), np.zeros((2, 2)))
    likelihood = np.exp(-((10 - z) ** 2) / 8)
    expected = 10 * np.sqrt(likelihood) / np.sqrt(likelihood).sum()
    result, cut = (
        divide(one(10.0), below, np.full((1, 1, 4), 0.25), (np.ones(1), np.ones(1), weights), 0.5, small)
        for small in (0.0, 1.0)
    )
    assert result == pytest.approx(expected, rel=1e-6)
    remaining = np.where(expected < 2, 0, expected)
    assert 0 < np.count_nonzero(remaining) < 4
    assert cut == pytest.approx(10 * remaining / remaining.sum(), rel=1e-6)


def test_below_leaves_points_follow_the_square_of_the_shares() -> None:
    none = (np.zeros((2, 2)), np.full((2, 2), INF), np.zeros((2, 2)), np.zeros((2, 2)))
    p = np.array([0.4, 0.1, 0.2, 0.3])
    result = divide(one(10.0), none, p.reshape(1, 1, 4), (np.ones(1), np.ones(1), np.ones((8, 4, 1))), 1.0, 0.5)
    assert result.ravel() == pytest.approx(10 * p**2 / (p**2).sum())
    assert sqrt(result[0, 0] / result[0, 1]) == pytest.approx(4)


def whole_fit(side: int) -> tuple[Float64, Float64]:
    """Messages and points of a level of so many boxes a side, with what was learned."""
    random = np.random.default_rng(7)
    counts = random.poisson(random.gamma(0.3, 40, (2 * side, 2 * side))).astype(np.float64)
    below = (counts, np.full(counts.shape, 9.0), np.zeros(counts.shape), -np.abs(counts))
    field = counts.reshape(side, 2, side, 2).sum(axis=(1, 3))
    shares = guides(field, np.ones(2 * side), np.ones(2 * side))
    kinds = np.array([0.1, 0.5, 2.0]), np.array([1.0, 1.0, 0.0])
    weights, learned = np.full((8, 4, 3), 0.05), np.zeros((8, 4, 3))
    own = field, np.full(field.shape, 30.0), -field
    messages(below, shares, field, own, (*kinds, weights), learned)
    return divide(field, below, shares, (*kinds, weights), 0.5, 0.25), learned


def test_any_number_of_threads_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    many = whole_fit(2 * neighbourhood.BAND)
    monkeypatch.setattr(neighbourhood, "ThreadPoolExecutor", partial(ThreadPoolExecutor, 1))
    one = whole_fit(2 * neighbourhood.BAND)
    assert all(each.tobytes() == other.tobytes() for each, other in zip(many, one, strict=True))


@pytest.mark.slow
def test_sets_that_are_left_out_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = whole_fit(16)
    whole = {name: getattr(occupancy_kernels, name).py_func for name in ("_messages", "_divide")}
    monkeypatch.setattr(occupancy_kernels, "NEGLIGIBLE", math.inf)
    for name, function in whole.items():
        monkeypatch.setattr(occupancy_kernels, name, function)
    for each, other in zip(cut, whole_fit(16), strict=True):
        np.testing.assert_allclose(each, other, rtol=1e-12)
