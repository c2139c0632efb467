"""Noisy trips for pairs of levels: what a trip and a person cost, exactly; whole budgets; and mutants that cost more."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from starling.places.arrays import Int64
from starling.places.flows import mechanism
from starling.places.flows.measurements import summed
from starling.places.flows.mechanism import PairsOfLevels
from starling.places.flows.plan import Levels
from starling.places.plan.records import RELATIONS
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from tests.places.flows.worlds import SHARES, levels

COSTS = (Epsilon(Fraction(1, 3)), Rho(Fraction(1, 3)))


def units(areas: int, trips: int) -> Iterator[Int64]:
    """All that one unit may have: up to so many trips between areas."""
    for many in range(1, trips + 1):
        for cells in combinations_with_replacement(range(areas**2), many):
            yield np.bincount(cells, minlength=areas**2).reshape(areas, areas)


def loss(of: Levels, cost: Cost, trips: int, unit: Int64) -> Fraction:
    """The largest log ratio of probabilities of releases with and without a unit, or the rho of it: exact.

    Of discrete Laplace noise the ratio is exp(|d|/b) for values beyond both; numbers are independent, so that they add up.
    """
    whole = Fraction(0)
    for pair in of.pairs:
        noise, changed = of.noise(pair, cost, trips), summed(of, unit, pair)
        if isinstance(noise, DiscreteLaplace):
            whole += int(np.abs(changed).sum()) / noise.scale
        else:
            assert isinstance(noise, DiscreteGaussian)
            whole += int((changed**2).sum()) / (2 * noise.sigma_squared)
    return whole


@pytest.mark.parametrize(("shares", "cost", "trips"), list(product(SHARES, COSTS, (1, 2))))
def test_no_unit_costs_more_than_the_plan_says_and_some_cost_all_of_it(
    shares: tuple[int, ...], cost: Cost, trips: int
) -> None:
    of = levels(*shares)
    relation = RELATIONS["trip" if trips == 1 else "person"]
    assert PairsOfLevels(of, relation, cost, trips).guarantee.cost == cost
    assert max(loss(of, cost, trips, unit) for unit in units(of.areas, trips)) == cost.amount


def test_a_trip_that_lies_in_two_nodes_or_a_share_of_one_end_alone_would_cost_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of, cost = levels(1, 1, 2), COSTS[0]
    trip = np.eye(of.areas, dtype=np.int64)[:1].T @ np.eye(of.areas, dtype=np.int64)[:1]
    assert loss(of, cost, 1, trip) == cost.amount
    assert loss(of, cost, 1, 2 * trip) > cost.amount
    monkeypatch.setattr(
        Levels, "noise", lambda self, pair, cost, trips: DiscreteLaplace(trips / (cost.amount * self.shares[pair[0]]))
    )
    assert loss(of, cost, 1, trip) > cost.amount


def test_numbers_are_drawn_once_around_sums_of_their_areas(monkeypatch: pytest.MonkeyPatch) -> None:
    of, exact = levels(1, 1, 2), np.arange(16).reshape(4, 4)
    drawn: list[tuple[object, tuple[int, ...]]] = []

    def nothing(noise: object, shape: tuple[int, ...]) -> Int64:
        drawn.append((noise, shape))
        return np.zeros(shape, dtype=np.int64)

    monkeypatch.setattr(mechanism, "draw", nothing)
    numbers = PairsOfLevels(of, RELATIONS["trip"], COSTS[0]).draw(exact)
    assert drawn == [(of.noise(pair, COSTS[0], 1), (of.sizes[pair[0]], of.sizes[pair[1]])) for pair in of.pairs]
    slow = [
        [
            [
                sum(
                    exact[i, j]
                    for i, j in product(range(4), repeat=2)
                    if (of.nodes_of_areas[one][i], of.nodes_of_areas[other][j]) == (a, b)
                )
                for b in range(of.sizes[other])
            ]
            for a in range(of.sizes[one])
        ]
        for one, other in of.pairs
    ]
    assert [each.tolist() for each in numbers] == slow
