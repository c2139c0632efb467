"""Two measurements of a number combined: the law by brute force, by simulation, and the questions asked of it."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from starling.privacy.distributions import accuracy
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.distributions.probability_mass import Floats, convolved, probability_mass
from starling.privacy.sampling.noise import draw
from starling.tables.inference.combined import (
    combined,
    corrections,
    later_weight,
    listed_noise,
    margin,
    quantile,
    standard_deviation,
    tail,
)
from starling.tables.measurements import Int64, Measured
from starling.tables.plan import CombinedStageNoise, Noise
from starling.tables.plan.combined_stages import variance
from starling.tables.plan.detail import TOTAL_ONLY
from tests.tables.small import small_plan
from tests.tables.test_mechanism_top_up import topping

NOISES = (
    CombinedStageNoise(DiscreteLaplace(Fraction(3)), DiscreteLaplace(Fraction(3, 2))),
    CombinedStageNoise(DiscreteGaussian(Fraction(4)), DiscreteGaussian(Fraction(4))),
    CombinedStageNoise(DiscreteGaussian(Fraction(2)), DiscreteGaussian(Fraction(8))),
    CombinedStageNoise(
        CombinedStageNoise(DiscreteLaplace(Fraction(3)), DiscreteLaplace(Fraction(2))), DiscreteLaplace(Fraction(3))
    ),
    CombinedStageNoise(
        CombinedStageNoise(DiscreteGaussian(Fraction(6)), DiscreteGaussian(Fraction(4))), DiscreteGaussian(Fraction(5))
    ),
)


def drawn(noise: Noise, size: int) -> Int64:
    """Errors as releases make them, one on top of the other."""
    if not isinstance(noise, CombinedStageNoise):
        return draw(noise, size)
    earlier = drawn(noise.earlier, size)
    return earlier + corrections(draw(noise.later, size), earlier, later_weight(noise))


def least_variance(noise: Noise) -> float:
    """Of the best weighted mean of all draws."""
    own = float(variance(noise.later if isinstance(noise, CombinedStageNoise) else noise))
    return 1 / (1 / own + 1 / least_variance(noise.earlier)) if isinstance(noise, CombinedStageNoise) else own


def by_hand(noise: CombinedStageNoise) -> dict[int, float]:
    """Every pair of draws, combined as a release does it."""
    earlier, later = listed_noise(noise.earlier), probability_mass(noise.later)
    result: dict[int, float] = {}
    ones, others = range(-earlier.last, earlier.last + 1), np.arange(-later.last, later.last + 1)
    for e1 in ones:
        errors = e1 + corrections(others, np.full_like(others, e1), later_weight(noise))
        for error, chance in zip(errors.tolist(), later.mass.tolist(), strict=True):
            result[error] = result.get(error, 0.0) + earlier.mass[e1 + earlier.last] * chance
    return result


@pytest.mark.parametrize("noise", NOISES)
def test_the_law_is_that_of_every_pair_of_draws(noise: CombinedStageNoise) -> None:
    distribution, actual = listed_noise(noise), by_hand(noise)
    for x in range(-distribution.last, distribution.last + 1):
        assert distribution.mass[x + distribution.last] == pytest.approx(actual[x], rel=1e-9)
    assert distribution.mass.sum() == pytest.approx(1, abs=1e-12)
    assert np.array_equal(distribution.mass, distribution.mass[::-1])


@pytest.mark.parametrize(("noise", "terms"), list(product(NOISES, (2, 4, 9, 46))))
def test_sums_and_what_is_asked_of_them(noise: CombinedStageNoise, terms: int) -> None:
    one = listed_noise(noise)
    power: Floats = np.ones(1)
    for _ in range(terms):
        power = np.convolve(power, one.mass)
    middle = len(power) // 2
    distribution = listed_noise(noise, terms)
    assert np.allclose(
        distribution.mass, power[middle - distribution.last : middle + distribution.last + 1], rtol=0, atol=1e-14
    )

    def beyond(m: int) -> float:
        return float(power[: middle - m].sum() + power[middle + m + 1 :].sum())

    half = margin(noise, Fraction(1, 20), terms)
    assert beyond(half) <= 0.05 < beyond(half - 1)
    assert tail(noise, half, terms) == pytest.approx(beyond(half), abs=1e-11)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("p", ["1/100", "1/2", "9999/10000"])
def test_quantiles_and_deviation(noise: CombinedStageNoise, p: str) -> None:
    distribution = by_hand(noise)
    result = quantile(noise, Fraction(p))

    def below(t: int) -> float:
        return sum(chance for error, chance in distribution.items() if error <= t)

    assert below(result) >= float(Fraction(p)) > below(result - 1)
    spread = sum(error * error * chance for error, chance in distribution.items()) ** 0.5
    assert standard_deviation(noise) == pytest.approx(spread)
    # The best of all draws, each rounding (1/12 of a person squared) apart: better than any of them by itself.
    assert standard_deviation(noise) ** 2 == pytest.approx(least_variance(noise), abs=0.2)


@pytest.mark.parametrize("noise", NOISES)
def test_simulated_values_have_the_law_and_other_weights_do_not(noise: CombinedStageNoise) -> None:
    """Chi-squared over the commoner values; a right law is rejected with a chance below 10^-6, both mutants surely."""
    draws = 100_000
    earlier, later = drawn(noise.earlier, draws), draw(noise.later, draws)
    distribution = listed_noise(noise)
    common = np.flatnonzero(distribution.mass * draws >= 50)

    def distance(errors: Int64) -> float:
        seen = np.bincount(
            np.clip(errors + distribution.last, 0, 2 * distribution.last), minlength=len(distribution.mass)
        )[common]
        expected = distribution.mass[common] * draws
        freedom = len(common)
        return float((((seen - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5)

    weight = later_weight(noise)
    assert distance(earlier + corrections(later, earlier, weight)) < 9
    assert distance(earlier + corrections(later, earlier, (weight + 1) / 2)) > 9
    assert distance(earlier) > 9


def test_sums_of_one_listed_law_are_those_of_the_law_itself() -> None:
    for distribution in (DiscreteLaplace(Fraction(5, 2)), DiscreteGaussian(Fraction(9))):
        actual, reference = convolved(probability_mass(distribution), 18), probability_mass(distribution, 18)
        reach = min(actual.last, reference.last)
        one, other = (each.mass[each.last - reach : each.last + reach + 1] for each in (actual, reference))
        assert np.allclose(one, other, rtol=1e-10, atol=1e-30)


def test_one_draw_is_asked_as_everywhere() -> None:
    distribution = DiscreteLaplace(Fraction(10))
    assert margin(distribution, Fraction(1, 20), 8) == accuracy.margin(distribution, "0.05", 8)
    assert quantile(distribution, Fraction("0.9999")) == accuracy.quantile(distribution, "0.9999")
    assert tail(distribution, 12) == accuracy.tail(distribution, 12)
    assert standard_deviation(distribution) == accuracy.standard_deviation(distribution)


def test_each_value_of_a_piece_has_the_weight_of_its_kind() -> None:
    plan = topping(small_plan())
    level = plan.levels[0]
    branch = np.array([0, 1, TOTAL_ONLY], dtype=np.int8)
    first = np.array([3, 7, 0])
    before, after = (Measured(first, branch, values) for values in (np.zeros(10, np.int64), np.full(10, 1000)))
    result = combined(plan, level, before, after)
    cell, once = (
        later_weight(noise)
        for noise in (plan.noise(level), plan.noise(level, total_only=True))
        if isinstance(noise, CombinedStageNoise)
    )
    assert result.values.tolist() == [round(1000 * cell)] * 9 + [round(1000 * once)]
    assert np.array_equal(result.stage1, first)
