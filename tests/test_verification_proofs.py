"""Releases say by which proof their charge follows, and those of before that was said verify as what they were.

One population counts in rho and one person in it is replaced: there the proofs give different amounts.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import starling
from starling.ledger import charged_noise
from starling.ledger.charged_noise import EVENTS, RESIDUALS, noise
from starling.ledger.opening import create_ledger
from starling.ledger.rules import UNIT, Request, charge_units
from starling.ledger.witness import Witness
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import Measure
from starling.privacy.guarantee import Guarantee, by_events, without_factors
from starling.privacy.neighbours import REPLACE_PERSON
from starling.privacy.trust import Receipt
from starling.release import statement
from starling.release.manifest import manifest, sign
from starling.release.payment import PaymentOptions
from starling.release.statement import IN_WORDS, Particulars, proof_in_words
from starling.tables.plan import Plan
from starling.tables.publication import TablesPublication
from starling.tables.publish import release
from tests.release.forging import KEY, Forged
from tests.tables.bundles import write_paid
from tests.tables.cross_plans import cross_plan
from tests.tables.small import small_geography, small_plan

MEASURES: list[Measure] = ["rho", "epsilon"]


def released(place: Path, measure: Measure) -> tuple[Forged, str, int]:
    """A small release, the URL of the ledger that paid for it, and the amount."""
    place.mkdir()
    plan = small_plan(measure=measure)
    url = f"sqlite:///{place / 'ledger.sqlite'}"
    ledger = create_ledger(url, key=KEY, witness=lambda _: Witness("x", place / "heads"))
    ledger.custody.add_population("people", "rho", REPLACE_PERSON, 10**6)
    ledger.custody.add_dataset("census", "people", {})
    ledger.custody.grant("people", "ann", 10**6)
    request = Request("ann", "request-1", "census", "{}")
    account = ledger.account(request)
    folder = place / "release"
    write_paid(folder, plan, small_geography(plan), 0, account)
    sign(folder, KEY)
    account.answer("manifest", manifest(folder))
    ticket = ledger.charging.find(request)
    assert ticket is not None
    ledger.close()
    return Forged(folder), url, ticket.amount


def before(patch: pytest.MonkeyPatch) -> None:
    """As charges and statements were made before a proof was stated and factors declared."""

    def without_proof(receipt: Receipt, particulars: Particulars) -> dict[str, Any]:
        return {name: value for name, value in stated(receipt, particulars).items() if name != "proof"}

    def plain(of: Callable[[Any], Guarantee]) -> property:
        return property(lambda self: without_factors(of(self)))

    stated, guarantee = statement.statement, vars(Plan)["guarantee"].fget
    patch.setattr(statement, "statement", without_proof)
    patch.setattr(Plan, "guarantee", plain(guarantee))
    patch.setattr(charged_noise, "noise", partial(noise, proof=None))


def expected(measure: Measure, *, proof: str | None) -> Fraction:
    """What the plan costs there, in rho."""
    cost = small_plan(measure=measure).cost.amount
    if proof is None:
        return 4 * cost if measure == "rho" else (2 * cost) ** 2 / 2
    return 2 * cost


@pytest.mark.parametrize("measure", MEASURES)
def test_a_release_of_before_verifies_with_its_ledger(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        before(patch)
        old, url, amount = released(tmp_path / "old", measure)
    assert amount == expected(measure, proof=None) * UNIT
    fields = (old.folder / "privacy.json").read_text()
    assert "proof" not in fields
    assert "replacement_factor" not in fields
    verified = starling.verify(old.folder, ledger=url)
    assert (verified.findings, verified.proof) == ((), "")


@pytest.mark.series(1)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_release_of_today_states_its_proof_and_another_one_is_found(measure: Measure, tmp_path: Path) -> None:
    new, url, amount = released(tmp_path / "new", measure)
    if measure == "rho":
        assert amount == expected(measure, proof=EVENTS) * UNIT
    assert amount < expected(measure, proof=None) * UNIT
    verified = starling.verify(new.folder, ledger=url)
    assert (verified.findings, verified.proof) == ((), EVENTS)
    assert proof_in_words(EVENTS) in (new.folder / "report.html").read_text()

    def changed(change: Callable[[Any], None]) -> str:
        original = (new.folder / "privacy.json").read_bytes()
        new.edit("privacy.json", change)
        new.resign()
        found = "\n".join(str(each) for each in starling.verify(new.folder, ledger=url).findings)
        (new.folder / "privacy.json").write_bytes(original)
        return found

    assert IN_WORDS.keys() == {EVENTS, RESIDUALS, ""}
    assert "proof" in changed(lambda fields: fields["proof"].update(name="events/2"))
    assert "privacy.json" in changed(lambda fields: fields.__delitem__("proof"))
    assert "composition" in changed(lambda fields: _factor(fields["composition"], "3"))
    if measure == "rho":
        assert "cost" in changed(lambda fields: fields["cost"]["replace-one"].update(rho="1"))


def _factor(node: Mapping[str, Any], factor: str) -> None:
    """Another factor in every event of a tree."""
    for part in node.get("parts", ()):
        _factor(part, factor)
    if "event" in node:
        node["event"]["replacement_factor"] = factor


def test_a_charge_of_before_pays_for_the_release_that_finishes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Charged by another version, which declared no factors: the release of today states its own, and the ledger more than it costs."""
    plan = small_plan(measure="rho")
    with monkeypatch.context() as patch:
        patch.setattr(TablesPublication, "guarantee", property(lambda _: without_factors(plan.guarantee)))
        patch.setattr(charged_noise, "noise", lambda guarantee, proof=EVENTS: noise(without_factors(guarantee), proof))
        new, url, amount = released(tmp_path / "new", "rho")
    assert amount == 4 * plan.cost.amount * UNIT
    assert "replacement_factor" in (new.folder / "privacy.json").read_text()
    assert not starling.verify(new.folder, ledger=url).findings


