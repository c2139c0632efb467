"""What a custodian is told that a charge would leave is what it leaves."""

from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import pytest

from starling.errors import PolicyRefused
from starling.ledger.opening import open_ledger
from starling.ledger.rules import Request, shown
from starling.server.approval_requests import ReducedApproval
from starling.server.consequences import consequences
from starling.server.home import Home
from tests.ledger.worlds import costing

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.mark.parametrize("less", [None, Fraction(1, 2)])
def test_it_is_what_the_charge_leaves(selling: Home, less: Fraction | None) -> None:
    request = Request("analyst", "first", "census", '{"count":1}')
    waiting = selling.requests.ask(request, "A count", costing(1), "why")
    if less is not None:
        waiting = replace(waiting, reduced=ReducedApproval('{"count":2}', costing(less)))
    with closing(open_ledger(selling.settings.ledger)) as ledger:
        expected = consequences(ledger, waiting)
        ledger.charging.charge(waiting.approved, waiting.price)
        caps = ledger.reading.account("people").caps
    left = {f"{cap.scope} {cap.name}": None if cap.left is None else shown(cap.left) for cap in caps}
    assert dict(expected.left) == left
    assert expected.population.name == "people"
    amount = shown(10**9 if less is None else 10**9 // 2)
    assert f"rho {amount} lets everybody" in expected.reveals


def test_what_could_not_be_charged_has_none(selling: Home) -> None:
    waiting = selling.requests.ask(Request("eve", "first", "census", "{}"), "A count", costing(1), "why")
    with closing(open_ledger(selling.settings.ledger)) as ledger, pytest.raises(PolicyRefused, match="no grant"):
        consequences(ledger, waiting)
