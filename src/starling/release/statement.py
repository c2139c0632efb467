"""What a release says about its privacy, for machines: `privacy.json`, made from the receipt of the charge and nothing else.

The cost is stated under both meanings of "one person's data", since published formats do not say which they mean: add or remove
one unit, and replace one unit by another (twice the epsilon, two to four times the rho of each event). An adjacency that does not exist
is null with the reason. `proof` names the rule by which a charge follows from the events; statements of before have none, and
their events declare no replacement factors. Amounts and scales are exact rationals as text; `decimal` beside them is rounded up.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from starling.distribution import VERSION
from starling.ledger.charged_noise import EVENTS, RESIDUALS, proof_of
from starling.ledger.keys import Public
from starling.privacy.budget import Cost
from starling.privacy.guarantee import Guarantee, Sequential, by_events, joint, without_factors
from starling.privacy.neighbours import Relation
from starling.privacy.trust import Entry, Receipt
from starling.release.claims import amount, claim, composition
from starling.release.codec import Json

FILE: Final = "privacy.json"
FORMAT: Final = "starling-release/1"
"""The format of privacy.json; the number grows when a reader of the old one would be misled."""

DEFINITIONS: Final = {
    "epsilon": "pure differential privacy: P[M(x) in S] <= exp(epsilon) P[M(y) in S] for all neighbours x, y and all sets S",
    "rho": "zero-concentrated differential privacy: the Renyi divergence of order alpha between M(x) and M(y) is at most"
    " rho alpha, for all neighbours x, y and all alpha > 1",
}

_EVENTS: Final = (
    "In rho a charge is the sum over the events: rho, half the square of an epsilon, an eighth for the exponential mechanism."
    " When one unit is replaced, each costs its replacement factor times that: 2 where one more unit never lowers a measured number, 4"
    " where nothing is declared."
)
PROOFS: Final[Mapping[str, str]] = {
    EVENTS: _EVENTS,
    RESIDUALS: f"{_EVENTS} All residuals of tables together cost what the two units that differ most in them cost, of all ways in which"
    " two records can agree.",
}
"""How the charge of a release follows from its events, by the name of the proof."""

IN_WORDS: Final[Mapping[str, str]] = {
    EVENTS: "the charge is the sum over all draws of noise; to replace one unit costs twice that for counts, up to four times for others",
    "": "the charge follows from the total alone; to replace one unit costs four times its rho, or twice its epsilon",
    RESIDUALS: "the charge is the sum over all draws of noise; to replace one unit costs what the two least alike records cost",
}
"""Each proof in plain words, by its name; the last of statements that name none."""

FULLY_ADAPTIVE: Final = "fully adaptive: the budgets may have been chosen after the earlier releases were seen"
"""How a release and those that it adds to are composed."""

UNLIMITED: Final = (
    "The charge was granted by an account that wrote nothing down. Nothing in it limits a second release from the same data, and"
    " the costs of releases add up."
)
VALIDATED: Final = "The custodian had looked at the records that were read, and accepted them for release."
UNVALIDATED: Final = (
    "The records that were read were not validated: nobody had accepted them for release, so that a wrong coding or files that do not"
    " belong together may have gone unnoticed."
)
OWN: Final = (
    "The charge was granted by a ledger made for this one release, which lies in its folder. Nothing in it limits a second"
    " release from the same data, and the costs of releases add up."
)


@dataclass(frozen=True, slots=True)
class AddsTo:
    """An earlier release that a release adds to.

    Attributes:
        request_id: The id under which it was charged.
        ledger: Id of the ledger that paid for it; empty where it brought one of its own.
        manifest: SHA-256 of its manifest, hexadecimal: what a ledger keeps as the answer.
    """

    request_id: str
    ledger: str
    manifest: str
    guarantee: Guarantee

    @property
    def cost(self) -> Cost:
        """What was charged."""
        return self.guarantee.cost


def added_to(earlier: tuple[AddsTo, ...]) -> list[Json]:
    """Releases that were added to, for programs."""
    return [
        {
            "request_id": each.request_id,
            "ledger": each.ledger,
            "manifest": each.manifest,
            "cost": amount(each.cost),
            "composition": composition(each.guarantee),
        }
        for each in earlier
    ]


@dataclass(frozen=True, slots=True)
class Particulars:
    """What a domain says of its release in privacy.json.

    Attributes:
        name: Package of the domain: who can repeat the post-processing.
        mechanism: Public parameters, so that post-processing can be repeated and the cost recomputed.
        bounds: Public bounds that the sensitivities rest on.
        invariants: What is published exactly, in words.
        adds_to: Earlier releases whose measurements are in this one, each charged on its own; the last first.
    """

    name: str
    mechanism: Mapping[str, Json]
    bounds: Mapping[str, Json] = field(default_factory=dict)
    invariants: tuple[str, ...] = ()
    adds_to: tuple[AddsTo, ...] = ()


def statement(receipt: Receipt, particulars: Particulars) -> dict[str, Json]:
    """The content of privacy.json, by the receipt of the charge that paid for the release."""
    guarantee = receipt.guarantee
    relation, cost, proof = guarantee.relation, guarantee.cost, proof_of(guarantee)
    return {
        "format": FORMAT,
        "software": software(),
        "domain": particulars.name,
        "protected_unit": relation.unit,
        "neighbours": neighbours(relation),
        "measure": {"name": cost.measure, "definition": DEFINITIONS[cost.measure]},
        **claim(guarantee).losses(),
        "invariants": list[Json](particulars.invariants),
        "bounds": dict(particulars.bounds),
        "composition": composition(guarantee),
        "proof": {"name": proof, "words": PROOFS[proof]},
        "mechanism": dict(particulars.mechanism),
        "adds_to": added_to(particulars.adds_to),
        "joint": all_losses(guarantee, particulars.adds_to),
        "account": account(receipt),
    }


def stated(guarantee: Guarantee) -> dict[str, Json]:
    """A guarantee without a release, as `arithmetic.guarantee_of` reads it."""
    return {
        "neighbours": neighbours(guarantee.relation),
        "measure": {"name": guarantee.cost.measure},
        "composition": composition(guarantee),
    }


def neighbours(relation: Relation) -> dict[str, Json]:
    """A neighbour relation, for programs."""
    return {"change": relation.change, "unit": relation.unit, "words": str(relation)}


def proof_in_words(name: str) -> str:
    """The proof that a charge rests on, for people.

    >>> proof_in_words("events/1")[:36]
    'events/1: the charge is the sum over'
    """
    return f"{name}: {IN_WORDS[name]}" if name else IN_WORDS[name]


def as_proved(guarantee: Guarantee, claims: Mapping[str, Any]) -> Guarantee:
    """A guarantee of today as the statement `claims` has it: without what was not known before its proof."""
    if "proof" not in claims:
        return without_factors(guarantee)
    proof = claims["proof"]
    return by_events(guarantee) if isinstance(proof, Mapping) and proof.get("name") == EVENTS else guarantee


def all_losses(guarantee: Guarantee, earlier: tuple[AddsTo, ...]) -> Json:
    """What a release and all that it adds to cost together; None for a release that stands alone."""
    return _all_losses(joint(guarantee, [each.guarantee for each in earlier])) if earlier else None


def _all_losses(whole: Guarantee) -> Json:
    adaptive: dict[str, Json] = {"composition": FULLY_ADAPTIVE} if whole.fully_adaptive else {}
    return claim(whole).losses() | adaptive


def losses_as_stated(guarantee: Guarantee, earlier: Sequence[Guarantee], losses: object) -> Json:
    """`all_losses`, by the composition that `losses`, the `joint` of a privacy.json, names."""
    return _all_losses(joint_as_stated(guarantee, earlier, losses)) if earlier else None


def joint_as_stated(guarantee: Guarantee, earlier: Sequence[Guarantee], claimed: object) -> Guarantee:
    """A release and all that it adds to, by the composition that `claimed`, the `joint` of a privacy.json, names.

    Releases that name none were made before this was stated: their epsilon takes the budgets as fixed beforehand.
    """
    whole = joint(guarantee, earlier)
    if not earlier or (isinstance(claimed, Mapping) and "composition" in claimed):
        return whole
    return replace(whole, event=Sequential(whole.parts))


def text(fields: Mapping[str, Any]) -> str:
    """The file of what is stated, in its one form."""
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def repeated(claims: Mapping[str, Any], guarantee: Guarantee, adds_to: tuple[AddsTo, ...]) -> dict[str, Json]:
    """What `statement` gives for a charge and a domain as `claims` states them: whatever else is in `claims` does not belong there.

    The numbers and words that another version finds or chooses otherwise are kept: its name, the epsilon at its delta, which
    arithmetic.py compares, how it was found, and what limits a second release.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: `claims` is nothing of the kind.
    """
    particulars = Particulars(
        claims["domain"], claims["mechanism"], claims["bounds"], tuple(claims["invariants"]), adds_to
    )
    result = statement(receipt(claims["account"], guarantee), particulars)
    if "proof" not in claims:
        del result["proof"]
    result["joint"] = losses_as_stated(guarantee, [each.guarantee for each in adds_to], claims["joint"])
    if claims["software"] != result["software"]:
        result["software"] = _text(claims["software"])
        _keep(result, claims, "approximate_dp", "epsilon", "by")
        if "proof" in result:
            _keep(result, claims, "proof", "words")
        _keep(result, claims, "account", "limits", "validation")
        if isinstance(whole := result["joint"], dict):
            _keep(whole, claims["joint"], "approximate_dp", "epsilon", "by")
    return result


def _keep(result: dict[str, Json], claims: Mapping[str, Any], part: str, *keys: str) -> None:
    """Take texts of a part as they are told."""
    fields = result[part]
    assert isinstance(fields, dict)
    fields |= {key: _text(claims[part][key]) for key in keys}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def software() -> str:
    """Which version wrote it."""
    return f"starling {VERSION}"


def account(receipt: Receipt) -> dict[str, Json]:
    """Who paid, where a ledger wrote it, and what that limits."""
    return {
        "name": receipt.account,
        "request_id": receipt.request_id,
        "day": receipt.day,
        "limits": limits(receipt),
        "validated": receipt.validated,
        "validation": validation(receipt),
        "ledger": None if receipt.entry is None else dict(asdict(receipt.entry)),
    }


def receipt(fields: Mapping[str, Any], guarantee: Guarantee) -> Receipt:
    """The receipt of a charge for `guarantee`, from what `account` said of it; whoever asks compares that with the whole.

    Raises:
        KeyError, TypeError: `claims` is nothing of the kind.
    """
    entry = fields["ledger"]
    place = None if entry is None else Entry(**entry)
    # Files are accepted in a ledger that stands by itself; whatever else is said is told otherwise here, and so does not belong there.
    validated = fields["validated"] is True and place is not None and not place.inside
    return Receipt(fields["request_id"], guarantee, fields["name"], place, fields["day"], validated)


def signer(receipt: Receipt) -> Public | None:
    """Whose signature the release bears; None where no ledger paid."""
    return None if receipt.entry is None else Public.parse(receipt.entry.signer, field="signer")


def validation(receipt: Receipt) -> str:
    """Whether somebody had looked at the records, in a sentence; never what was found, which depends on them."""
    return VALIDATED if receipt.validated else UNVALIDATED


def limits(receipt: Receipt) -> str:
    """What keeps the same people's data from being released again, in a sentence or two."""
    if receipt.entry is None:
        return UNLIMITED
    if receipt.entry.inside:
        return OWN
    return f"The charge is recorded by ledger {receipt.account}, which refuses whatever its caps do not cover."
