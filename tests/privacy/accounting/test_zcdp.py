"""The cost in zCDP by events: never below the exact divergence of any neighbours, and the figures of the SafeTab and DDHC plans.

Small mechanisms are tried on all databases of up to three units, with their exact Renyi divergences. Each wrong factor is rejected.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.audit import exact
from starling.errors import ParameterError
from starling.privacy.accounting.composition import detailed_events_of
from starling.privacy.accounting.zcdp import epsilon_of, replace_one_cost, rho_of
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.events import (
    ANY,
    MONOTONE,
    DiscreteGaussianNoise,
    ExponentialMechanism,
    PermuteAndFlip,
    factor_of_bounds,
)
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential, without_factors
from starling.privacy.neighbours import ADD_REMOVE_PERSON, as_replace_one
from tests.privacy import safetab

ORDERS = np.array([1.001, 1.5, 2.0, 5.0, 20.0])
REACH = 60
"""How far from its number a noisy one is looked at: beyond lies less than e^-100 of the noises here."""
Floats = npt.NDArray[np.float64]


def log_sum(values: Floats) -> Floats:
    """The logarithm of the sum of e^value, over the last axis."""
    largest = values.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(values - largest).sum(axis=-1)) + largest[..., 0])


@cache
def log_chances(noise: Distribution) -> Floats:
    x = np.arange(-REACH, REACH + 1)
    falls = (
        x**2 / (2 * float(noise.sigma_squared)) if isinstance(noise, DiscreteGaussian) else abs(x) / float(noise.scale)
    )
    return np.asarray(-falls - log_sum(-falls))


@cache
def terms(noise: Distribution, moved: int) -> Floats:
    """The logarithms of p^order q^(1 - order), (orders, outcomes), for noise on numbers that differ by `moved` >= 0."""
    chances = log_chances(noise)
    p, q = (chances[moved:], chances[: len(chances) - moved]) if moved else (chances, chances)
    return np.asarray(ORDERS[:, None] * p + (1 - ORDERS[:, None]) * q)


def log_moment(noise: Distribution, moved: int) -> Floats:
    return log_sum(terms(noise, abs(moved)))


Query = Callable[[Sequence[int]], int]
"""A number of a database, which is a sequence of kinds of units."""


@dataclass(frozen=True)
class TwoStages:
    """A noisy number, and then one of two others, by whether the first is at least `cut`."""

    queries: tuple[Query, Query, Query]
    noises: tuple[Distribution, Distribution, Distribution]
    cut: int

    def guarantee(self, factor: Fraction, sensitivity: int = 1) -> Guarantee:
        first, *then = (measurement("a number", ADD_REMOVE_PERSON, each, sensitivity, factor) for each in self.noises)
        return sequential("two stages", (first, bounded_overlap("one of two", 1, then)))

    def rho(self, one: Sequence[int], other: Sequence[int]) -> float:
        """The largest divergence by its order between two databases, both ways, exactly but for rounding and far tails."""
        return float(max(self.by_order(one, other).max(), self.by_order(other, one).max()))

    def by_order(self, one: Sequence[int], other: Sequence[int]) -> Floats:
        """The divergence of each order, by the order."""
        first, second = self.queries[0](one), self.queries[0](other)
        moved = second - first
        summands = terms(self.noises[0], abs(moved))
        outcomes = np.arange(summands.shape[1]) - REACH + (max(moved, 0) + first)
        if moved < 0:
            # Mirrored: the noise is symmetric.
            outcomes = (first + min(moved, 0) + REACH) - np.arange(summands.shape[1])
        then = [log_moment(self.noises[i], self.queries[i](one) - self.queries[i](other))[:, None] for i in (1, 2)]
        whole = log_sum(summands + np.where(outcomes >= self.cut, then[0], then[1]))
        return np.asarray(whole / (ORDERS - 1) / ORDERS)


def replaced(kinds: int, most: int = 2) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of databases of up to `most` common units and one that is replaced."""
    for size in range(most + 1):
        for common in combinations_with_replacement(range(kinds), size):
            for a, b in combinations_with_replacement(range(kinds), 2):
                yield (*common, a), (*common, b)


def of_weights(weights: Sequence[int]) -> Query:
    return lambda units: sum(weights[unit] for unit in units)


