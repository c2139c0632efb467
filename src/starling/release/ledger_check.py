"""Whether a ledger holds the charge that a release states: the event, its amount, its answer. Knows no store: it follows events.

The release names the place of its charge in the chain and the hash of that event, which covers all before it. So a ledger that was
rewritten, cut or rolled back behind that place no longer fits. Signatures of custodian events, caps and balances are checked by
`auditing.check`, which `starling verify --ledger` runs beside this, and `starling ledger verify`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starling.errors import IntegrityError, Problem, StarlingError
from starling.ledger.chain import Counts, Event, Follower
from starling.ledger.charged_noise import amount, cost_of, noise_as_charged
from starling.ledger.keys import Public
from starling.ledger.rules import Population, check_unit, shown
from starling.planfile.spelling import shown as shown_name
from starling.privacy.guarantee import Guarantee
from starling.release.manifest import measurements
from starling.release.statement import AddsTo

ASK = "ask the custodian which is right, the ledger or the release"
_UNREADABLE = Problem("ledger", "holds an event that cannot be read", "restore the ledger and ask who changed it")


@dataclass(frozen=True, slots=True)
class Charged:
    """What a release says of its charge: the ledger's id, the position and hash of the event, whose answer the `manifest` is; `inside` is a
    ledger that was made for this release and lies in it, `validated` that the custodian accepted the records.
    """

    ledger: str
    position: int
    head: str
    request_id: str
    dataset: str
    population: str
    guarantee: Guarantee
    manifest: str
    signer: Public | None
    inside: bool = False
    validated: bool = False


@dataclass(slots=True)
class _Seen:
    """What the events say that concerns one charge."""

    about: Mapping[str, Any] = field(default_factory=dict)
    population: Mapping[str, Any] | None = None
    dataset: Mapping[str, Any] | None = None
    accepted: bool = False
    event: Event | None = None
    end: Event | None = None
    amounts: list[int] = field(default_factory=list)
    draw: str | None = None
    counts: Counts = field(default_factory=Counts)


@dataclass(frozen=True, slots=True)
class Looked:
    """What a ledger says of the charge of a release: what speaks against it, and how often it was drawn for."""

    findings: list[Problem]
    counts: Counts


def check(charged: Charged, events: Iterable[Event]) -> Looked:
    """Look the charge of a release up in the ledger with these events."""
    follower = Follower()
    seen = _Seen()
    try:
        for event in events:
            follower.take(event)
            _note(charged, event, seen)
        findings = _verdict(charged, seen, follower.head.seq)
    except IntegrityError as error:
        findings = [of_ledger(problem) for problem in error.problems]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        findings = [_UNREADABLE]
    return Looked(findings, seen.counts)


def check_earlier(charged: Charged, earlier: Sequence[AddsTo], events: Iterable[Event]) -> list[Problem]:
    """What speaks against the charges of the `earlier` releases that a release adds to, in the ledger that paid for all of them.

    `check` has followed the chain; each of them was charged before the release and for the same dataset.
    """
    population: Population | None = None
    charges: dict[str, tuple[int, Mapping[str, Any]]] = {}
    answers: dict[int, str] = {}
    wanted = {each.request_id for each in earlier}
    try:
        for event in events:
            if event.kind not in ("population", "charge", "answer"):
                continue
            body = json.loads(event.body)
            if event.kind == "population" and body["name"] == charged.population:
                population = Population.of(charged.population, body["measure"], body["change"], body["unit"])
            elif event.kind == "charge" and body["request_id"] in wanted and body["dataset"] == charged.dataset:
                charges[body["request_id"]] = event.seq, body
            elif event.kind == "answer":
                answers[body["charge"]] = body["sha256"]
        return [
            Problem("ledger", f"{problem} (request {shown_name(each.request_id)})", ASK)
            for each in earlier
            for problem in _earlier(charged, population, each, charges.get(each.request_id), answers)
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return [_UNREADABLE]


def _earlier(
    charged: Charged,
    population: Population | None,
    earlier: AddsTo,
    charge: tuple[int, Mapping[str, Any]] | None,
    answers: Mapping[int, str],
) -> list[str]:
    """Sentences about the ledger, without their subject."""
    if charge is None or population is None or charge[0] >= charged.position:
        return ["holds no charge of the release that this one adds to before the charge of this one"]
    position, body = charge
    problems = []
    if answers.get(position) != earlier.manifest:
        problems.append(f"answered event {position} by another release than the one that this one adds to")
    try:
        due = _due_of_earlier(population, body, earlier.guarantee)
    except StarlingError:
        return [
            *problems,
            "cannot have charged the release that this one adds to, in that measure or neighbour relation",
        ]
    if body["amount"] != due:
        paid, stated = shown(body["amount"]), shown(due)
        problems.append(
            f"charged {paid} as event {position}, and the release that this one adds to is said to cost {stated}"
        )
    return problems


def _due(population: Population, body: Mapping[str, Any], guarantee: Guarantee) -> int:
    """What a charge for `guarantee` costs in units of the population, by the proof that the charge states."""
    check_unit(population, guarantee.relation)
    return amount(population, noise_as_charged(guarantee, body).fields)


def _due_of_earlier(population: Population, body: Mapping[str, Any], earlier: Guarantee) -> int:
    """What the charge of an earlier release costs. A release that adds to it may know less of its events than was charged: those of the
    charge count where the cost is the same.
    """
    if "proof" in body and cost_of(body) == earlier.cost and body["change"] == earlier.relation.change:
        return amount(population, body)
    return _due(population, body, earlier)


def of_ledger(problem: Problem) -> Problem:
    """A problem with the ledger as its place: what is an event in a ledger is nothing in a release."""
    return problem if problem.field == "ledger" else Problem(f"ledger: {problem.field}", problem.problem, problem.fix)


def _verdict(charged: Charged, seen: _Seen, last: int) -> list[Problem]:
    """What was wrong, after all events."""
    if seen.about.get("id") != charged.ledger:
        problem = "is another one than the release was charged to"
        return [Problem("ledger", problem, "give the ledger that privacy.json names")]
    if seen.event is None:
        problem = f"ends at event {last}, and the release was charged as event {charged.position}"
        return [Problem("ledger", problem, "it was cut or restored from a backup: find the newest one")]
    subject = f"ledger: event {charged.position}"
    return [Problem(subject, problem, ASK) for problem in _differences(charged, seen, seen.event)]


def _note(charged: Charged, event: Event, seen: _Seen) -> None:
    """Keep what concerns the charge; other charges are not even parsed."""
    if event.seq == charged.position:
        seen.event = event
    elif event.kind in ("answer", "void") and event.seq > charged.position and seen.end is None:
        if json.loads(event.body)["charge"] == charged.position:
            seen.end = event
    elif event.kind in ("takeover", "drawn", "redrawn") and event.seq > charged.position:
        body = json.loads(event.body)
        if body["charge"] == charged.position:
            _count(event.kind, body, seen)
    elif event.kind == "create" and event.seq == 1:
        seen.about = json.loads(event.body)
    elif event.kind == "accepted" and event.seq < charged.position:
        seen.accepted = seen.accepted or json.loads(event.body)["dataset"] == charged.dataset
    elif event.kind in ("population", "dataset"):
        body = json.loads(event.body)
        if event.kind == "population" and body["name"] == charged.population:
            seen.population = body
        if event.kind == "dataset" and body["name"] == charged.dataset:
            seen.dataset = body


def _count(kind: str, body: Mapping[str, Any], seen: _Seen) -> None:
    """One more thing that a run did on the way from the charge to its answer."""
    if seen.end is not None:
        raise _inconsistent("goes on after its charge was answered")
    if kind == "takeover":
        seen.counts.takeovers += 1
    elif kind == "drawn":
        if seen.draw is not None:
            raise _inconsistent("was drawn for again, and not paid again")
        seen.draw = body["sha256"]
        seen.counts.draws += 1
    else:
        if seen.draw is None:
            raise _inconsistent("was paid again for a draw that was not made")
        seen.draw = None
        seen.amounts.append(body["amount"])
        seen.counts.redraws += 1


def _inconsistent(problem: str) -> IntegrityError:
    return IntegrityError("charge", problem, ASK)


def _differences(charged: Charged, seen: _Seen, event: Event) -> list[str]:
    """Sentences about the event of the charge, without their subject."""
    if event.hash != charged.head:
        return ["is not the one that the release was charged as: the ledger was rewritten, or it is another copy"]
    if event.kind != "charge":
        return ["is no charge"]
    body = json.loads(event.body)
    problems = []
    if (body["request_id"], body["dataset"]) != (charged.request_id, charged.dataset):
        problems.append("is the charge of another request or dataset than the release states")
    problems += _amounts(charged, seen, body)
    if charged.validated and not seen.accepted:
        problems.append(
            "has no records of that dataset before it that the custodian accepted, and the release says that they were"
        )
    if charged.signer is not None and charged.signer.text not in (seen.about.get("signer"), body.get("by")):
        problems.append(
            "was not made by the key that signed, in a ledger whose custodian has another key than the one that signed the release"
        )
    return problems + _answer(charged, seen)


def _amounts(charged: Charged, seen: _Seen, body: Mapping[str, Any]) -> list[str]:
    if seen.population is None or seen.dataset is None or seen.dataset["population"] != charged.population:
        return ["is for another population of people than the release states"]
    stated = seen.population
    population = Population.of(charged.population, stated["measure"], stated["change"], stated["unit"])
    try:
        due = _due(population, body, charged.guarantee)
    except StarlingError:
        return ["cannot have been charged to a population of that measure, neighbour relation or unit"]
    wrong = next((amount for amount in (body["amount"], *seen.amounts) if amount != due), None)
    if wrong is None:
        return []
    return [f"charged {shown(wrong)} and the release costs {shown(due)} in {population.measure} of that population"]


def _answer(charged: Charged, seen: _Seen) -> list[str]:
    if seen.end is None:
        return ["has no answer in the ledger: nothing says that this release is what was drawn for it"]
    body = json.loads(seen.end.body)
    if seen.end.kind == "void":
        return ["was voided: nothing may be published for it"]
    if body["sha256"] != hashlib.sha256(charged.manifest.encode()).hexdigest():
        return ["was answered by another release than this one"]
    if seen.draw is None:
        return ["was committed to no draw before it was answered, so that others may have been made and not liked"]
    if seen.draw != hashlib.sha256(measurements(charged.manifest).encode()).hexdigest():
        return ["was committed to another draw than the measurements of this release"]
    return []
