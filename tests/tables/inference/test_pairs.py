"""Sizes, sums and means: intervals hold as often as they say, summed over all noise, whatever the group."""

from fractions import Fraction

import numpy as np
import pytest

from starling.privacy.budget import Measure
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.sampling.noise import draw
from starling.tables.inference.pairs import Interval, means, pair_errors, sizes_and_sums
from starling.tables.plan import Aggregate
from tests.tables.plan.test_aggregates import LEVEL

MISSING = Fraction(1, 20)
NOISES = [DiscreteLaplace(Fraction(5)), DiscreteGaussian(Fraction(40)), DiscreteGaussian(Fraction(1, 4))]
REACH = 90


def probabilities(noise: Distribution) -> np.ndarray:
    """The probability of -REACH..REACH."""
    x = np.arange(-REACH, REACH + 1)
    power = (
        np.abs(x) / float(noise.scale) if isinstance(noise, DiscreteLaplace) else x**2 / 2 / float(noise.sigma_squared)
    )
    weights = np.exp(-power)
    return np.asarray(weights / weights.sum())


def all_noise(below: int, above: int, noise: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """Every noisy pair of a group with a probability that counts, and that probability."""
    x = np.arange(-REACH, REACH + 1)
    pairs = np.stack([np.repeat(below + x, len(x)), np.tile(above + x, len(x))], axis=1)
    return pairs, np.outer(probabilities(noise), probabilities(noise)).ravel()


def coverage(result: Interval, truth: float, chance: np.ndarray) -> float:
    """How probable it is that the interval holds the truth; and no end of it is a NaN, nor on the wrong side."""
    assert not np.isnan(result.lower).any()
    assert (result.lower <= result.upper).all()
    return float(chance[(result.lower <= truth + 1e-9) & (truth - 1e-9 <= result.upper)].sum())


@pytest.mark.series(2)
@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "gaussian", "narrow gaussian"])
@pytest.mark.parametrize("bounds", [(0, 10), (-4, 6), (3, 5), (-20, -1)])
def test_intervals_hold_as_often_as_they_say(bounds: tuple[int, int], noise: Distribution) -> None:
    low, high = bounds
    aggregate = Aggregate(LEVEL, "x", low, high)
    random = np.random.default_rng(1)
    for records in (0, 1, 3, 40):
        numbers = random.integers(low, high + 1, records) if records != 3 else np.full(3, low)
        pairs, chance = all_noise(int((high - numbers).sum()), int((numbers - low).sum()), noise)
        size, whole = sizes_and_sums(aggregate, pairs, noise, MISSING)
        assert coverage(size, records, chance) >= 0.95 - 1e-9
        assert coverage(whole, int(numbers.sum()), chance) >= 0.95 - 1e-9
        # An empty group has no mean: every number must then be taken for possible as often as any other.
        for truth in [numbers.mean()] if records else [low, (low + high) / 2, high]:
            assert coverage(means(aggregate, pairs, noise, MISSING), truth, chance) >= 0.95 - 1e-9


@pytest.mark.parametrize("noise", NOISES[:2], ids=["laplace", "gaussian"])
def test_intervals_are_little_wider_than_they_must_be(noise: Distribution) -> None:
    aggregate, numbers = Aggregate(LEVEL, "x", 0, 10), np.arange(11).repeat(30)
    pairs, chance = all_noise(int((10 - numbers).sum()), int(numbers.sum()), noise)
    size, whole = sizes_and_sums(aggregate, pairs, noise, MISSING)
    result = (coverage(size, len(numbers), chance), coverage(whole, int(numbers.sum()), chance))
    assert max(result) < 0.985
    assert coverage(means(aggregate, pairs, noise, MISSING), 5, chance) < 0.98


def test_a_large_group_has_a_narrow_mean_around_the_estimate() -> None:
    aggregate, noise = Aggregate(LEVEL, "x", 0, 100), DiscreteLaplace(Fraction(1000))
    result = means(aggregate, np.array([[7_000_000, 3_000_000], [70, 30], [-50, -50]]), noise, MISSING)
    assert result.value[0] == pytest.approx(30)
    assert 29.9 < result.lower[0] < 30 < result.upper[0] < 30.1
    # Of a group that noise hides nothing is known.
    assert (result.lower[1], result.upper[1]) == (0, 100)
    assert np.isnan(result.value[2])
    assert (result.lower[2], result.upper[2]) == (0, 100)