def crossed(place: Path) -> tuple[Forged, str, int]:
    """A small release of cross tables, the URL of the ledger that paid for it, and the amount."""
    place.mkdir()
    url = f"sqlite:///{place / 'ledger.sqlite'}"
    ledger = create_ledger(url, key=KEY, witness=lambda _: Witness("x", place / "heads"))
    ledger.custody.add_population("people", "rho", REPLACE_PERSON, 10)
    ledger.custody.add_dataset("survey", "people", {})
    ledger.custody.grant("people", "custodian", 10)
    payment = PaymentOptions(ledger=ledger, dataset="survey", unvalidated=True)
    records = pa.table({"sex": ["f", "m"], "age": [1, 2], "colour": ["red", "blue"]})
    release(CROSS, records, out=place / "release", payment=payment)
    spent = ledger.reading.account("people").caps[0].spent
    ledger.close()
    return Forged(place / "release"), url, spent


CROSS = cross_plan()
JOINT = CROSS.guarantee


@pytest.mark.slow
def test_cross_tables_charged_one_by_one_verify_and_those_of_today_are_charged_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "guarantee", property(lambda _: by_events(JOINT)))
        old, url, spent = crossed(tmp_path / "old")
    assert spent == charge_units(replace_one_cost(by_events(JOINT)).amount)
    verified = starling.verify(old.folder, ledger=url)
    assert (verified.findings, verified.proof) == ((), EVENTS)
    new, url, spent = crossed(tmp_path / "new")
    assert (
        spent == charge_units(replace_one_cost(JOINT).amount) < charge_units(replace_one_cost(by_events(JOINT)).amount)
    )
    verified = starling.verify(new.folder, ledger=url)
    assert (verified.findings, verified.proof) == ((), RESIDUALS)
    changes: dict[str, Callable[[Any], None]] = {
        "sizes": lambda fields: fields["composition"].update(sizes=[9, 9, 9]),
        "apart": lambda fields: fields["composition"].update(apart=True),
        "records": lambda fields: fields["composition"].update(records=2),
        "columns": lambda fields: fields["composition"]["columns"].reverse(),
        "no columns": lambda fields: fields["composition"].pop("columns"),
        "no tree": lambda fields: fields["composition"].update(parts=[{"parts": 1}]),
        "the cost": lambda fields: fields["cost"]["replace-one"].update(rho="1/9"),
        "the proof": lambda fields: fields["proof"].update(name=EVENTS),
        "no proof": lambda fields: fields.update(proof=[]),
    }
    original = (new.folder / "privacy.json").read_bytes()
    for change in changes.values():
        new.edit("privacy.json", change)
        new.resign()
        assert starling.verify(new.folder, ledger=url).findings
        (new.folder / "privacy.json").write_bytes(original)
