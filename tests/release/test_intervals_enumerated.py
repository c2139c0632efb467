"""Every rule that makes an interval from noise alone, by enumeration of its draws: none takes whole draws for continuous ones."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, inf, sqrt

import numpy as np
import pytest

from starling.groups.inference.intervals import sum_bound
from starling.places.answers.noise_sums import upper_margins
from starling.privacy.distributions.accuracy import margin, standard_deviation
from starling.privacy.distributions.convolution import Part, sum_margin
from starling.privacy.distributions.deviations import (
    STEP,
    UNIT,
    laplace_deviations,
    log_concave_deviations,
    normal_deviations,
    twin_variance,
)
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.two_draws import weighted_margin
from starling.tables.inference.nested_totals import DEVIATIONS
from starling.tables.postprocess.estimates import MARGINS
from tests.privacy.distributions.enumerated import beyond

MISSING = Fraction(1, 20)
Rule = Callable[[Distribution, Sequence[float]], float]
WEIGHTS = ((1.0,), (1.0, 1.0), (1.0, 0.5), (1.0, 1.0, 1.0), (1.0, 0.75, 0.25))


def by_twin(noise: Distribution, weights: Sequence[float]) -> float:
    """As flows and areas do."""
    times = laplace_deviations(MISSING, 1) if isinstance(noise, DiscreteLaplace) else normal_deviations(MISSING)
    return times * sqrt(twin_variance(noise) * sum(each * each for each in weights)) + STEP * max(weights)


def by_own(noise: Distribution, weights: Sequence[float]) -> float:
    """As numbers of cross tables and of totals that add up do."""
    times = laplace_deviations(MISSING, 1) if isinstance(noise, DiscreteLaplace) else normal_deviations(MISSING)
    return times * standard_deviation(noise) * sqrt(sum(each * each for each in weights)) + UNIT * max(weights)


def by_whole_persons(noise: Distribution, weights: Sequence[float]) -> float:
    """As totals that add up do, which are whole numbers."""
    times = MARGINS["epsilon" if isinstance(noise, DiscreteLaplace) else "rho"]
    return ceil(times * standard_deviation(noise) * sqrt(sum(each * each for each in weights)))


def by_list(noise: Distribution, weights: Sequence[float]) -> float:
    """As numbers with known draws do."""
    return float(sum_margin([Part(noise, 1, Fraction(each)) for each in weights], MISSING))


def by_bound(noise: Distribution, weights: Sequence[float]) -> float:
    """As sums over sizes of groups do."""
    return sum_bound([(noise, np.array(weights), 1)], MISSING)


def by_angles(noise: Distribution, weights: Sequence[float]) -> float:
    """As sums over a map do."""
    if not isinstance(noise, DiscreteLaplace) or set(weights) != {1.0}:
        return inf
    return float(upper_margins([noise], np.array([[len(weights)]]), MISSING / 2)[0])


def by_pair(noise: Distribution, weights: Sequence[float]) -> float:
    """As sums, sizes and means of a column do."""
    return weighted_margin(noise, weights[0], weights[1], MISSING) if len(weights) == 2 else inf


def of_one(noise: Distribution, weights: Sequence[float]) -> float:
    """As cells that are published as measured do."""
    return margin(noise, MISSING, len(weights)) if set(weights) == {1.0} else inf


def continuous(noise: Distribution, weights: Sequence[float]) -> float:
    """The fault that is looked for."""
    return by_own(noise, weights) - UNIT * max(weights)


def most_missed(rule: Rule, kind: type[Distribution]) -> float:
    """The largest chance of missing, at budgets from 1 to 8 a count."""
    found = []
    for budget in (Fraction(each, 16) for each in (16, 22, 32, 40, 48, 58, 64, 80, 96, 128)):
        noise: Distribution = DiscreteLaplace(1 / budget) if kind is DiscreteLaplace else DiscreteGaussian(1 / budget)
        for weights in WEIGHTS:
            half = rule(noise, weights)
            if half < inf:
                found.append(beyond([(noise, each) for each in weights], half))
    return max(found, default=0.0)


RULES: tuple[Rule, ...] = (by_twin, by_own, by_whole_persons, by_list, by_bound, by_angles, by_pair, of_one)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_no_rule_misses_more_often_than_it_says(kind: type[Distribution]) -> None:
    assert {rule.__name__: each for rule in RULES if (each := most_missed(rule, kind)) > MISSING} == {}
    assert most_missed(continuous, kind) > 0.06


def test_totals_that_add_up_have_the_same_deviations_in_tables_and_in_answers() -> None:
    assert {measure: rule(MISSING) for measure, rule in DEVIATIONS.items()} == MARGINS
    assert MARGINS["epsilon"] == log_concave_deviations(MISSING)
