"""Stated distributions are right, draws of them fit, and draws of others do not."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.audit import exact
from starling.audit.fit import MISSTATED, STATED, Stated, fit, gaussian, laplace
from tests.privacy.sources import Seeded


@pytest.mark.series(2)
@pytest.mark.statistical
@pytest.mark.parametrize("stated", STATED, ids=lambda stated: stated.name)
def test_what_is_drawn_fits_and_costs_what_is_declared(stated: Stated) -> None:
    """False alarm at most 1e-6 each; the source is seeded."""
    assert fit(stated, source=Seeded(1)).wrong is None
    cost = stated.cost()
    assert cost.low <= stated.claim.amount
    assert cost.high == pytest.approx(float(stated.claim.amount), rel=0.05)


@pytest.mark.statistical
@pytest.mark.parametrize("stated", MISSTATED, ids=lambda stated: stated.name)
def test_another_distribution_is_recognised(stated: Stated) -> None:
    assert fit(stated, source=Seeded(1)).wrong is not None


@pytest.mark.parametrize("stated", STATED, ids=lambda stated: stated.name)
def test_probabilities_are_no_more_than_one_together(stated: Stated) -> None:
    total = sum(exact.enclosed(chance).low for chance in stated.distribution().values())
    assert 0.7 < total <= 1


def test_the_ends_hold_all_that_lies_beyond() -> None:
    for distribution in (exact.laplace_distribution(Fraction(7), 5), exact.gaussian_distribution(Fraction(9), 5)):
        assert sum(exact.enclosed(chance).low for chance in distribution.values()) == pytest.approx(1, abs=1e-12)
        assert set(distribution) == set(range(-5, 6))


@pytest.mark.statistical
def test_an_error_of_the_stated_size_is_seen() -> None:
    """At least 30 of 40 (power 0.9, so fewer with a chance below 1e-3): the outcome 0 too frequent by the resolution."""
    draws, right = 20_000, laplace(Fraction(1))
    resolution = fit(replace(right, draws=draws), source=Seeded(0)).resolution
    expected = exact.enclosed(right.distribution()[0]).low
    extra = resolution * expected / (1 - expected)

    def skewed(seed: int) -> Stated:
        rng = np.random.default_rng(seed)
        return replace(
            right,
            draws=draws,
            draw=lambda number, source: np.where(rng.random(number) < extra, 0, right.draw(number, source)),
        )

    assert sum(fit(skewed(seed), source=Seeded(seed)).wrong is not None for seed in range(40)) >= 30


def test_an_outcome_that_cannot_be_is_noticed() -> None:
    stated = replace(gaussian(Fraction(1)), draw=lambda number, _: np.full(number, 25), draws=1_000)
    assert fit(stated, source=Seeded(1)).wrong is not None
