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

Two readings. `events_of` is what (epsilon, delta) are computed from: all that is pure DP counts alike. `detailed_events_of` is what a
charge is computed from (zcdp.py), and a ledger keeps it: the exponential mechanism is told apart from what is only pure DP, since it
costs less in zCDP, and events keep their replacement factors. There a pure event has room for others only where its factor is at least
theirs, so that what dominates costs at least as much when a unit is replaced too; the exponential mechanism has room for none.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias, assert_never

from starling.privacy.events import (
    ZCDP,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    Event,
    ExponentialMechanism,
    LatticeNoise,
    MedianResponse,
    PermuteAndFlip,
    PureDP,
    RandomizedResponse,
    StoredResponse,
    without_factor,
)
from starling.privacy.guarantee import BoundedOverlap, FullyAdaptive, Guarantee, JointResiduals, Sequential, by_events
from starling.privacy.residual_events import ResidualEvents

_PURE: Final = (PureDP, ExponentialMechanism)
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


Accounted: TypeAlias = PureDP | ExponentialMechanism | DiscreteGaussianNoise | ZCDP | OverlappingEvents | ResidualEvents
"""The events that accountants compose. Discrete Gaussian noise and the exponential mechanism have sensitivity 1 here; residuals are there
in detailed events alone.
"""
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
        case ExponentialMechanism(epsilon):
            return (0, epsilon, 0)
        case PureDP(epsilon, factor):
            return (0, epsilon, factor)
        case DiscreteGaussianNoise(sigma_squared, _, factor):
            return (1, sigma_squared, factor)
        case ZCDP(rho, factor):
            return (2, rho, factor)
        case OverlappingEvents(parts, overlap):
            return (3, overlap, *sorted(order_of(part) for part in parts))
        case ResidualEvents(sizes, columns, records, apart, sigma_squared):
            return (4, sizes, columns, records, apart, sigma_squared)
        case _:
            assert_never(event)


def events_of(guarantee: Guarantee) -> Events:
    """The events of a guarantee, as accountants compose them."""
    return frozenset(_events(guarantee, _accounted).items())


@lru_cache(maxsize=1024)
def detailed_events_of(guarantee: Guarantee) -> Events:
    """The events of a guarantee, as its charge is computed from them."""
    return frozenset(_events(guarantee, _detailed).items())


def without_details(events: Events) -> Events:
    """Detailed events as `events_of` gives them."""
    merged: Counter[Accounted] = Counter()
    for event, times in events:
        if isinstance(event, OverlappingEvents):
            merged += _overlapping(map(without_details, event.parts), event.overlap * times)
        elif isinstance(event, ResidualEvents):
            for each in (part for level in event.noise for part in level):
                merged += Counter({one: number * times for one, number in _accounted(each).items()})
        else:
            merged += Counter({each: number * times for each, number in _accounted(event).items()})
    return frozenset(merged.items())


def replaced_events(events: Events) -> Events:
    """What the replacement of a unit meets at most, for accountants, where add-remove mechanisms have these detailed events.

    What is pure DP counts as pure DP of twice its epsilon, anything else as zCDP by its replacement factor. A mechanism that meets one
    of the two units alone does so with its events as they are, and two such mechanisms reveal no more than one that meets both.
    """
    met: Counter[Accounted] = Counter()
    for event, times in events:
        match event:
            case OverlappingEvents(parts, overlap):
                met += _overlapping(map(replaced_events, parts), overlap * times)
            case PureDP(epsilon) | ExponentialMechanism(epsilon):
                met[PureDP(2 * epsilon)] += times
            case DiscreteGaussianNoise() | ZCDP():
                met[ZCDP(event.cost.amount * event.replacement_factor)] += times
            case ResidualEvents():
                met[ZCDP(event.replaced)] += times
            case _:
                assert_never(event)
    return frozenset(met.items())


def alternatives(events: Events) -> list[Events]:
    """The events of each choice, where the whole is one choice of which a unit meets one; otherwise the events themselves."""
    if len(events) == 1:
        ((event, times),) = events
        if isinstance(event, OverlappingEvents) and event.overlap == times == 1:
            return [each for part in sorted(event.parts, key=order_of) for each in alternatives(part)]
    return [events]


def _events(guarantee: Guarantee, leaf: Callable[[Event], Counter[Accounted]]) -> Counter[Accounted]:
    match guarantee.event:
        case Sequential(parts) | FullyAdaptive(parts):
            return sum((_events(part, leaf) for part in parts), Counter())
        case JointResiduals(parts, joint):
            if leaf is _detailed:
                return Counter({joint: 1})
            return sum((_events(part, leaf) for part in parts), Counter())
        case BoundedOverlap(parts, overlap):
            # What residuals cost together holds where every unit meets all of them.
            return _overlapping((frozenset(_events(by_events(part), leaf).items()) for part in parts), overlap)
        case event:
            return leaf(event)


def _overlapping(parts: Iterable[Events], overlap: int) -> Counter[Accounted]:
    events = _undominated(parts)
    if len(events) > 1:
        return Counter({OverlappingEvents(frozenset(events), overlap): 1})
    return Counter({event: times * overlap for event, times in events[0]})


def _accounted(event: Event) -> Counter[Accounted]:
    return _reduced(without_factor(event), PureDP)


def _detailed(event: Event) -> Counter[Accounted]:
    return _reduced(event, ExponentialMechanism)


def _reduced(event: Event, exponential: type[PureDP | ExponentialMechanism]) -> Counter[Accounted]:
    """The event as accountants know it, with its replacement factor; an exponential mechanism as what `exponential` says."""
    factor = event.replacement_factor
    match event:
        case ExponentialMechanism(epsilon):
            return Counter({exponential(epsilon): 1})
        case (
            DiscreteLaplaceNoise()
            | LatticeNoise()
            | PermuteAndFlip()
            | RandomizedResponse()
            | MedianResponse()
            | StoredResponse()
            | PureDP()
        ):
            return Counter({PureDP(event.cost.amount, factor): 1})
        case DiscreteGaussianNoise(sigma_squared, squared) if squared in (1, 2, 3):
            return Counter({DiscreteGaussianNoise(sigma_squared, replacement_factor=factor): int(squared)})
        case DiscreteGaussianNoise() | ZCDP():
            return Counter({ZCDP(event.cost.amount, factor): 1})
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
    if larger.total() + smaller.total() > _MOST_SORTED or any(not isinstance(event, _PURE) for event in smaller):
        return False
    room = [
        (epsilon, factor)
        for epsilon, factor, times in _largest_first(event for event in larger.items() if isinstance(event[0], PureDP))
        for _ in range(times)
    ]
    # First fit, largest first: finding no place proves nothing, and False is the safe answer.
    for need, least, times in _largest_first(smaller.items()):
        left = times
        for place, (free, factor) in enumerate(room):
            fit = min(left, free // need) if factor >= least else 0
            room[place], left = (free - fit * need, factor), left - fit
            if not left:
                break
        else:
            return False
    return True


def _largest_first(events: Iterable[tuple[Accounted, int]]) -> list[tuple[Fraction, Fraction, int]]:
    """The epsilons of pure events, each with its replacement factor and how often there is one."""
    pure = ((event, times) for event, times in events if isinstance(event, _PURE))
    return sorted(((event.epsilon, event.replacement_factor, times) for event, times in pure), reverse=True)
