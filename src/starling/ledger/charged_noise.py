"""What a charge was made for, as it is chained: its cost, its events, and the proof by which its amount follows from them.

An auditor recomputes the amount from these fields alone, so that their form says by which rule. `proof` names it:

- "events/1": the amount is the sum over the events (privacy/accounting/zcdp.py). Each is chained with its replacement factor where it
  declares one, and the exponential mechanism by its own name. The stated cost must be the sum of what the events cost.
- absent, in charges before that was stated: the amount follows from the total cost alone. All that is pure DP is chained alike.

Nothing that was charged is changed: a charge is checked, continued and paid again by the proof that it states. A new one states the first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, TypeAlias, cast

from starling.errors import IntegrityError
from starling.ledger.rules import Population, amount_in, canonical
from starling.privacy import events
from starling.privacy.accounting.composition import (
    Accounted,
    Events,
    OverlappingEvents,
    detailed_events_of,
    events_of,
    ordered,
    replaced_events,
    without_details,
)
from starling.privacy.accounting.zcdp import epsilon_of, rho_of
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.events import known_cost
from starling.privacy.guarantee import Guarantee, without_factors
from starling.privacy.neighbours import as_replace_one

EVENTS: Final = "events/1"
"""The proof of new charges."""

Written: TypeAlias = list[Any]
"""Events of one charge as JSON: [event, times], where overlapping events are {"overlap": most, "parts": [...]}."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What a charge was made for: an auditor recomputes the amount from it, and a retry must repeat it.

    Attributes:
        fields: `cost`, exact; `change` of the mechanism's neighbours; `events`; and `proof`, where it states one.
        key: SHA-256 of these: one kind of noise.
    """

    fields: dict[str, Any]
    key: str


@lru_cache(maxsize=1024)
def noise(guarantee: Guarantee, proof: str | None = EVENTS) -> Noise:
    """What `guarantee` says of its noise, under its own neighbours, for a charge by that proof; None for one that states none."""
    fields = {
        "cost": {guarantee.cost.measure: str(guarantee.cost.amount)},
        "change": guarantee.relation.change,
        "events": _written(events_of(guarantee) if proof is None else detailed_events_of(guarantee)),
        **({} if proof is None else {"proof": proof}),
    }
    return Noise(fields, key(fields))


def noise_as_charged(guarantee: Guarantee, charge: Mapping[str, Any]) -> Noise:
    """What `guarantee` says of its noise by the proof of a charge that was made.

    Without its replacement factors where those are the events of the charge: what was registered at a server before they were declared is
    charged as what declares none, and so by more.
    """
    stated, plain = (noise(each, charge.get("proof")) for each in (guarantee, without_factors(guarantee)))
    return plain if plain.fields["events"] == charge.get("events") else stated


def key(fields: Mapping[str, Any]) -> str:
    """The name of a kind of noise: of its fields among others."""
    return sha256(
        canonical({name: fields[name] for name in ("cost", "change", "events", "proof") if name in fields}).encode()
    ).hexdigest()


def cost_of(fields: Mapping[str, Any]) -> Cost:
    """The exact cost that a charge states."""
    ((measure, amount),) = fields["cost"].items()
    kinds: dict[str, type[Epsilon | Rho]] = {"epsilon": Epsilon, "rho": Rho}
    return kinds[measure](Fraction(amount))


def amount(population: Population, fields: Mapping[str, Any]) -> int:
    """What a charge costs in units of `population`, by the proof that it states.

    Raises:
        PolicyRefused: the population's measure or neighbours have no such cost.
        IntegrityError: the proof is unknown, or its events do not cost what the charge states.
    """
    cost = cost_of(fields)
    if "proof" not in fields:
        return amount_in(population, fields["change"], cost, None)
    if fields["proof"] != EVENTS:
        raise IntegrityError("proof", "is unknown to this version of Starling", "use the version that charged it")
    charged = _read(fields["events"])
    if cost.amount != (epsilon_of(charged) if isinstance(cost, Epsilon) else rho_of(charged)):
        raise IntegrityError("events", "do not cost what the charge states", "restore the ledger")
    return amount_in(population, fields["change"], cost, charged)


def events_met(population: Population, fields: Mapping[str, Any]) -> Events:
    """The events of a charge as people of `population` meet them, for accountants.

    Under another neighbour relation than their own (an add-remove mechanism where one person is replaced), a charge that states no proof
    is the converted cost.
    """
    if fields["change"] == population.relation.change:
        return without_details(_read(fields["events"]))
    if "proof" in fields:
        return replaced_events(_read(fields["events"]))
    return frozenset({(known_cost(as_replace_one(cost_of(fields))), 1)})


def _written(composed: Events) -> Written:
    return [[_written_event(event), times] for event, times in ordered(composed)]


def _written_event(event: Accounted) -> dict[str, Any]:
    if isinstance(event, OverlappingEvents):
        return {"overlap": event.overlap, "parts": sorted(map(_written, event.parts), key=canonical)}
    return dict(events.written(event))


def _read(written: Written) -> Events:
    return frozenset((_read_event(event), times) for event, times in written)


def _read_event(fields: Mapping[str, Any]) -> Accounted:
    if "overlap" in fields:
        return OverlappingEvents(frozenset(map(_read, fields["parts"])), fields["overlap"])
    # What was chained is what an accountant knows.
    return cast(Accounted, events.read(fields))
