"""privacy.json says what the receipt says, exactly, under both adjacencies."""

import json
import re
from fractions import Fraction
from typing import Any

import pytest

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import PermuteAndFlip
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON, Relation
from starling.privacy.trust import Entry, Receipt
from starling.release.claims import NO_ADD_REMOVE
from starling.release.statement import OWN, UNLIMITED, UNVALIDATED, VALIDATED, Particulars, signer, statement
from starling.release.statement import account as account_of
from starling.release.statement import receipt as read_receipt
from tests.account import OneCharge


def two_levels(relation: Relation = ADD_REMOVE_PERSON) -> Guarantee:
    """A level of overlap 9 and one of overlap 2, rho 9/20 + 1/3."""
    one = measurement("first", relation, DiscreteGaussian(Fraction(10)))
    two = measurement("second", relation, DiscreteGaussian(Fraction(3)))
    return sequential("all", (bounded_overlap("a", 9, (one,)), bounded_overlap("b", 2, (two,))))


def stated(receipt: Receipt) -> dict[str, Any]:
    """The statement as a reader of the file gets it."""
    loaded: dict[str, Any] = json.loads(
        json.dumps(statement(receipt, Particulars("test", {"name": "test"}, {"most": 3}, ("population",))))
    )
    return loaded


def test_cost_stands_under_both_adjacencies() -> None:
    found = stated(Receipt("id", two_levels(), "in memory"))
    assert found["protected_unit"] == "person"
    assert found["neighbours"] == {"change": "add-remove", "unit": "person", "words": "add or remove one person"}
    assert found["measure"]["name"] == "rho"
    assert found["cost"] == {
        "add-remove": {"rho": "47/60", "decimal": "0.783334"},
        "replace-one": {"rho": "47/15", "decimal": "3.133334"},
    }
    assert found["approximate_dp"]["delta"] == "1e-10"
    assert 8 < float(found["approximate_dp"]["epsilon"]) < 9.28, "below the analytic bound"
    assert found["invariants"] == ["population"]
    assert found["bounds"] == {"most": 3}
    assert (found["domain"], found["mechanism"]) == ("test", {"name": "test"})


def test_an_adjacency_that_does_not_exist_is_null_with_the_reason() -> None:
    cost = stated(Receipt("id", two_levels(REPLACE_PERSON), "in memory"))["cost"]
    assert cost["add-remove"] is None
    assert cost["add-remove_reason"] == NO_ADD_REMOVE
    assert cost["replace-one"]["rho"] == "47/60"


def total(node: dict[str, Any]) -> Fraction:
    """The cost of a composition, computed again from its leaves and distributions by somebody who reads the file alone."""
    if "parts" not in node:
        event = node["event"]
        if event["mechanism"] == "discrete Laplace noise":
            return Fraction(event["l1_sensitivity"]) / Fraction(event["scale"])
        return Fraction(event["squared_l2_sensitivity"]) / (2 * Fraction(event["sigma_squared"]))
    parts = [total(part) for part in node["parts"]]
    return sum(parts, Fraction(0)) if node["composition"] == "sequential" else node["overlap"] * max(parts)


@pytest.mark.parametrize(
    "guarantee",
    [
        two_levels(),
        measurement("one count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(7, 3)), 2),
        bounded_overlap("x", 3, (measurement("a", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(1))),)),
    ],
)
def test_the_cost_can_be_recomputed_from_the_composition(guarantee: Guarantee) -> None:
    found = stated(Receipt("id", guarantee, "in memory"))
    assert total(found["composition"]) == guarantee.cost.amount
    assert Fraction(found["cost"]["add-remove"][guarantee.cost.measure]) == guarantee.cost.amount


def test_an_account_in_memory_says_that_nothing_limits_a_second_release() -> None:
    guarantee = two_levels()
    receipt = OneCharge(guarantee.cost, "abc").charge(guarantee)
    account = stated(receipt)["account"]
    today = account.pop("day")
    words = {"limits": UNLIMITED, "validation": UNVALIDATED}
    assert account == {"name": "in memory", "request_id": "abc", **words, "validated": False, "ledger": None}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", today)
    assert signer(receipt) is None


def test_the_place_in_the_ledger_is_stated() -> None:
    place: dict[str, Any] = {
        "position": 5,
        "head": "ab",
        "dataset": "census",
        "population": "people",
        "signer": "01" * 32,
        "inside": False,
    }
    receipt = Receipt("id", two_levels(), "ledger-1", Entry(**place))
    account = stated(receipt)["account"]
    assert account["ledger"] == place
    assert "recorded by ledger ledger-1, which refuses" in account["limits"]
    key = signer(receipt)
    assert key is not None
    assert key.text == "01" * 32


@pytest.mark.parametrize(("inside", "said", "holds"), [(False, True, True), (True, True, False), (False, "yes", False)])
def test_validated_records_are_stated_where_a_ledger_of_its_own_can_know(
    inside: bool, said: object, holds: bool
) -> None:
    receipt = Receipt("id", two_levels(), "x", Entry(5, "ab", "census", "people", "01" * 32, inside), validated=True)
    account = stated(receipt)["account"]
    assert (account["validated"], account["validation"]) == (True, VALIDATED)
    told = account | {"validated": said}
    assert (account_of(read_receipt(told, two_levels())) == told) is holds


def test_a_ledger_inside_a_release_limits_nothing() -> None:
    entry = Entry(5, "ab", "records", "people", "01" * 32, inside=True)
    assert stated(Receipt("id", two_levels(), "x", entry))["account"]["limits"] == OWN


def test_a_selection_states_its_mechanism() -> None:
    selection = Guarantee("choice", ADD_REMOVE_PERSON, PermuteAndFlip(Fraction(1, 2)))
    event = {"mechanism": "permute-and-flip", "epsilon": "1/2", "score_sensitivity": "1"}
    assert stated(Receipt("id", selection, "ledger x"))["composition"]["event"] == event


def test_nothing_but_the_day_is_said_of_when_it_was_charged() -> None:
    said = stated(Receipt("id", two_levels(), "x", day="2031-05-05"))
    assert said["account"].pop("day") == "2031-05-05"
    assert "2031" not in json.dumps(said)


def test_a_receipt_is_read_back_from_what_was_said_of_it() -> None:
    entry = Entry(5, "ab" * 32, "census", "people", "cd" * 32)
    for receipt in (Receipt("id", two_levels(), "x", day="2031-05-05"), Receipt("id", two_levels(), "x", entry)):
        again = read_receipt(json.loads(json.dumps(stated(receipt)["account"])), two_levels())
        assert (again, again.day) == (receipt, receipt.day)
