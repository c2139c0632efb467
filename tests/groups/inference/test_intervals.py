"""Intervals of measurements: bounds of sums against exact margins, and intervals that hold the truth as often as they say."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.groups.inference.intervals import MISSING, LevelErrors, sum_bound
from starling.privacy.distributions.accuracy import margin, standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from tests.groups.worlds import world

LAPLACE, GAUSSIAN = DiscreteLaplace(Fraction(6)), DiscreteGaussian(Fraction(30))


@pytest.mark.parametrize(
    "noise", [LAPLACE, GAUSSIAN, DiscreteLaplace(Fraction(1, 3)), DiscreteGaussian(Fraction(1, 8))]
)
@pytest.mark.parametrize("terms", [1, 3, 40])
def test_a_bound_of_a_sum_is_above_its_exact_margin_and_not_twice_as_large(noise: object, terms: int) -> None:
    assert isinstance(noise, DiscreteLaplace | DiscreteGaussian)
    bound = sum_bound([(noise, np.ones(1), terms)], MISSING)
    exact = margin(noise, MISSING, terms)
    assert exact <= bound <= 2 * (exact + 1) + 2 * standard_deviation(noise)


def test_weights_and_counts_are_the_same_draws() -> None:
    one = sum_bound([(LAPLACE, np.array([2.0, 2.0, 1.0]), 1)], MISSING)
    other = sum_bound([(LAPLACE, np.array([2.0]), 2), (LAPLACE, np.array([1.0]), 1)], MISSING)
    assert one == pytest.approx(other)


def test_margins_of_histograms(tmp_path: Path) -> None:
    plan = world(tmp_path, more='method = "h"')
    errors = LevelErrors(plan, 0)
    margins, deviations = errors.margins(tails=False)
    assert margins.tolist() == [margin(LAPLACE, MISSING)] * 5
    assert deviations == pytest.approx([standard_deviation(LAPLACE)] * 5)
    tails, _ = errors.margins(tails=True)
    # The total is public: no draw from size 0 on, one for size 1 (the total less size 0) and for the largest.
    assert tails.tolist()[:2] == [0, margin(LAPLACE, MISSING)]
    assert tails[4] == margin(LAPLACE, MISSING)
    assert tails[2] == margin(LAPLACE, MISSING, 2)
    assert LevelErrors(plan, 2).margins(tails=True)[0][0] > margin(LAPLACE, MISSING, 2)
    assert (errors.total_margin(MISSING), LevelErrors(plan, 1).total_margin(MISSING) > 0) == (0, True)
