"""An account in memory grants one plan's cost, once, and nothing of another measure."""

from fractions import Fraction

import pytest

from starling.errors import BudgetRefused, ParameterError
from starling.ledger.memory import OneCharge
from starling.privacy.budget import Epsilon
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.laws import DiscreteGaussian, DiscreteLaplace, Law
from starling.privacy.neighbours import ADD_REMOVE_PERSON


def counted(law: Law) -> Guarantee:
    return measurement("a count", ADD_REMOVE_PERSON, law)


def test_the_receipt_names_request_guarantee_and_account() -> None:
    guarantee = counted(DiscreteLaplace(Fraction(2)))
    receipt = OneCharge(Epsilon(Fraction(1, 2)), "first").charge(guarantee)
    assert (receipt.request_id, receipt.guarantee, receipt.account) == ("first", guarantee, "in memory")


def test_it_grants_once() -> None:
    account = OneCharge(Epsilon(Fraction(10)), "first")
    account.charge(counted(DiscreteLaplace(Fraction(2))))
    with pytest.raises(BudgetRefused, match="once"):
        account.charge(counted(DiscreteLaplace(Fraction(2))))


def test_a_charge_above_the_cap_is_refused_and_takes_nothing() -> None:
    account = OneCharge(Epsilon(Fraction(1, 3)), "first")
    with pytest.raises(BudgetRefused):
        account.charge(counted(DiscreteLaplace(Fraction(299, 100))))
    assert account.charge(counted(DiscreteLaplace(Fraction(3)))).guarantee.cost == Epsilon(Fraction(1, 3))


def test_measures_do_not_mix() -> None:
    with pytest.raises(ParameterError, match="measure"):
        OneCharge(Epsilon(Fraction(10)), "first").charge(counted(DiscreteGaussian(Fraction(10))))
