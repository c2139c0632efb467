"""What a charge would take: as the charge then takes it, on both stores, and nothing is written."""

from fractions import Fraction

import pytest

from starling.errors import BudgetRefused, ParameterError, PolicyRefused, RequestConflict
from tests.ledger.worlds import World, costing, request


def test_a_charge_is_foreseen_as_it_is_made(world: World) -> None:
    world.charge(1, Fraction(1, 2))
    head = world.ledger.reading.head()
    found = world.ledger.charging.preview(request(2), costing(Fraction(3, 2)))
    assert world.ledger.reading.head() == head, "nothing is written"
    assert [(cap.scope, cap.name) for cap in found.standing.caps] == [
        ("analyst", "ann"),
        ("dataset", "census"),
        ("population", "people"),
    ]
    before = {cap.name: cap.left for cap in found.standing.caps}
    assert before == {"ann": 5_500_000_000, "census": 7_500_000_000, "people": 9_500_000_000}
    assert found.more == 2, "5.5 holds three of 1.5"
    world.charge(2, Fraction(3, 2))
    after = world.ledger.reading.account("people")
    assert {cap.name: cap.left for cap in after.caps if cap.name in before} == {
        name: left - found.amount for name, left in before.items() if left is not None
    }


def test_what_would_be_refused_is_refused(world: World) -> None:
    with pytest.raises(BudgetRefused, match="ann has 6 left of 6, the charge is 7"):
        world.ledger.charging.preview(request(1), costing(7))
    with pytest.raises(PolicyRefused, match="eve has no grant"):
        world.ledger.charging.preview(request(1, analyst="eve"), costing(1))
    with pytest.raises(ParameterError, match="dataset"):
        world.ledger.charging.preview(request(1, dataset="other"), costing(1))
    world.charge(1)
    with pytest.raises(RequestConflict):
        world.ledger.charging.preview(request(1, body="another"), costing(1))
