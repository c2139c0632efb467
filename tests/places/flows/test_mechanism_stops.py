"""Noisy legs: what a trip with stops and a person of such trips cost, exactly; and noise for trips alone, which costs more."""

from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.places.flows.counts import add_legs
from starling.places.flows.publication import mechanism_of
from starling.privacy.budget import Epsilon, Rho
from tests.places.flows.test_mechanism import loss
from tests.places.flows.worlds import plan

ONE: dict[str, Any] = {"flows": {"origin": "a", "destination": "b", "stops": ["via"]}}
PERSON: dict[str, Any] = {
    "flows": ONE["flows"] | {"person": "who"},
    "privacy": {"unit": "person", "trips_per_person": 2, "rho": "1/3"},
}


@pytest.mark.parametrize("changes", [ONE, PERSON])
def test_no_unit_costs_more_than_the_plan_says_and_some_cost_all_of_it(tmp_path: Path, changes: dict[str, Any]) -> None:
    of = plan(tmp_path, **changes)
    mechanism = mechanism_of(of)
    assert mechanism.guarantee.cost == of.cost
    assert of.legs == 2 * of.trips
    legs = np.zeros((of.codes, 1, 4, 4), dtype=np.int64)
    for code in range(of.codes):
        add_legs(of, np.array([code]), np.ones(1, dtype=np.int64), legs[code])
    # Of the many ways each set of legs once: those of a person are sums of those of trips.
    different = list({each.tobytes(): each for each in legs[:, 0]}.values())
    largest = Fraction(0)
    for unit in combinations_with_replacement(different[:: 1 if of.trips == 1 else 3], of.trips):
        largest = max(largest, loss(of.levels, of.cost, of.legs, sum(unit)))
    assert largest == of.cost.amount
    # The mutant: noise for so many trips, and not for their legs.
    worst = of.trips * max(different, key=lambda each: each.max())
    assert loss(of.levels, of.cost, of.trips, worst) == of.cost.amount * {Epsilon: 2, Rho: 4}[type(of.cost)]
