"""What a charge was made for, as it is chained: its cost, its events, and the proof by which its amount follows from them.

An auditor recomputes the amount from these fields alone, so that their form says by which rule. `proof` names it:

- "events/1": the amount is the sum over the events (privacy/accounting/zcdp.py). Each is chained with its replacement factor where it
  declares one, and the exponential mechanism by its own name. The stated cost must be the sum of what the events cost.
- "residuals/2": the same, and residuals of tables are chained together (privacy/residual_events.py), with what replacing a unit costs for
  all of them.
- absent, in charges before that was stated: the amount follows from the total cost alone. All that is pure DP is chained alike.

A charge for one randomized response, with its median perhaps, says so beside its events, in `response`. A charge that reads a response
which was kept names there the charge that paid for it, and costs nothing; responses.py has the rule by which that holds.

Nothing that was charged is changed: a charge is checked, continued and paid again by the proof that it states. A new one states the second
where it is of residuals, and else the first.
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
from starling.privacy.guarantee import Guarantee, forms
from starling.privacy.neighbours import as_replace_one
from starling.privacy.residual_events import ResidualEvents

EVENTS: Final = "events/1"
RESIDUALS: Final = "residuals/2"
"""The proofs of new charges."""
RESPONSE: Final = "response"
"""The field of a charge for a randomized response, or for what is made of one."""
RESPONSE_DRAWN: Final = "drawn"
"""What a charge for a new one says there; else there is the number of the event that paid for it."""

Written: TypeAlias = list[Any]
"""Events of one charge as JSON: [event, times], where overlapping events are {"overlap": most, "parts": [...]}."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What a charge was made for: an auditor recomputes the amount from it, and a retry must repeat it.

    Attributes:
        fields: `cost`, exact; `change` of the mechanism's neighbours; `events`; `proof`, where it states one; and `response` of one.
        key: SHA-256 of these: one kind of noise.
    """

    fields: dict[str, Any]
    key: str


@lru_cache(maxsize=1024)
def noise(guarantee: Guarantee, proof: str | None = EVENTS) -> Noise:
    """What `guarantee` says of its noise, under its own neighbours, for a charge that states its proof; None for one that states none."""
    fields = {
        "cost": {guarantee.cost.measure: str(guarantee.cost.amount)},
        "change": guarantee.relation.change,
        "events": _written(events_of(guarantee) if proof is None else detailed_events_of(guarantee)),
        **({} if proof is None else {"proof": proof_of(guarantee)} | _response_of(guarantee)),
    }
    return Noise(fields, key(fields))


def _response_of(guarantee: Guarantee) -> dict[str, Any]:
    match guarantee.event:
        case events.RandomizedResponse() | events.MedianResponse():
            return {RESPONSE: RESPONSE_DRAWN}
        case events.StoredResponse(charge=charge):
            return {RESPONSE: int(charge)}
        case _:
            return {}


def stored_response(fields: Mapping[str, Any]) -> int | None:
    """The charge that a charge which reads a kept response says has paid for it; None where it draws by itself."""
    named = fields.get(RESPONSE)
    return named if isinstance(named, int) else None


def proof_of(guarantee: Guarantee) -> str:
    """The name of the proof by which a charge for a guarantee follows from its events."""
    return RESIDUALS if _has_residuals(detailed_events_of(guarantee)) else EVENTS


def _has_residuals(composed: Events) -> bool:
    return any(isinstance(event, ResidualEvents) for event, _ in composed)


def noise_as_charged(guarantee: Guarantee, charge: Mapping[str, Any]) -> Noise:
    """What `guarantee` says of its noise by the proof of a charge that was made.

    In an older form where those are the events of the charge: what was registered at a server before replacement factors were declared, or
    before more was known of residuals, is charged as what states none, and so by more.
    """
    proved = [noise(each, charge.get("proof")) for each in forms(guarantee)]
    return next((each for each in proved if each.fields["events"] == charge.get("events")), proved[0])


def key(fields: Mapping[str, Any]) -> str:
    """The name of a kind of noise: of its fields among others."""
    named = {name: fields[name] for name in ("cost", "change", "events", "proof", RESPONSE) if name in fields}
    return sha256(canonical(named).encode()).hexdigest()


def cost_of(fields: Mapping[str, Any]) -> Cost:
    """The exact cost that a charge states."""
    ((measure, amount),) = fields["cost"].items()
    kinds: dict[str, type[Epsilon | Rho]] = {"epsilon": Epsilon, "rho": Rho}
    return kinds[measure](Fraction(amount))


def amount(population: Population, fields: Mapping[str, Any]) -> int:
    """What a charge costs in units of `population`, by the proof that it states; nothing where it reads a response that another paid for.

    Raises:
        PolicyRefused: the population's measure or neighbours have no such cost.
        IntegrityError: the proof is unknown, or its events do not cost what the charge states.
    """
    cost = cost_of(fields)
    if "proof" not in fields:
        return amount_in(population, fields["change"], cost, None)
    if fields["proof"] not in (EVENTS, RESIDUALS):
        raise IntegrityError("proof", "is unknown to this version of Starling", "use the version that charged it")
    charged = _read(fields["events"])
    if _has_residuals(charged) != (fields["proof"] == RESIDUALS):
        raise IntegrityError("proof", "is not that of the events", "restore the ledger")
    if cost.amount != (epsilon_of(charged) if isinstance(cost, Epsilon) else rho_of(charged)):
        raise IntegrityError("events", "do not cost what the charge states", "restore the ledger")
    units = amount_in(population, fields["change"], cost, charged)
    if RESPONSE in fields and not _is_response(fields, charged):
        raise IntegrityError("response", "is not of one event, or names no charge", "restore the ledger")
    return units if stored_response(fields) is None else 0


def _is_response(fields: Mapping[str, Any], charged: Events) -> bool:
    """Whether what is charged can be one response, new or kept."""
    ((event, times), *others), named = charged, fields[RESPONSE]
    whole = isinstance(named, int) and not isinstance(named, bool) and named > 0
    return isinstance(event, events.PureDP) and times == 1 and not others and (whole or named == RESPONSE_DRAWN)


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
    if isinstance(event, ResidualEvents):
        parameters = [[str(each) for each in level] for level in event.sigma_squared]
        columns = [[*part] for part in event.columns]
        stated = {"sizes": [*event.sizes], "columns": columns, "records": event.records, "apart": event.apart}
        return {"residuals": {**stated, "sigma_squared": parameters}}
    return dict(events.written(event))


def _read(written: Written) -> Events:
    return frozenset((_read_event(event), times) for event, times in written)


def _read_event(fields: Mapping[str, Any]) -> Accounted:
    if "overlap" in fields:
        return OverlappingEvents(frozenset(map(_read, fields["parts"])), fields["overlap"])
    if "residuals" in fields:
        stated = fields["residuals"]
        parameters = tuple(tuple(map(Fraction, level)) for level in stated["sigma_squared"])
        columns = tuple(map(tuple, stated["columns"]))
        return ResidualEvents(tuple(stated["sizes"]), columns, stated["records"], stated["apart"], parameters)
    # What was chained is what an accountant knows.
    return cast(Accounted, events.read(fields))
