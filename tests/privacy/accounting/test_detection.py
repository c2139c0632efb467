"""The best attacker, against mechanisms whose best attack is known exactly or can be enumerated."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.accounting.detection import detection, detection_bound
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.privacy.events import ZCDP
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON

ALPHAS = st.floats(0.001, 0.5)


@given(st.floats(0.001, 20), ALPHAS)
def test_no_attack_on_gaussian_noise_beats_the_bound_for_rho(rho: float, alpha: float) -> None:
    # N(0, 1) against N(m, 1) is rho-zCDP with rho = m^2/2, and the best test at level alpha is known (Neyman, Pearson).
    normal = NormalDist()
    power = normal.cdf(math.sqrt(2 * rho) - normal.inv_cdf(1 - alpha))
    assert power <= detection_bound(Rho(Fraction(rho)), alpha) + 1e-12


@given(st.fractions(Fraction(1, 100), 20), ALPHAS)
def test_randomised_response_reaches_the_bound_for_epsilon(epsilon: Fraction, alpha: float) -> None:
    # Two outcomes of odds e^epsilon; the best test mixes them, and its power is the bound, nothing less.
    odds = math.exp(float(epsilon))
    likely, unlikely = odds / (1 + odds), 1 / (1 + odds)
    power = likely * alpha / unlikely if alpha <= unlikely else likely + unlikely * (alpha - unlikely) / likely
    assert detection_bound(Epsilon(epsilon), alpha) == pytest.approx(power)


@given(st.fractions(0, 30), ALPHAS)
def test_the_bound_grows_from_blind_guessing_to_certainty(amount: Fraction, alpha: float) -> None:
    for kind in (Epsilon, Rho):
        assert detection_bound(kind(Fraction(0)), alpha) == pytest.approx(alpha)
        assert alpha - 1e-12 <= detection_bound(kind(amount), alpha) <= 1
        assert detection_bound(kind(amount), alpha) <= detection_bound(kind(amount + 1), alpha) + 1e-12


def best_test(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64], alpha: float) -> float:
    """Slow twin: the most powerful test of `other` against `one` at level `alpha`, by Neyman and Pearson's lemma."""
    order = np.argsort(one * 1.0 / np.maximum(other, 1e-300))[::-1]
    level, power = np.cumsum(other[order]), np.cumsum(one[order])
    last = int(np.searchsorted(level, alpha))
    below = (level[last - 1], power[last - 1]) if last else (0.0, 0.0)
    share = (alpha - below[0]) / other[order][last]
    return float(below[1] + share * one[order][last])


def neighbours(distribution: Distribution, times: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The joint probabilities of `times` counts, each 1 or each 0."""
    listed = probability_mass(distribution).mass
    one, other = np.append(0.0, listed), np.append(listed, 0.0)
    joint = [np.ones(1), np.ones(1)]
    for _ in range(times):
        joint = [np.outer(joint[0], one).ravel(), np.outer(joint[1], other).ravel()]
    return joint[0], joint[1]


@pytest.mark.parametrize(
    "distribution", [DiscreteGaussian(Fraction(3)), DiscreteGaussian(Fraction(1, 3)), DiscreteLaplace(Fraction(2))]
)
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_it_is_the_best_test_between_neighbours_and_no_bound(
    distribution: Distribution, times: int, alpha: float
) -> None:
    count = measurement("a count", ADD_REMOVE_PERSON, distribution)
    found = detection(sequential("counts", (count,) * times) if times > 1 else count, alpha)
    truly = best_test(*neighbours(distribution, times), alpha)
    assert found.exact
    assert truly - 1e-9 <= found.chance <= truly + 1e-4


def test_a_choice_among_parts_is_as_good_as_its_best_part() -> None:
    weak, strong = (measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(s2))) for s2 in (9, 2))
    either = detection(bounded_overlap("either", 1, (weak, strong)), 0.05)
    assert either == detection(strong, 0.05)


@given(st.sampled_from([10.0**place for place in range(-12, 13, 3)]), ALPHAS)
@settings(max_examples=20, deadline=None)
def test_for_any_cost_it_lies_between_guessing_and_the_bound(amount: float, alpha: float) -> None:
    rho = Fraction(amount)
    for distribution in (DiscreteGaussian(1 / (2 * rho)), DiscreteLaplace(1 / rho)):
        count = measurement("a count", ADD_REMOVE_PERSON, distribution)
        assert alpha <= detection(count, alpha).chance <= detection_bound(count.cost, alpha)


def test_without_known_losses_the_bound_answers_and_says_so() -> None:
    unknown = Guarantee("of which rho alone is known", ADD_REMOVE_PERSON, ZCDP(Fraction(1, 2)))
    found = detection(unknown, 0.05)
    assert (found.chance, found.exact) == (detection_bound(unknown.cost, 0.05), False)
