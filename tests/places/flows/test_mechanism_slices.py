"""Flows by slices: what a unit costs over all of them, exactly, and which numbers are drawn."""

from fractions import Fraction
from itertools import chain, combinations_with_replacement

import numpy as np
import pytest

from starling.places.arrays import Int64
from starling.places.flows.mechanism import PairsOfLevels
from starling.places.flows.plan import Levels
from starling.places.plan.records import RELATIONS
from starling.privacy.budget import Cost, Epsilon, Rho
from tests.places.flows.test_mechanism import loss

WORLD = Levels((1, 2), (np.zeros(2, dtype=np.int64),), (Fraction(1, 3), Fraction(2, 3)))
SLICES = 2
COSTS: tuple[Cost, ...] = (Epsilon(Fraction(1, 3)), Rho(Fraction(1, 3)))


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("trips", [1, 2])
def test_no_unit_costs_more_however_its_trips_lie_in_slices(cost: Cost, trips: int) -> None:
    """All that one unit may have, of at most so many trips in two slices of four pairs; k trips in each slice would cost more."""
    size = SLICES * WORLD.areas**2

    def units(many: int) -> list[Int64]:
        return [
            np.bincount(cells, minlength=size).reshape(SLICES, WORLD.areas, WORLD.areas)
            for cells in combinations_with_replacement(range(size), many)
        ]

    losses = [
        loss(WORLD, cost, trips, unit) for unit in chain.from_iterable(units(many) for many in range(1, trips + 1))
    ]
    assert max(losses) == cost.amount
    assert max(loss(WORLD, cost, trips, unit) for unit in units(trips * SLICES)) > cost.amount


def test_every_slice_is_drawn_apart_around_its_own_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "starling.places.flows.mechanism.draw", lambda _, shape: np.arange(np.prod(shape)).reshape(shape)
    )
    exact = np.arange(8).reshape(2, 2, 2)
    drawn = PairsOfLevels(WORLD, RELATIONS["trip"], COSTS[0]).draw(exact)
    assert [each.shape for each in drawn] == [(2, 1, 1), (2, 1, 2), (2, 2, 1), (2, 2, 2)]
    assert drawn[0].tolist() == [[[6]], [[22 + 1]]]
    assert drawn[1].tolist() == [[[2, 4 + 1]], [[10 + 2, 12 + 3]]]
