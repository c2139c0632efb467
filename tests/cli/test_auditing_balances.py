"""Accounts as text and for machines, at their edges: no cap, no charge, retired, too many kinds of noise."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from starling.cli.auditing import account_json, account_text
from starling.ledger.disclosure import JointDisclosure
from starling.ledger.reading import Account, Balance, Charge
from starling.ledger.rules import UNIT, Cap, Population
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import REPLACE_PERSON

STUDY = Population("study", "epsilon", REPLACE_PERSON, retired=True)
THIRD = Epsilon(Fraction(1, 3))
LAST = Charge(5, 4_000_000_000, 64 * "0", "ann", "r1", "first", "alleles", THIRD, UNIT // 3 + 1, "voided", 1, None)
NOTHING = JointDisclosure(0, Fraction(0), Fraction(1, 10**10), composed=False)
SOME = JointDisclosure(UNIT // 3 + 1, Fraction(1, 3), Fraction(1, 10**10), composed=False)


def account(*charges: Charge) -> Account:
    last = charges[0] if charges else None
    balances = (
        Balance(Cap(2, "population", "study", UNIT, 0, None), None),
        Balance(Cap(3, "dataset", "first", None, 0, None), last),
        Balance(Cap(4, "analyst", "ann", UNIT // 2, UNIT // 3 + 1, None), last),
    )
    return Account(STUDY, balances, charges)


def test_nothing_is_spent() -> None:
    text = account_text(account(), NOTHING)
    assert text.startswith("study: epsilon, replace one person, retired\n")
    assert "about" not in text.split("Nothing")[0]
    assert text.endswith("Nothing was released about the population study yet.")
    assert account_json(account(), NOTHING)["charges"] == []


def test_amounts_are_exact_and_costs_rounded_up() -> None:
    text = account_text(account(LAST), SOME)
    assert "dataset first     none" in text
    assert "0.333333334" in text
    assert "epsilon 0.333334" in text
    assert "2096-10-02 07:06" in text
    assert "too many to compose" in text
    assert "about 0 more" in text
    machine = account_json(account(LAST), SOME)
    assert machine["joint"] == {
        "spent": "0.333333334",
        "epsilon": "0.333334",
        "delta": "1/10000000000",
        "composed": False,
    }
    (charge,) = cast(list[dict[str, Any]], machine["charges"])
    assert charge["cost"] == {"epsilon": "1/3"}
    assert charge["state"] == "voided"


def test_a_long_title_stays_in_its_line_and_machines_get_all_of_it() -> None:
    long = replace(LAST, what="Sex by age\x1b[2J of\ndetailed groups " + "and more " * 9)
    text = account_text(account(long), SOME)
    assert "  Sex by age [2J of detailed groups and m…  " in text
    (charge,) = cast(list[dict[str, Any]], account_json(account(long), SOME)["charges"])
    assert charge["what"] == long.what
