"""Weights, variance factors of the specification, corrections that are unbiased and add up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.thresholds import conditional
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.tables.inference.combined import corrections, rounded, spread
from starling.tables.inference.distribution import Chosen, TotalDistribution
from starling.tables.plan import StageNoise
from starling.tables.plan.combined_stages import stage1_weight, variance
from starling.tables.plan.sex_by_age import SEX_BY_AGE

TENTH = Fraction(1, 10)


def stage_noise(measure: str, share: Fraction, gamma: Fraction = TENTH) -> StageNoise:
    """The noise of a group that spends `share`."""
    parts = (share, gamma * share, (1 - gamma) * share)
    if measure == "epsilon":
        return StageNoise(*(DiscreteLaplace(1 / part) for part in parts))
    return StageNoise(*(DiscreteGaussian(1 / (2 * part)) for part in parts))


def mean_square(distribution: TotalDistribution) -> float:
    """Of the error of a published total, from its exact law, rounding included."""
    return conditional(distribution, 0, Chosen(), Fraction(1, 20)).deviation ** 2


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("measure", "share", "factors"),
    [("rho", Fraction(1, 200), (1.11, 1.9, 3.0, 6.1)), ("epsilon", Fraction(1, 4), (1.01, 1.10, 1.22, 1.57))],
)
def test_variance_falls_by_the_factors_of_the_specification(
    measure: str, share: Fraction, factors: tuple[float, ...]
) -> None:
    noise = stage_noise(measure, share)
    for size, factor in zip(SEX_BY_AGE.sizes, factors, strict=True):
        weight = stage1_weight(noise, size)
        plain = TotalDistribution(noise.stage1, noise.stage2, size, Fraction(0))
        better = TotalDistribution(noise.stage1, noise.stage2, size, weight)
        assert mean_square(plain) / mean_square(better) == pytest.approx(factor, rel=0.012)
        assert conditional(better, 0, Chosen(), Fraction(1, 20)).bias == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("measure", ["rho", "epsilon"])
@pytest.mark.parametrize("share", [Fraction(50), Fraction(5), Fraction(1, 100)])
def test_reuse_never_makes_a_total_worse_but_for_its_rounding(measure: str, share: Fraction) -> None:
    """Weights follow the variances of the discrete laws: with little noise sigma squared would be far off."""
    noise = stage_noise(measure, share)
    for size in SEX_BY_AGE.sizes:
        weight = stage1_weight(noise, size)
        exact = float(weight**2 * variance(noise.stage1) + (1 - weight) ** 2 * size * variance(noise.stage2))
        assert exact <= size * float(variance(noise.stage2))


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20), st.sampled_from(SEX_BY_AGE.sizes))
def test_corrections_are_spread_whole_and_evenly(values: list[int], size: int) -> None:
    correction = np.array(values, dtype=np.int64)
    parts = spread(correction, size)
    assert np.array_equal(parts.sum(axis=1), correction)
    assert np.array_equal(spread(-correction, size), -parts), "odd, so that nothing is biased"
    for first in range(size):
        for last in range(first + 1, size + 1):
            run = parts[:, first:last].sum(axis=1)
            assert (np.abs(run * size - correction * (last - first)) <= size).all()


@given(st.integers(-(10**12), 10**12), st.integers(1, 10_000))
def test_rounding_is_to_the_nearest_and_odd(numerator: int, denominator: int) -> None:
    result = int(rounded(np.array([numerator]), denominator)[0])
    assert abs(Fraction(numerator, denominator) - result) <= Fraction(1, 2)
    assert result == -int(rounded(np.array([-numerator]), denominator)[0])


def test_corrections_are_the_weighted_mean_rounded() -> None:
    stage1, sums = np.array([100, 0, 7]), np.array([45, 55, 8])
    assert corrections(stage1, sums, Fraction(46, 55)).tolist() == [46, -46, -1]


@pytest.mark.parametrize("measure", ["rho", "epsilon"])
def test_without_noise_to_speak_of_the_second_measurement_stands(measure: str) -> None:
    assert stage1_weight(stage_noise(measure, Fraction(10**6)), 46) == 0