def of_presence(weights: Sequence[int]) -> Query:
    """Whether any unit of some kinds is there: monotone, and not a sum."""
    return lambda units: int(any(weights[unit] for unit in units))


KINDS = 3
monotone = st.tuples(*[st.integers(0, 1)] * KINDS).flatmap(
    lambda weights: st.sampled_from([of_weights(weights), of_presence(weights)])
)
noises = st.sampled_from(
    [
        DiscreteGaussian(Fraction(2)),
        DiscreteGaussian(Fraction(8)),
        DiscreteLaplace(Fraction(2)),
        DiscreteLaplace(Fraction(5)),
    ]
)


def of_one_measure(three: tuple[Distribution, ...]) -> bool:
    return len({type(each) for each in three}) == 1


two_stages = st.builds(
    TwoStages, st.tuples(*[monotone] * 3), st.tuples(*[noises] * 3).filter(of_one_measure), st.integers(-2, 4)
)


def in_rho(guarantee: Guarantee) -> float:
    return float(rho_of(detailed_events_of(guarantee), replaced=True))


@pytest.mark.examples(25)
@given(two_stages)
def test_no_replacement_costs_more_than_twice_a_monotone_mechanism(mechanism: TwoStages) -> None:
    most = max(mechanism.rho(*pair) for pair in replaced(KINDS))
    assert most <= in_rho(mechanism.guarantee(MONOTONE)) * (1 + 1e-9)


@pytest.mark.examples(10)
@given(two_stages, st.lists(st.frozensets(st.integers(0, 2), min_size=1, max_size=2), min_size=KINDS, max_size=KINDS))
def test_nor_where_units_lie_in_several_groups(mechanism: TwoStages, groups: list[frozenset[int]]) -> None:
    """Each of three groups has the mechanism of its own, and a unit lies in at most two of them."""

    def within(units: Sequence[int], group: int) -> list[int]:
        return [unit for unit in units if group in groups[unit]]

    def rho(one: Sequence[int], other: Sequence[int]) -> float:
        return float(
            np.sum([mechanism.by_order(within(one, each), within(other, each)) for each in range(3)], axis=0).max()
        )

    most = max(rho(*each) for pair in replaced(KINDS, 1) for each in (pair, pair[::-1]))
    whole = bounded_overlap("groups", 2, (mechanism.guarantee(MONOTONE),))
    assert most <= in_rho(whole) * (1 + 1e-9)


def counts(*weights: tuple[int, ...]) -> TwoStages:
    noise = DiscreteGaussian(Fraction(8))
    first, second, third = map(of_weights, weights)
    return TwoStages((first, second, third), (noise, noise, noise), 1)


def test_a_factor_below_two_is_reached_and_refused() -> None:
    """Two units of different cells: rho and rho. A factor of 1, or 1.9, would be wrong."""
    mechanism = counts((1, 0, 0), (0, 1, 0), (0, 1, 0))
    most = max(mechanism.rho(*pair) for pair in replaced(KINDS))
    assert most > 1.99 * float(rho_of(detailed_events_of(mechanism.guarantee(ANY)))) / 2
    cells = 2 * float(np.max(log_moment(DiscreteGaussian(Fraction(8)), 1) / (ORDERS - 1) / ORDERS))
    assert cells == pytest.approx(2 / 16, rel=1e-4), "a cell loses one, another gains one"
    for factor in (Fraction(1), Fraction(19, 10), Fraction(5)):
        with pytest.raises(ParameterError, match="replacement_factor"):
            DiscreteGaussianNoise(Fraction(8), Fraction(1), factor)


def test_differences_reach_four_and_are_not_monotone() -> None:
    mechanism = counts((1, -1, 0), (1, -1, 0), (1, -1, 0))
    most = max(mechanism.rho(*pair) for pair in replaced(KINDS))
    assert most > 1.9 * in_rho(mechanism.guarantee(MONOTONE)), "a mutant that declares them so is caught"
    assert most <= in_rho(mechanism.guarantee(ANY)) * (1 + 1e-9)


