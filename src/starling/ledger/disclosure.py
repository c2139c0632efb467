"""What the charges of a population reveal together, and what a budget means to the people it is spent on.

Each charge is chained with its events (privacy/accounting/composition.py). Under the population's neighbour relation they give
(epsilon, delta) by the accountant, which is usually far less than the sum of what each gives alone. It is shown and never capped: caps
are in the population's measure, which adds up exactly however the analysts choose. (epsilon, delta) of what was spent so far is a
statement about costs that were not chosen in view of earlier answers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeAlias, cast

from starling.errors import ParameterError
from starling.ledger.rules import UNIT, Population, canonical, shown
from starling.privacy import events
from starling.privacy.accounting.composition import Accounted, Events, OverlappingEvents, events_of, ordered
from starling.privacy.budget import Cost, Epsilon, Exact, Rho, decimal_up, exact
from starling.privacy.events import ZCDP, PureDP, known_cost
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import as_replace_one

DELTA = "1e-10"
"""The delta at which epsilon is shown unless another is asked for."""

MOST = 256
"""Different charges that are composed event by event; a population with more is told by its total."""

Written: TypeAlias = list[Any]
"""Events of one charge as JSON: [event, times], where overlapping events are {"overlap": most, "parts": [...]}."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What a charge was made for, as it is chained: an auditor recomputes the amount from it, and a retry must repeat it.

    Attributes:
        fields: `cost`, exact; `change` of the mechanism's neighbours; `events`, as accountants compose them.
        key: SHA-256 of these: one kind of noise.
    """

    fields: dict[str, Any]
    key: str


@lru_cache(maxsize=1024)
def noise(guarantee: Guarantee) -> Noise:
    """What `guarantee` says of its noise, under its own neighbours."""
    fields = {
        "cost": {guarantee.cost.measure: str(guarantee.cost.amount)},
        "change": guarantee.relation.change,
        "events": _written(events_of(guarantee)),
    }
    return Noise(fields, key(fields))


def key(fields: Mapping[str, Any]) -> str:
    """The name of a kind of noise: of its three fields among others."""
    return sha256(canonical({name: fields[name] for name in ("cost", "change", "events")}).encode()).hexdigest()


def _met(population: Population, fields: Mapping[str, Any]) -> Events:
    """The events as people of `population` meet them.

    Under another neighbour relation than their own (an add-remove mechanism where one person is replaced), nothing finer than
    the converted cost is known to hold.
    """
    if fields["change"] == population.relation.change:
        return _read(fields["events"])
    return frozenset({(known_cost(as_replace_one(cost_of(fields))), 1)})


def cost_of(fields: Mapping[str, Any]) -> Cost:
    """The exact cost that a charge states."""
    ((measure, amount),) = fields["cost"].items()
    kinds: dict[str, type[Epsilon | Rho]] = {"epsilon": Epsilon, "rho": Rho}
    return kinds[measure](Fraction(amount))


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


@dataclass(frozen=True, slots=True)
class JointDisclosure:
    """What the charges of a population reveal together.

    Attributes:
        spent: What was spent, in units of the population's measure; exact.
        epsilon: The epsilon at `delta`, rounded up.
        delta: The delta, in (0, 1).
        composed: Whether epsilon comes from the events of the charges; otherwise from their total alone.
    """

    spent: int
    epsilon: Fraction
    delta: Fraction
    composed: bool


def joint_disclosure(
    population: Population, spent: int, kinds: Sequence[tuple[Mapping[str, Any], int]], delta: Exact = DELTA
) -> JointDisclosure:
    """Compose what was charged.

    Args:
        population: The population that was charged.
        spent: The total of its charges, in units.
        kinds: Each kind of noise as it was chained, with how often it was charged.
        delta: The delta, above 0 and below 1.

    Raises:
        ParameterError: for another delta.
    """
    # Heavy, and needed here alone.
    from starling.privacy.accounting.conversion import approximate_events

    chance = exact(delta, field="delta", exponent=True)
    if not 0 < chance < 1:
        raise ParameterError("delta", "is not between 0 and 1", "give a small one, such as 1e-10")
    total = Fraction(spent, UNIT)
    composed = 0 < len(kinds) <= MOST
    met: Counter[Accounted] = Counter()
    if composed:
        for fields, charges in kinds:
            for event, times in _met(population, fields):
                met[event] += times * charges
    elif spent:
        met[PureDP(total) if population.measure == "epsilon" else ZCDP(total)] = 1
    # Who asked for a second charge had seen what the first one gave.
    several = not composed or sum(charges for _, charges in kinds) > 1
    result = approximate_events(frozenset(met.items()), chance, fully_adaptive=several) if spent else None
    epsilon = Fraction(0) if result is None else result.epsilon
    if population.measure == "epsilon":
        epsilon = min(epsilon, total)
    return JointDisclosure(spent, epsilon, chance, composed)


def meaning(population: Population, units: int) -> str:
    """What a budget of `units` may reveal about one of the population's protected units, in plain words."""
    from starling.privacy.accounting.conversion import approximate_events

    amount, unit = Fraction(units, UNIT), population.relation.unit
    sentence = f"{population.measure} {shown(units)} lets everybody who sees the releases"
    guess = f"change the odds of any guess about one {unit} by a factor of at most e^"
    if population.measure == "epsilon":
        return f"{sentence} {guess}{decimal_up(amount, 2)}"
    epsilon = approximate_events(frozenset({(ZCDP(amount), 1)}), DELTA).epsilon
    return f"{sentence} {guess}{decimal_up(epsilon, 2)}, but for a chance of {DELTA}"
