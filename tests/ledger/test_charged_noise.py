"""Amounts follow from what is chained, by the proof that a charge states; charges of before are checked and continued by theirs."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import IntegrityError, RequestConflict
from starling.ledger.book import WitnessWarning
from starling.ledger.charged_noise import EVENTS, RESIDUALS, amount, cost_of, events_met, key, noise, noise_as_charged
from starling.ledger.keys import Key
from starling.ledger.opening import Ledger, open_ledger
from starling.ledger.rules import UNIT, Population, Request, canonical, charge_in
from starling.ledger.witness import Witness
from starling.privacy.accounting.composition import events_of
from starling.privacy.budget import Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import MONOTONE, ZCDP, ExponentialMechanism, PermuteAndFlip, known_cost
from starling.privacy.guarantee import Guarantee, bounded_overlap, by_events, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON, as_replace_one
from starling.privacy.residual_events import ResidualEvents
from tests.ledger.worlds import Time, costing
from tests.privacy.test_residual_events import residuals

REPLACED = Population("replaced", "rho", REPLACE_PERSON)
PEOPLE = Population("people", "rho", ADD_REMOVE_PERSON)
PURE = Population("pure", "epsilon", REPLACE_PERSON)


def gaussian(sigma_squared: int, factor: Fraction = MONOTONE) -> Guarantee:
    return measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(sigma_squared)), 1, factor)


COUNT = gaussian(50)
LAPLACE = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(10)), 1, MONOTONE)
TWO = sequential("two counts", (LAPLACE, LAPLACE))
CHOICE = Guarantee("a choice", ADD_REMOVE_PERSON, ExponentialMechanism(Fraction(1, 2)))
FLIP = Guarantee("a flip", ADD_REMOVE_PERSON, PermuteAndFlip(Fraction(1, 2)))
LEVELS = bounded_overlap("levels", 9, (gaussian(50), sequential("stages", (gaussian(600), gaussian(70)))))
BOTH = bounded_overlap("either", 3, (CHOICE, FLIP, TWO))
JOINT = residuals(ResidualEvents((2, 2), ((0,), (1,)), 1, False, ((Fraction(200), Fraction(200)),)))
"""Two binary columns without a total: rho .01, .04 where one is replaced."""
APART = residuals(ResidualEvents((5, 5), ((), (0,)), 1, False, ((Fraction(100), Fraction(2000)),)))
"""A total of .005, for which a replacement costs nothing, and a column of .005, for which it costs .0125."""
EVERY = [COUNT, TWO, CHOICE, FLIP, LEVELS, BOTH, JOINT, APART]


def test_a_kind_of_noise_says_its_exact_cost() -> None:
    for guarantee in EVERY:
        stated = noise(guarantee)
        assert cost_of(stated.fields) == guarantee.cost
        assert key(json.loads(canonical({**stated.fields, "analyst": "ann"}))) == stated.key


def test_other_noise_of_the_same_cost_is_another_kind() -> None:
    two = measurement("b", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(200)), 2, MONOTONE)
    assert COUNT.cost == two.cost
    assert len({noise(each).key for each in (COUNT, two, gaussian(50, Fraction(4)))}) == 3
    assert noise(COUNT).key == noise(replace(COUNT, name="c")).key, "a name is no noise"
    assert noise(CHOICE).key != noise(FLIP).key


@pytest.mark.parametrize(
    ("population", "guarantee", "by_events", "by_total"),
    [
        (REPLACED, COUNT, "0.02", "0.04"),
        (REPLACED, gaussian(50, Fraction(4)), "0.04", "0.04"),
        (REPLACED, gaussian(50, Fraction(9, 4)), "0.0225", "0.04"),
        (REPLACED, LEVELS, "0.18", "0.36"),
        (REPLACED, TWO, "0.02", "0.08"),
        (REPLACED, CHOICE, "0.125", "0.5"),
        (REPLACED, FLIP, "0.5", "0.5"),
        (REPLACED, BOTH, "1.5", "4.5"),
        (REPLACED, JOINT, "0.04", "0.04"),
        (REPLACED, APART, "0.0125", "0.04"),
        (PEOPLE, APART, "0.01", "0.01"),
        (PEOPLE, COUNT, "0.01", "0.01"),
        (PEOPLE, LEVELS, "0.09", "0.09"),
        (PEOPLE, TWO, "0.01", "0.02"),
        (PEOPLE, CHOICE, "0.03125", "0.125"),
        (PEOPLE, FLIP, "0.125", "0.125"),
        (PURE, TWO, "0.4", "0.4"),
        (PURE, CHOICE, "1", "1"),
    ],
)
def test_an_amount_follows_from_what_is_chained_by_its_proof(
    population: Population, guarantee: Guarantee, by_events: str, by_total: str
) -> None:
    for proof, expected in ((noise(guarantee), by_events), (noise(guarantee, None), by_total)):
        chained = json.loads(canonical(proof.fields))
        assert amount(population, chained) == Fraction(expected) * UNIT
        assert noise_as_charged(guarantee, chained) == proof
    assert charge_in(population, guarantee) == Fraction(by_events) * UNIT


def test_residuals_that_were_charged_one_by_one_are_continued_so() -> None:
    chained = json.loads(canonical(noise(by_events(APART)).fields))
    assert (chained["proof"], noise(APART).fields["proof"]) == (EVENTS, RESIDUALS)
    assert amount(REPLACED, chained) == Fraction("0.0225") * UNIT
    assert noise_as_charged(APART, chained) == noise(by_events(APART))
    assert events_met(REPLACED, json.loads(canonical(noise(APART).fields))) == {(ZCDP(Fraction("0.0125")), 1)}
    for guarantee, proof in ((by_events(APART), RESIDUALS), (APART, EVENTS)):
        with pytest.raises(IntegrityError, match="proof is not that of the events"):
            amount(REPLACED, {**noise(guarantee).fields, "proof": proof})


def test_without_a_proof_the_fields_are_those_of_before() -> None:
    assert noise(CHOICE, None).fields == {
        "cost": {"epsilon": "1/2"},
        "change": "add-remove",
        "events": [[{"mechanism": "pure DP", "epsilon": "1/2"}, 1]],
    }


@pytest.mark.parametrize("guarantee", EVERY)
def test_accountants_compose_a_charge_as_they_compose_its_guarantee(guarantee: Guarantee) -> None:
    for proof in (noise(guarantee), noise(guarantee, None)):
        assert events_met(PEOPLE, json.loads(canonical(proof.fields))) == events_of(guarantee)
    before = json.loads(canonical(noise(guarantee, None).fields))
    assert events_met(REPLACED, before) == {(known_cost(as_replace_one(guarantee.cost)), 1)}


@pytest.mark.examples(20)
@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=100), st.fractions(min_value=Fraction(1, 1000), max_value=100)
)
def test_events_that_cost_something_else_than_stated_are_found(rho: Fraction, other: Fraction) -> None:
    fields = {**noise(costing(rho)).fields, "cost": {"rho": str(other)}}
    assert cost_of(fields) == Rho(other)
    if rho == other:
        assert amount(PEOPLE, fields)
    else:
        with pytest.raises(IntegrityError, match="events do not cost"):
            amount(PEOPLE, fields)


@pytest.mark.parametrize("proof", ["events/2", "", None, 1])
def test_a_proof_that_is_unknown_is_refused(proof: object) -> None:
    with pytest.raises(IntegrityError, match="proof is unknown"):
        amount(PEOPLE, {**noise(COUNT).fields, "proof": proof})


def asking(number: int, dataset: str = "replaced-data") -> Request:
    return Request("ann", f"request-{number}", dataset, canonical({"query": str(number)}))


@pytest.fixture
def before(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger that was written before charges stated a proof, all of it by the code of then.

    COUNT, CHOICE and TWO were charged to "replaced" and answered, TWO and LEVELS to "people", FLIP to "pure". The last charge, LEVELS to
    "replaced" by request 7, has committed to a draw and was not answered.
    """
    file = tmp_path / "ledger.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript((Path(__file__).parent / "without_proofs.sql").read_text())
    connection.close()
    with pytest.warns(WitnessWarning):
        ledger = open_ledger(
            f"sqlite:///{file}",
            key=Key(bytes([7] * 32)),
            witness=lambda _: Witness("before", tmp_path / "heads"),
            clock=Time().clock(),
        )
    yield ledger
    ledger.close()


