"""What a scan will be worth, against what score tests of invented responses find."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from starling.genome.distance.constants import quantile
from starling.genome.inference.scans import share_left
from starling.genome.plan import Scan
from starling.genome.preview import expected, scanning
from starling.genome.preview.typical import Assumed
from tests.genome.plan.test_model_phenotypes import PHENOTYPES

PLAN = replace(PHENOTYPES, people=4000)
QUESTION = Scan(Fraction(2))


def test_an_allele_of_the_stated_odds_ratio_is_found_95_times_of_100() -> None:
    """400 studies: found from .90 to .99 with a probability above 1 - 1e-6; by 0.8 of the log odds ratio below .87."""
    assumed = Assumed.of(PLAN)
    needed = scanning.needed_odds_ratio(assumed, 0.2, share_left(0.5, QUESTION.epsilon))
    assert needed is not None
    least = quantile(PLAN.p_threshold, 1)
    random, keep = np.random.default_rng(1), exp(2) / (1 + exp(2))

    def power(beta: float) -> float:
        found = 0
        for _ in range(400):
            copies = random.binomial(2, 0.2, 4000)
            # Half of the people are cases where the mean of the allele is at even odds.
            phenotype = random.random(4000) < 1 / (1 + np.exp(-beta * (copies - 0.4)))
            response = phenotype ^ (random.random(4000) >= keep)
            x, r = copies - copies.mean(), response - response.mean()
            found += (x @ r) ** 2 / (x**2 @ r**2) >= least
        return found / 400

    assert 0.90 < power(log(needed)) < 0.99
    assert power(0.8 * log(needed)) < 0.87


def test_the_coins_and_rare_diseases_cost_power() -> None:
    one = scanning.scan(Assumed.of(PLAN), QUESTION)
    assert [each.prevalence for each in one.shares] == [0.5, 0.2, 0.05, 0.01]
    assert [each.share for each in one.shares] == sorted((each.share for each in one.shares), reverse=True)
    for each in one.needed:
        assert each.without_noise is not None
        assert each.detected is not None
        assert each.without_noise < each.detected
    rare = scanning.scan(Assumed.of(PLAN, 40), QUESTION)
    assert rare.needed[0].detected is None
    assert scanning.error(Assumed.of(PLAN, 1), Scan(Fraction(1, 100))) == float("inf")


@pytest.mark.parametrize("wanted", ["1.5", "2"])
def test_a_margin_is_an_odds_ratio(wanted: str) -> None:
    least = expected.epsilon_for(PLAN, QUESTION, Fraction(wanted))
    assert scanning.error(Assumed.of(PLAN), Scan(least)) <= float(wanted) * (1 + 1e-9)
    assert scanning.error(Assumed.of(PLAN), Scan(least - Fraction(1, 100))) > float(wanted)
