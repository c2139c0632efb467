"""Whether a ledger holds the charge of a release: every way in which it may not is told apart."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from starling.ledger.chain import START, Counts, Event, digest
from starling.ledger.keys import Key
from starling.ledger.rules import UNIT, canonical
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.privacy.events import known_cost
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from starling.release.ledger_check import Charged, check, check_earlier
from starling.release.manifest import answer
from starling.release.statement import AddsTo

KEY = Key(bytes(32)).public
MEASURED = {"data/measurements/state.parquet": "2" * 64}
MANIFEST = answer({"a": "1" * 64, **MEASURED})
ONE = measurement("count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(1, 2)))


def chain(*bodies: tuple[str, Mapping[str, object]]) -> list[Event]:
    """Events with hashes that follow."""
    events: list[Event] = []
    for seq, (kind, body) in enumerate(bodies, 1):
        text = canonical(body)
        events.append(Event(seq, kind, 7, text, digest(events[-1].hash if events else START, seq, kind, 7, text)))
    return events


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


CREATE = ("create", {"id": "ledger-1", "signer": KEY.text, "version": "1", "second": ""})
POPULATION = ("population", {"name": "people", "measure": "rho", "change": "add-remove", "unit": "person", "cap": 10})
DATASET = ("dataset", {"name": "census", "population": "people", "schema": "{}", "cap": None})
CHARGE = ("charge", {"request_id": "r-1", "dataset": "census", "amount": UNIT, "analyst": "ann", "cost": "rho 1"})
ANSWER = ("answer", {"charge": 4, "sha256": sha256(MANIFEST)})
DRAWN = ("drawn", {"charge": 4, "sha256": sha256(answer(MEASURED)), "key": "0a"})
REDRAWN = {"charge": 4, "amount": UNIT}
AFTER = ("charge", {"request_id": "r-2", "dataset": "census", "amount": 5, "analyst": "bob", "cost": "rho 1"})
EVENTS = chain(CREATE, POPULATION, DATASET, CHARGE, AFTER, DRAWN, ANSWER, ("answer", {"charge": 5, "sha256": ""}))


def charged(events: list[Event], guarantee: Guarantee = ONE) -> Charged:
    """A release that was charged as event 4 of these."""
    return Charged("ledger-1", 4, events[3].hash, "r-1", "census", "people", guarantee, MANIFEST, KEY)


def said(release: Charged, events: list[Event]) -> str:
    """All problems as text."""
    return "\n".join(str(problem) for problem in check(release, iter(events)).findings)


def test_a_charge_that_is_there_is_found() -> None:
    assert said(charged(EVENTS), EVENTS) == ""


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        (replace(charged(EVENTS), ledger="ledger-2"), "is another one than the release was charged to"),
        (replace(charged(EVENTS), position=5), "is not the one that the release was charged as"),
        (replace(charged(EVENTS), position=3, head=EVENTS[2].hash), "is no charge"),
        (replace(charged(EVENTS), position=99), "ends at event 8, and the release was charged as event 99"),
        (replace(charged(EVENTS), head="0" * 64), "the ledger was rewritten"),
        (replace(charged(EVENTS), request_id="r-2"), "another request or dataset"),
        (replace(charged(EVENTS), dataset="other"), "another request or dataset"),
        (replace(charged(EVENTS), population="others"), "another population"),
        (replace(charged(EVENTS), manifest=answer({})), "was answered by another release"),
        (replace(charged(EVENTS), signer=Key(bytes([1] * 32)).public), "another key"),
        (
            replace(
                charged(EVENTS), guarantee=measurement("count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(1, 4)))
            ),
            "charged 1 and the release costs 2 in rho",
        ),
        (
            replace(charged(EVENTS), guarantee=measurement("count", REPLACE_PERSON, DiscreteGaussian(Fraction(1, 2)))),
            "cannot have been charged to a population of that",
        ),
    ],
)
def test_a_release_that_states_something_else_is_found(release: Charged, expected: str) -> None:
    assert expected in said(release, EVENTS)


def test_in_a_replace_one_population_an_add_remove_release_costs_four_times_the_rho() -> None:
    replaced = ("population", {**POPULATION[1], "change": "replace-one"})
    dear = ("charge", {**CHARGE[1], "amount": 4 * UNIT})
    events = chain(CREATE, replaced, DATASET, dear, AFTER, DRAWN, ANSWER)
    assert said(charged(events), events) == ""
    cheap = chain(CREATE, replaced, DATASET, CHARGE, AFTER, ANSWER)
    assert "charged 1 and the release costs 4" in said(charged(cheap), cheap)


def test_a_charge_without_this_answer_is_found() -> None:
    silent = chain(CREATE, POPULATION, DATASET, CHARGE, AFTER)
    assert "has no answer in the ledger" in said(charged(silent), silent)
    voided = chain(CREATE, POPULATION, DATASET, CHARGE, ("void", {"charge": 4}))
    assert "was voided" in said(charged(voided), voided)


ACCEPTED = ("accepted", {"dataset": "census", "files": "4" * 64})


@pytest.mark.parametrize(
    ("accepted", "after", "fits"),
    [
        ((ACCEPTED,), (), True),
        ((ACCEPTED, ACCEPTED), (), True),
        ((), (), False),
        ((), (ACCEPTED,), False),
        ((("accepted", {**ACCEPTED[1], "dataset": "other"}),), (), False),
    ],
    ids=["accepted", "twice", "never", "after the charge", "other records"],
)
def test_attack_a28_a_release_that_says_validated_without_the_custodians_word_is_found(
    accepted: tuple[tuple[str, Mapping[str, object]], ...],
    after: tuple[tuple[str, Mapping[str, object]], ...],
    fits: bool,
) -> None:
    at = 4 + len(accepted)
    events = chain(
        CREATE,
        POPULATION,
        DATASET,
        *accepted,
        CHARGE,
        *after,
        ("drawn", {**DRAWN[1], "charge": at}),
        ("answer", {**ANSWER[1], "charge": at}),
    )
    release = replace(charged(events), position=at, head=events[at - 1].hash)
    assert said(release, events) == ""
    found = said(replace(release, validated=True), events)
    assert found == "" if fits else "no records of that dataset before it that the custodian accepted" in found


def test_attack_a26_a_release_of_another_draw_than_the_charge_is_committed_to_is_found() -> None:
    for draw, problem in (
        ((), "was committed to no draw before it was answered"),
        ((("drawn", {**DRAWN[1], "sha256": "3" * 64}),), "was committed to another draw than the measurements"),
    ):
        events = chain(CREATE, POPULATION, DATASET, CHARGE, *draw, ANSWER)
        assert problem in said(charged(events), events)


def test_draws_takeovers_and_redraws_of_its_charge_are_counted() -> None:
    drawn, taken, again = DRAWN, ("takeover", {"charge": 4}), ("redrawn", REDRAWN)
    others = ("drawn", {"charge": 5, "sha256": "b"})
    events = chain(CREATE, POPULATION, DATASET, CHARGE, AFTER, drawn, others, taken, again, drawn, ANSWER)
    looked = check(charged(events), iter(events))
    assert looked.findings == []
    assert looked.counts == Counts(draws=2, takeovers=1, redraws=1)
    for wrong, problem in (
        ((drawn, drawn, ANSWER), "was drawn for again, and not paid again"),
        ((again, ANSWER), "was paid again for a draw that was not made"),
        ((drawn, ANSWER, taken), "goes on after its charge was answered"),
        ((drawn, ("redrawn", {**REDRAWN, "amount": 1}), drawn, ANSWER), "the release costs 1 in rho"),
    ):
        forged = chain(CREATE, POPULATION, DATASET, CHARGE, AFTER, *wrong)
        assert problem in said(charged(forged), forged)


def tampered() -> Iterator[tuple[str, list[Event]]]:
    """Ways to rewrite a chain."""
    body = EVENTS[3].body.replace("1000000000", "1")
    yield "was changed", [*EVENTS[:3], EVENTS[3]._replace(body=body), *EVENTS[4:]]
    yield "is missing or out of order", [*EVENTS[:1], *EVENTS[2:]]
    yield "is missing or out of order", [EVENTS[1], EVENTS[0], *EVENTS[2:]]
    yield "was changed", [*EVENTS[:6], EVENTS[6]._replace(at=8)]
    yield "ends at event 3", EVENTS[:3]
    yield "has no answer", EVENTS[:5]
    cheap = ("charge", {**CHARGE[1], "amount": 1})
    yield "the ledger was rewritten", chain(CREATE, POPULATION, DATASET, cheap, AFTER, ANSWER)
    yield "another one", []


@pytest.mark.parametrize(("expected", "events"), list(tampered()))
def test_a_tampered_ledger_is_found(expected: str, events: list[Event]) -> None:
    assert expected in said(charged(EVENTS), events)


def test_a_hostile_ledger_is_a_finding_not_a_failure() -> None:
    for body in ("[]", "{", "{}", "null", '{"name": 1, "population": []}'):
        events = [Event(1, kind, 0, body, digest(START, 1, kind, 0, body)) for kind in ("population",)]
        assert check(charged(EVENTS), events).findings
    odd = chain(CREATE, POPULATION, DATASET, ("charge", {"amount": "much"}))
    release = replace(charged(EVENTS), head=odd[3].hash)
    assert check(release, odd).findings


LATER = ("charge", {"request_id": "r-3", "dataset": "census", "amount": UNIT // 2, "analyst": "ann", "cost": "rho 0.5"})
TOPPED = chain(CREATE, POPULATION, DATASET, CHARGE, ANSWER, LATER, ("answer", {"charge": 6, "sha256": "22"}))
WHOLE = Rho(Fraction(1))
SECOND = Charged("ledger-1", 6, TOPPED[5].hash, "r-3", "census", "people", ONE, "", KEY)


def added(request: str = "r-1", manifest: str = sha256(MANIFEST), cost: Cost = WHOLE) -> AddsTo:
    return AddsTo(request, "ledger-1", manifest, Guarantee("earlier", ADD_REMOVE_PERSON, known_cost(cost)))


def test_the_charge_of_a_release_that_is_added_to_is_found() -> None:
    assert check_earlier(SECOND, (added(),), TOPPED) == []


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        (added("r-9"), "holds no charge of the release that this one adds to"),
        (added("r-3", "22", Rho(Fraction(1, 2))), "holds no charge of the release that this one adds to before"),
        (added(manifest="33"), "answered event 4 by another release"),
        (
            added(cost=Rho(Fraction(1, 2))),
            "charged 1 as event 4, and the release that this one adds to is said to cost 0.5",
        ),
        (added(cost=Epsilon(Fraction(1))), "is said to cost 0.5"),
    ],
)
def test_another_charge_than_a_release_says_that_it_adds_to_is_found(earlier: AddsTo, expected: str) -> None:
    found = check_earlier(SECOND, (added(), earlier), TOPPED)
    assert expected in "\n".join(map(str, found))


def test_a_ledger_that_cannot_be_read_for_what_is_added_to_is_a_finding() -> None:
    broken = chain(CREATE, POPULATION, ("charge", {}))
    assert "cannot be read" in str(check_earlier(SECOND, (added(),), broken)[0])
