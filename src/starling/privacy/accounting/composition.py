"""What accountants compose: the events of a guarantee, each with how often one unit meets it.

An event counts as what dominates it: whatever is pure DP as pure DP of its cost, and discrete Gaussian noise as steps. Integer vectors
that differ by at most v < 4 in the squared L2 norm differ by 1 in at most v cells, each with noise of its own, so that is v steps of
sensitivity 1; for larger v zCDP of the cost is what is used.

Sequential composition adds the counts (SafeTab 2022, Lemmas 1 to 3), also where a mechanism depends on earlier results while its events
were fixed before; where the events themselves were chosen after them, only costs and Renyi divergences add up (`FullyAdaptive`).
Bounded overlap z multiplies those of the worst part by z (Lemmas 9, 10, 12). So the events, and every figure computed from them, do not
depend on the order or the grouping in which a ledger or a plan composed.

Which part is worst. A pure event of epsilon is dominated by binary randomized response of that epsilon: every hockey-stick divergence of
every epsilon-DP mechanism is at most its own, in adaptive composition too (Kairouz, Oh and Viswanath 2015). So some pure events
dominate others if the others can be sorted into distinct events of the ones, each group adding up to no more than
its event: a group composes to pure DP of its sum. For SafeTab with geometric noise the total-only group (one event of epsilon)
so dominates the two stages (gamma epsilon and (1 - gamma) epsilon). Where no part dominates, as with the discrete Gaussian, the
event is `OverlappingEvents`, and each accountant takes the worst in its own measure, at each order or each epsilon.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

from starling.privacy.events import (
    ZCDP,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    Event,
    ExponentialMechanism,
    LatticeNoise,
    PermuteAndFlip,
    PureDP,
)
from starling.privacy.guarantee import BoundedOverlap, FullyAdaptive, Guarantee, Sequential

_MOST_SORTED = 4096
"""Events that are compared; more count as incomparable, which is safe."""


@dataclass(frozen=True, slots=True)
class OverlappingEvents:
    """Mechanisms of which a unit meets at most `overlap`.

    Attributes:
        parts: Each mechanism has the events of one of these; at least two, none known to dominate the others.
        overlap: The most of these mechanisms that one unit meets; at least 1.
    """

    parts: frozenset["Events"]
    overlap: int


Accounted: TypeAlias = PureDP | DiscreteGaussianNoise | ZCDP | OverlappingEvents
"""The events that accountants compose. Discrete Gaussian noise has sensitivity 1 here."""
Events: TypeAlias = frozenset[tuple[Accounted, int]]
"""Different events, each with how often a unit meets it."""


def ordered(events: Events) -> list[tuple[Accounted, int]]:
    """The events with their multiplicities, in an order that does not depend on how they were collected."""
    return sorted(events, key=lambda item: _key(item[0]))


def order_of(events: Events) -> tuple[object, ...]:
    """A key by which collections of events are sorted."""
    return tuple((_key(event), times) for event, times in ordered(events))


def _key(event: Accounted) -> tuple[object, ...]:
    match event:
        case PureDP(epsilon):
            return (0, epsilon)
        case DiscreteGaussianNoise(sigma_squared):
            return (1, sigma_squared)
        case ZCDP(rho):
            return (2, rho)
        case OverlappingEvents(parts, overlap):
            return (3, overlap, *sorted(order_of(part) for part in parts))
        case _:
            assert_never(event)


def events_of(guarantee: Guarantee) -> Events:
    """The events of a guarantee, as accountants compose them."""
    return frozenset(_events(guarantee).items())


def alternatives(events: Events) -> list[Events]:
    """The events of each choice, where the whole is one choice of which a unit meets one; otherwise the events themselves."""
    if len(events) == 1:
        ((event, times),) = events
        if isinstance(event, OverlappingEvents) and event.overlap == times == 1:
            return [each for part in sorted(event.parts, key=order_of) for each in alternatives(part)]
    return [events]


def _events(guarantee: Guarantee) -> Counter[Accounted]:
    match guarantee.event:
        case Sequential(parts) | FullyAdaptive(parts):
            return sum((_events(part) for part in parts), Counter())
        case BoundedOverlap(parts, overlap):
            events = _undominated(map(events_of, parts))
            if len(events) > 1:
                return Counter({OverlappingEvents(frozenset(events), overlap): 1})
            return Counter({event: times * overlap for event, times in events[0]})
        case event:
            return _accounted(event)


def _accounted(event: Event) -> Counter[Accounted]:
    match event:
        case DiscreteLaplaceNoise() | LatticeNoise() | ExponentialMechanism() | PermuteAndFlip() | PureDP():
            return Counter({PureDP(event.cost.amount): 1})
        case DiscreteGaussianNoise(sigma_squared, squared) if squared in (1, 2, 3):
            return Counter({DiscreteGaussianNoise(sigma_squared): int(squared)})
        case DiscreteGaussianNoise() | ZCDP():
            return Counter({ZCDP(event.cost.amount): 1})
        case _:
            assert_never(event)


def _undominated(parts: Iterable[Events]) -> list[Events]:
    left: list[Events] = []
    # From the largest single events on: what dominates most is met first.
    for part in sorted(set(parts), key=order_of, reverse=True):
        if not any(_dominates(other, part) for other in left):
            left = [*(other for other in left if not _dominates(part, other)), part]
    return left


def _dominates(one: Events, other: Events) -> bool:
    """Whether `one` is provably at least as revealing as `other` in every measure (see the module's argument)."""
    larger, smaller = Counter(dict(one)), Counter(dict(other))
    common = larger & smaller
    larger, smaller = larger - common, smaller - common
    if larger.total() + smaller.total() > _MOST_SORTED or any(not isinstance(event, PureDP) for event in smaller):
        return False
    room = [epsilon for epsilon, times in _largest_first(larger) for _ in range(times)]
    # First fit, largest first: finding no place proves nothing, and False is the safe answer.
    for need, times in _largest_first(smaller):
        left = times
        for place, free in enumerate(room):
            fit = min(left, free // need)
            room[place], left = free - fit * need, left - fit
            if not left:
                break
        else:
            return False
    return True


def _largest_first(events: Counter[Accounted]) -> list[tuple[Fraction, int]]:
    """The epsilons of pure events, each with how often there is one."""
    return sorted(
        ((event.epsilon, times) for event, times in events.items() if isinstance(event, PureDP)), reverse=True
    )