def test_a_sum_of_numbers_from_0_on_errs_as_its_one_draw() -> None:
    noise = DiscreteGaussian(Fraction(400))
    errors = pair_errors(Aggregate(LEVEL, "x", 0, 10), noise, MISSING)
    assert errors.sum == pytest.approx(20)
    assert errors.sum_margin == 39
    assert errors.size == pytest.approx(20 * 2**0.5 / 10)


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(2**50)), DiscreteGaussian(Fraction(2**90))])
def test_intervals_hold_at_the_widest_bounds_and_noise(noise: Distribution) -> None:
    """2^30 records of the widest column, 4,000 draws; an interval of 95 % fails with a chance below 10^-6."""
    low, high, records = -(2**39), 2**39, 2**30
    aggregate = Aggregate(LEVEL, "x", low, high)
    exact = np.array([[records * 3 * 2**38, records * 2**38]] * 4000, dtype=object)
    pairs = exact + draw(noise, exact.shape).astype(object)
    size, whole = sizes_and_sums(aggregate, pairs, noise, MISSING)
    mean = means(aggregate, pairs, noise, MISSING)
    for result, truth in ((size, records), (whole, records * -(2**38)), (mean, -(2**38))):
        missed = np.count_nonzero((result.lower > truth) | (result.upper < truth))
        assert missed <= 269


@pytest.mark.parametrize("noise", NOISES[:2], ids=["laplace", "gaussian"])
def test_a_group_that_may_be_empty_has_a_mean_of_all_numbers(noise: Distribution) -> None:
    """Over every outcome: wherever the interval of the size reaches 0; of an empty group that is 97.5 % of all, by either noise."""
    aggregate = Aggregate(LEVEL, "x", -4, 6)
    for records in (0, 3):
        pairs, chance = all_noise(4 * records, 6 * records, noise)
        size, _ = sizes_and_sums(aggregate, pairs, noise, MISSING)
        mean = means(aggregate, pairs, noise, MISSING)
        whole = (mean.lower == -4) & (mean.upper == 6)
        assert whole[size.value <= pair_errors(aggregate, noise, MISSING).size_margin - 1e-9].all()
        if not records:
            assert chance[whole].sum() >= 0.975 - 1e-9
            before = means(aggregate, pairs, noise, MISSING, hidden=False)
            assert chance[(before.lower == -4) & (before.upper == 6)].sum() < 0.975


@pytest.mark.parametrize(("measure", "better"), [("epsilon", 2), ("rho", 1)])
@pytest.mark.parametrize("bounds", [(0, 100), (-40, 60)])
def test_against_an_even_split_of_the_budget(bounds: tuple[int, int], measure: Measure, better: int) -> None:
    """A count, and a sum around the middle, with half the budget each: twice the variance under epsilon, the same under rho. A sum from
    0 on, by itself and not around the middle, has twice as much again.
    """
    low, high = bounds
    share, width = Fraction(1, 10), high - low
    aggregate = Aggregate(LEVEL, "age", low, high)
    errors = pair_errors(aggregate, aggregate.noise(measure, share), MISSING)
    count, around, whole = (
        standard_deviation(alone(sensitivity, measure, share / 2)) ** 2 for sensitivity in (1, width // 2, width)
    )
    assert count / errors.size**2 == pytest.approx(better, rel=0.01)
    middle = (low + high) / 2
    assert (around + middle**2 * count) / errors.sum**2 == pytest.approx(better, rel=0.01)
    if not low:
        assert whole / errors.sum**2 == pytest.approx(2 * better, rel=0.01)


def alone(sensitivity: int, measure: Measure, share: Fraction) -> Distribution:
    """The noise of one number of this sensitivity."""
    return (
        DiscreteLaplace(sensitivity / share) if measure == "epsilon" else DiscreteGaussian(sensitivity**2 / (2 * share))
    )