def spent(ledger: Ledger) -> dict[str, Fraction]:
    names = ("replaced", "people", "pure")
    caps = {name: ledger.reading.account(name).caps for name in names}
    return {name: next(Fraction(c.spent, UNIT) for c in caps[name] if c.scope == "population") for name in names}


def test_a_ledger_of_before_opens_verifies_and_keeps_what_was_charged(before: Ledger) -> None:
    assert before.reading.verify().head.seq == 32
    assert spent(before) == {"replaced": Fraction("1.06"), "people": Fraction("0.11"), "pure": 1}
    # An answered request has its answer under the plan of today, at no cost.
    assert before.charging.charge(asking(1), COUNT).state == "answered"
    assert spent(before)["replaced"] == Fraction("1.06")


def test_an_open_charge_of_before_is_continued_and_paid_again_as_it_was_charged(before: Ledger) -> None:
    with pytest.raises(RequestConflict):
        before.charging.charge(asking(7), COUNT)
    ticket = before.charging.charge(asking(7), LEVELS)
    assert (ticket.state, ticket.amount, ticket.fresh) == ("charged", 0.36 * UNIT, False)
    ticket = before.charging.redraw(ticket, LEVELS)
    assert spent(before)["replaced"] == Fraction("1.42"), "the draw that was lost costs what it cost"
    ticket = before.charging.draw(ticket, "ab" * 32, "cd" * 16)
    before.charging.answer(ticket, "bytes", "YQ==")
    # A new charge of the same rests on the proof of today.
    assert before.charging.charge(asking(8), LEVELS).amount == 0.18 * UNIT
    assert spent(before)["replaced"] == Fraction("1.6")
    assert before.reading.verify().head.seq == 37
    assert before.reading.joint_disclosure("replaced").composed
