"""Divergences of enumerated distributions, against cases that can be done by hand and against a formula of a paper that is wrong."""

from fractions import Fraction
from itertools import permutations, product
from math import exp, inf, log

import pytest
from flint import arb

from starling.audit import exact
from starling.audit.exact import Probability
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

COIN = {0: Fraction(3, 4), 1: Fraction(1, 4)}
TURNED = {0: Fraction(1, 4), 1: Fraction(3, 4)}


def two_sided_geometric(epsilon: Fraction, reach: int) -> dict[int, Probability]:
    """Discrete Laplace of scale 1/epsilon, outcomes beyond `reach` pooled at each end."""
    with precision(256):
        q = (-ball(epsilon)).exp()
        distribution: dict[int, Probability] = {x: (1 - q) / (1 + q) * q ** abs(x) for x in range(-reach, reach + 1)}
        distribution[-reach] = distribution[reach] = q**reach / (1 + q)
    return distribution


def test_epsilon_of_randomized_response() -> None:
    low, high = exact.epsilon(COIN, TURNED)
    assert low < log(3) < high
    assert high - low < 1e-15


def test_epsilon_looks_in_both_directions() -> None:
    skewed = {0: Fraction(1, 10), 1: Fraction(9, 10)}
    even = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    assert exact.epsilon(skewed, even) == exact.epsilon(even, skewed)
    assert exact.epsilon(skewed, even).low == pytest.approx(log(5))


def test_epsilon_of_equal_laws_is_zero() -> None:
    assert exact.epsilon(COIN, COIN).low < 0 < exact.epsilon(COIN, COIN).high < 1e-300


def test_an_outcome_of_one_law_alone_is_infinite() -> None:
    assert exact.epsilon({0: 1}, COIN) == (inf, inf)
    assert exact.renyi(COIN, {0: 1}, 2) == (inf, inf)
    assert exact.renyi({0: 1}, COIN, 2).low == pytest.approx(log(4 / 3))
    assert exact.epsilon({0: Fraction(1), 1: Fraction(0)}, {0: Fraction(1)}).high < 1e-300


def test_renyi_and_delta_by_hand() -> None:
    assert exact.renyi(COIN, TURNED, 2).low == pytest.approx(log(9 / 4 + 1 / 12))
    assert exact.delta(COIN, TURNED, 0).low == pytest.approx(0.5)
    assert exact.delta(COIN, TURNED, 1).low == pytest.approx(0.75 - exp(1) / 4)
    assert exact.delta(COIN, TURNED, 2).high < 1e-300


def test_pooling_adds_up_what_lies_beyond() -> None:
    distribution = {x: Fraction(1, 7) for x in range(-3, 4)}
    assert {end: float(probability) for end, probability in exact.pooled(distribution, -1, 2).items()} == {
        -1: pytest.approx(3 / 7),
        0: pytest.approx(1 / 7),
        1: pytest.approx(1 / 7),
        2: pytest.approx(2 / 7),
    }


def test_brackets_hold_the_exact_value() -> None:
    """log 3 by 256 bits lies strictly within."""
    low, high = exact.epsilon(COIN, TURNED)
    with precision(256):
        assert arb(low) < arb(3).log() < arb(high)


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(427, 1000)])
def test_shifted_noise_costs_what_its_law_says(epsilon: Fraction) -> None:
    distribution = two_sided_geometric(epsilon, 60)
    low, high = exact.epsilon(
        exact.pooled(distribution, -40, 40), exact.pooled(exact.shifted(distribution, 1), -40, 40)
    )
    assert low <= epsilon <= high < epsilon + Fraction(1, 10**12)


def test_attack_a18_the_printed_renyi_curve_of_the_geometric_mechanism_is_refuted() -> None:
    """SafeTab 2022, Lemma 8, integrates over the reals: 0.1365 at order 2 and epsilon 0.427. The distribution itself has 0.1698.

    Outcomes are pooled, which only lowers a divergence, so the printed value is refuted whatever lies beyond.
    """
    epsilon = Fraction(427, 1000)
    distribution = two_sided_geometric(epsilon, 300)
    low, high = exact.renyi(
        exact.pooled(distribution, -290, 290), exact.pooled(exact.shifted(distribution, 1), -290, 290), 2
    )
    assert low > 0.1365
    assert round(low, 4) == round(high, 4) == 0.1698
    closed = log((exp(0.427) + exp(-2 * 0.427)) / (1 + exp(-0.427)))
    assert low == pytest.approx(closed, rel=1e-9)


def test_rho_of_the_discrete_gaussian_is_reached_at_whole_orders() -> None:
    with precision(256):
        weights = {x: (-ball(Fraction(2 * x * x))).exp() for x in range(-30, 31)}
        total = sum(weights.values(), arb(0))
        distribution: dict[int, Probability] = {x: weight / total for x, weight in weights.items()}
    distributions = exact.pooled(distribution, -20, 20), exact.pooled(exact.shifted(distribution, 1), -20, 20)
    bracket = exact.rho(*distributions, [Fraction(3, 2), 2, 3, 8])
    assert bracket.high == pytest.approx(2, rel=1e-12)
    assert exact.rho(*distributions, [Fraction(3, 2)]).high < bracket.low


SCORES = [[0], [0, 0], [0, 2, 1], [3, 3, 0, 1]]


@pytest.mark.parametrize("scores", SCORES)
def test_the_exponential_distribution_by_hand(scores: list[int]) -> None:
    distribution = exact.exponential_distribution(scores, Fraction(3, 2), Fraction(1, 2))
    weights = [exp(1.5 * score) for score in scores]
    assert [float(distribution[(i,)]) for i in range(len(scores))] == pytest.approx([w / sum(weights) for w in weights])


def test_the_exponential_distribution_of_rounds_by_hand() -> None:
    distribution = exact.exponential_distribution([0, 2, 1], Fraction(2), k=2)
    a, b, c = (exp(score / 2) for score in (0, 2, 1))
    assert float(distribution[(1, 2)]) == pytest.approx(b / (a + b + c) * c / (a + c))
    assert set(distribution) == set(permutations(range(3), 2))


@pytest.mark.parametrize("scores", SCORES)
def test_the_permute_and_flip_distribution_over_all_permutations_and_coins(scores: list[int]) -> None:
    """Its definition, tried out: every order, every set of heads; the first that shows heads."""
    heads = [exp((score - max(scores)) / 2) for score in scores]
    found = [0.0] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        for coins in product((True, False), repeat=len(scores)):
            chance = 1.0
            for coin, probability in zip(coins, heads, strict=True):
                chance *= probability if coin else 1 - probability
            if chance:
                found[next(place for place in order if coins[place])] += chance / len(orders)
    distribution = exact.permute_and_flip_distribution(scores, Fraction(1))
    assert [float(distribution[i]) for i in range(len(scores))] == pytest.approx(found)
