"""Scans of quantitative phenotypes by intervals, in two populations: false alarms, and the share of the sample that is left."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.genome.arrays import Float64
from starling.genome.inference.scans import MEDIAN
from starling.genome.plan.intervals import Intervals, intervals_at, normal_share
from starling.privacy.sampling.response import randomized_choice
from tests.genome.plan.test_model_phenotypes import PHENOTYPES

PEOPLE, SNPS, CAUSAL = 4_000, 4_000, 100
PLAN = replace(PHENOTYPES, between=(Fraction(15), Fraction(45)), steps=300)


def statistics(columns: Float64, responses: Float64, basis: Float64) -> Float64:
    """z of each column with each response, float64 (m, k), with robust variances; columns have the basis projected out."""
    r = responses - (responses @ basis) @ basis.T
    return np.asarray((columns @ r.T) / np.sqrt(columns**2 @ (r**2).T))


def residual(columns: Float64, basis: Float64) -> Float64:
    """Columns with the basis projected out."""
    return columns - (columns @ basis) @ basis.T


@pytest.mark.slow
def test_false_alarms_and_shares_are_those_that_are_stated() -> None:
    """Lambda of 3,900 SNPs is off by 4 % in a standard deviation: within .8 to 1.2 five times with a chance above 1 - 1e-5. The share, by
    100 causal SNPs and 100 responses, is off by 1 % by coins: within 5 %. Without the population lambda is above 1.5.

    What the population explains of the trait, w, is taken out of both sides: a share s leaves s (1 - w)/(1 - s w) of what is left of them.
    """
    random = np.random.default_rng(20_261_127)
    second = random.random(PEOPLE) < 0.4
    frequencies = random.uniform(0.1, 0.5, (SNPS, 1))
    other = np.clip(frequencies + random.normal(0, 0.05, (SNPS, 1)), 0.02, 0.98)
    columns = random.binomial(2, np.where(second, other, frequencies)).astype(np.float64)
    columns[:CAUSAL] = random.binomial(2, 0.3, (CAUSAL, PEOPLE))
    # A hundredth of the variance each, but for what the population and chance take.
    inherited = (random.choice([-1, 1], CAUSAL) @ columns[:CAUSAL]) * 0.07 / np.sqrt(0.42)
    trait = inherited - inherited.mean() + random.normal(0, 0.6, PEOPLE) + np.where(second, 0.25, -0.17)
    trait = (trait - trait.mean()) / trait.std()
    steps = np.rint(np.clip(trait * 5 + 15, 0, 30) * 10).astype(np.int64)
    everybody = np.full((PEOPLE, 1), PEOPLE**-0.5)
    basis = np.linalg.qr(np.column_stack([everybody, second]))[0]
    x = residual(columns, basis)
    explained = 1 - residual(trait[np.newaxis], basis).var()
    exact = statistics(x[:CAUSAL], trait[np.newaxis], basis)[:, 0]
    for epsilon in (1, 2, 3, 4, 6):
        number = intervals_at(Fraction(epsilon))
        divided = Intervals.of(PLAN, number)
        everyone = divided.of_steps(steps)
        told = np.array([divided.counted(randomized_choice(everyone, epsilon, number)) for _ in range(100)])
        assert 0.8 < np.median(statistics(x[CAUSAL:], told[:1], basis) ** 2) / MEDIAN < 1.2
        slopes = exact @ statistics(x[:CAUSAL], told, basis) / (exact @ exact)
        share = normal_share(Fraction(epsilon), number)
        assert np.mean(slopes) ** 2 == pytest.approx(share * (1 - explained) / (1 - share * explained), rel=0.05)
    uncorrected = statistics(residual(columns[CAUSAL:], everybody), trait[np.newaxis], everybody)
    assert np.median(uncorrected**2) / MEDIAN > 1.5
