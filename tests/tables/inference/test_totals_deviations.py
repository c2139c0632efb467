"""Standard deviations with all of their rounding: as brute force over all draws gives them, and as drawn noise has them."""

from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from bench.thresholds import conditional
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.tables.inference.combined import corrections, spread
from starling.tables.inference.distribution import Chosen, TotalDistribution
from starling.tables.inference.totals import corrected_deviations
from starling.tables.plan.combined_stages import Run, beyond, stage1_weight
from starling.tables.plan.variants import StageNoise, noise_of_stages

NARROW = (DiscreteGaussian(Fraction(1, 2)), DiscreteGaussian(Fraction(1, 8)))
WEIGHTS = (Fraction(1, 2), Fraction(2, 3), Fraction(7, 9))


def enumerated(
    stage1: Distribution, stage2: Distribution, cells: int, weight: Fraction
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Slow twin: every draw of the first total and of each cell, as published; the cells, and the probability of each."""
    first, one = probability_mass(stage1), probability_mass(stage2)
    draws = [
        (z, *own, float(first.mass[z + first.last]) * float(np.prod([one.mass[e + one.last] for e in own])))
        for z in range(-first.last, first.last + 1)
        for own in product(range(-one.last, one.last + 1), repeat=cells)
    ]
    result = np.array(draws)
    own = result[:, 1:-1].astype(np.int64)
    moved = own + spread(corrections(result[:, 0].astype(np.int64), own.sum(axis=1), weight), cells)
    return moved, result[:, -1]


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize(
    ("stage_noise", "cells"), [(NARROW, 1), (NARROW, 2), ((NARROW[1], DiscreteLaplace(Fraction(1, 9))), 2)]
)
def test_it_is_that_of_all_draws(stage_noise: tuple[Distribution, Distribution], cells: int, weight: Fraction) -> None:
    moved, chance = enumerated(*stage_noise, cells, weight)
    assert chance.sum() == pytest.approx(1)
    for terms in {1, cells}:
        runs = moved.reshape(len(moved), -1, terms).sum(axis=2)
        assert chance @ runs == pytest.approx(0, abs=1e-12)
        truly = np.sqrt(chance @ runs.astype(float) ** 2)
        assert corrected_deviations(*stage_noise, cells, weight, terms) == pytest.approx(truly, rel=1e-9)


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 2), Fraction(5), Fraction(20)])
def test_a_total_deviates_as_its_exact_law_says(share: Fraction) -> None:
    stage_noise = noise_of_stages("rho", share, Fraction(1, 10))
    for cells in (1, 8, 46):
        weight = stage1_weight(stage_noise, cells)
        (result,) = corrected_deviations(stage_noise.stage1, stage_noise.stage2, cells, weight, cells)
        exact = conditional(
            TotalDistribution(stage_noise.stage1, stage_noise.stage2, cells, weight), 0, Chosen(), Fraction(1, 20)
        )
        assert result == pytest.approx(exact.deviation, rel=1e-6, abs=1e-12)


def test_drawn_noise_deviates_as_stated_and_not_as_without_its_rounding() -> None:
    # Left out, the rounding made 0.7071 of what is 0.7787, and 0.147 of what the middle cell has, 0.515.
    stage_noise = noise_of_stages("rho", Fraction(5), Fraction(1, 10))
    weight = stage1_weight(stage_noise, 46)
    generator = np.random.default_rng(20)

    def draw(distribution: Distribution, size: tuple[int, ...]) -> npt.NDArray[np.int64]:
        listed = probability_mass(distribution)
        return generator.choice(np.arange(-listed.last, listed.last + 1), p=listed.mass / listed.mass.sum(), size=size)

    own, first = draw(stage_noise.stage2, (40_000, 46)), draw(stage_noise.stage1, (40_000,))
    published = own + spread(corrections(first, own.sum(axis=1), weight), 46)
    for terms in (1, 23, 46):
        stated = corrected_deviations(stage_noise.stage1, stage_noise.stage2, 46, weight, terms)
        seen = published.reshape(len(own), -1, terms).sum(axis=2).std(axis=0)
        assert seen == pytest.approx(np.array(stated), rel=0.1)
    share, variances = (
        float(weight),
        (probability_mass(stage_noise.stage1).variance, 46 * probability_mass(stage_noise.stage2).variance),
    )
    unrounded = float(np.sqrt(share**2 * variances[0] + (1 - share) ** 2 * variances[1]))
    assert unrounded == pytest.approx(0.7071, abs=1e-4)
    assert corrected_deviations(stage_noise.stage1, stage_noise.stage2, 46, weight, 46) == pytest.approx(
        (0.7787,), abs=1e-4
    )


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(2), Fraction(5), Fraction(20)])
def test_intervals_hold_with_the_rounding_in_them(share: Fraction) -> None:
    stage_noise: StageNoise = noise_of_stages("rho", share, Fraction(1, 10))
    for cells in (1, 8, 46):
        distribution = TotalDistribution(
            stage_noise.stage1, stage_noise.stage2, cells, stage1_weight(stage_noise, cells)
        )
        assert beyond(stage_noise, Run(cells, 0, cells), distribution.margin(Fraction(1, 20))) <= 0.05 + 1e-9