@pytest.mark.parametrize(("low", "high"), [(0, 4), (-1, 4), (-2, 4), (-4, 4), (-4, 1), (2, 4), (-4, -2)])
def test_the_factor_of_a_sum_follows_from_its_bounds(low: int, high: int) -> None:
    """Reached where it is above 2: by a unit of the least term in the place of one of the largest."""
    factor, most = factor_of_bounds(low, high), max(abs(low), abs(high))
    noise = DiscreteGaussian(Fraction(40))
    exact = float(np.max(log_moment(noise, high - low) / (ORDERS - 1) / ORDERS))
    stated = float(DiscreteGaussianNoise(noise.sigma_squared, Fraction(most**2), factor).cost.amount * factor)
    assert exact <= stated * (1 + 1e-9)
    if factor > MONOTONE:
        assert exact > 0.999 * stated


def test_bounds_of_nothing_are_refused() -> None:
    for low, high in ((0, 0), (3, 1)):
        with pytest.raises(ParameterError, match="bounds"):
            factor_of_bounds(low, high)


def chosen_rho(
    distribution: Callable[[list[int], Fraction], Mapping[Any, Any]], epsilon: Fraction, *scores: Sequence[int]
) -> float:
    """The largest divergence by its order between the choices by two vectors of scores, exactly but for rounding."""
    p, q = ([log(float(chance)) for chance in distribution([*each], epsilon).values()] for each in scores)
    summands = ORDERS[:, None] * np.array(p) + (1 - ORDERS[:, None]) * np.array(q)
    return float(np.max(log_sum(summands) / (ORDERS - 1) / ORDERS))


def test_the_exponential_mechanism_costs_an_eighth_and_permute_and_flip_does_not() -> None:
    one = Fraction(1)
    costs = [rho_of(detailed_events_of(a_choice(kind(one)))) for kind in (ExponentialMechanism, PermuteAndFlip)]
    assert costs == [Fraction(1, 8), Fraction(1, 2)]
    scores = [(0, -lower) for lower in range(5)] + [(0, -lower, -lower) for lower in range(1, 5)]
    pairs = [
        (each, tuple(map(sum, zip(each, move, strict=True))))
        for each in scores
        for move in product((-1, 0, 1), repeat=len(each))
    ]
    assert max(chosen_rho(exact.exponential_distribution, one, *pair) for pair in pairs) <= 1 / 8 * (1 + 1e-9)
    assert 1 / 8 < max(chosen_rho(exact.permute_and_flip_distribution, one, *pair) for pair in pairs) <= 1 / 2


def a_choice(event: ExponentialMechanism | PermuteAndFlip) -> Guarantee:
    return Guarantee("a choice", ADD_REMOVE_PERSON, event)


def test_a_selection_can_cost_four_times_as_much_when_a_unit_is_replaced() -> None:
    """One score falls by 2 and the other rises by 2: a factor of 2 for selections is caught."""
    small = Fraction(1, 10)
    most = chosen_rho(exact.exponential_distribution, small, (0, 0), (2, -2))
    assert 3.9 * small**2 / 8 < most <= 4 * small**2 / 8


def geometric(factor: Fraction) -> Guarantee:
    return safetab.safetab(safetab.GEOMETRIC, safetab.laplace_of, factor)


def test_safetab_with_geometric_noise_in_a_rho_population() -> None:
    """2.773 by its events, where half the square of 15.29 was charged; the exact losses of two values give 2.73."""
    events = detailed_events_of(geometric(MONOTONE))
    assert epsilon_of(events) == Fraction("15.29")
    assert f"{float(rho_of(events)):.3f}" == "2.773"
    assert f"{float(rho_of(events, replaced=True)):.3f}" == "5.546"
    assert f"{float(Fraction('15.29') ** 2 / 2):.2f}" == "116.89"


def test_the_2020_release_when_one_person_is_replaced() -> None:
    """Its events are counts: rho 9.888, where group privacy says 19.776."""
    plan = safetab.safetab(("2.472", "2.472"), safetab.gaussian_of, MONOTONE)
    assert plan.cost == Rho(Fraction("4.944"))
    assert replace_one_cost(plan) == Rho(Fraction("9.888"))
    assert replace_one_cost(without_factors(plan)) == as_replace_one(plan.cost) == Rho(Fraction("19.776"))


def test_pure_dp_doubles_whatever_is_declared() -> None:
    assert replace_one_cost(geometric(MONOTONE)) == replace_one_cost(geometric(ANY)) == Epsilon(Fraction("30.58"))
