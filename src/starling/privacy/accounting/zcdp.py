"""What a guarantee costs in zCDP, when a unit is added or removed and when one is replaced: the sum over its own events, exactly.

zCDP of rho composes by adding up, also where later mechanisms follow earlier results (Bun and Steinke 2016, Lemma 2.3). So the whole
costs the sum of what its events cost (events.py): rho of what is zCDP, epsilon^2/2 of what is pure DP, epsilon^2/8 of the exponential
mechanism; never the square of a sum. When a unit is replaced, each event costs so many times more as its replacement factor says.

Bounded overlap z. The unit a lies in at most z of the mechanisms, and so does b, which takes its place. A mechanism that meets one of them
costs one part. One that meets both costs its factor times that, which is half the factor for a and half for b. No factor is below 2, so
that the whole costs at most z times the largest sum of factor times rho over a part's events; a factor below 2 would leave out the
replacement of a unit of one group by a unit of another.
"""

from fractions import Fraction
from typing import assert_never

from starling.privacy.accounting.composition import Accounted, Events, OverlappingEvents, detailed_events_of
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.events import ZCDP, DiscreteGaussianNoise, ExponentialMechanism, PureDP
from starling.privacy.guarantee import Guarantee
from starling.privacy.residual_events import ResidualEvents


def rho_of(events: Events, *, replaced: bool = False) -> Fraction:
    """The rho of detailed events when a unit is added or removed, or when one is replaced."""
    return sum((times * _rho(event, replaced) for event, times in events), Fraction(0))


def epsilon_of(events: Events) -> Fraction | None:
    """The epsilon of detailed events when a unit is added or removed; None where they are not pure DP."""
    amounts = [(_epsilon(event), times) for event, times in events]
    known = [(epsilon, times) for epsilon, times in amounts if epsilon is not None]
    return None if len(known) < len(amounts) else sum((times * epsilon for epsilon, times in known), Fraction(0))


def zcdp_cost(guarantee: Guarantee) -> Rho:
    """What a guarantee costs in zCDP, whatever its measure, under its own neighbour relation: what a population in rho is charged.

    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> from starling.privacy.guarantee import measurement, sequential
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> count = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(10)))
    >>> zcdp_cost(sequential("four counts", (count,) * 4))
    rho 0.02
    """
    return Rho(rho_of(detailed_events_of(guarantee)))


def replace_one_cost(guarantee: Guarantee) -> Cost:
    """What an add-remove guarantee costs when a unit is replaced by another: 2 epsilon of pure DP, and by its events in zCDP.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> from starling.privacy.events import MONOTONE
    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> noise = DiscreteGaussian(Fraction(50))
    >>> replace_one_cost(measurement("differences", ADD_REMOVE_PERSON, noise))
    rho 0.04
    >>> replace_one_cost(measurement("counts", ADD_REMOVE_PERSON, noise, 1, MONOTONE))
    rho 0.02
    """
    if isinstance(guarantee.cost, Epsilon):
        return guarantee.cost * 2
    return Rho(rho_of(detailed_events_of(guarantee), replaced=True))


def _rho(event: Accounted, replaced: bool) -> Fraction:
    match event:
        case OverlappingEvents(parts, overlap):
            return overlap * max(rho_of(part, replaced=replaced) for part in parts)
        case ResidualEvents():
            return event.replaced if replaced else event.cost.amount
        case ExponentialMechanism(epsilon):
            rho = epsilon**2 / 8
        case PureDP(epsilon):
            rho = epsilon**2 / 2
        case DiscreteGaussianNoise() | ZCDP():
            rho = event.cost.amount
        case _:
            assert_never(event)
    return rho * event.replacement_factor if replaced else rho


def _epsilon(event: Accounted) -> Fraction | None:
    match event:
        case OverlappingEvents(parts, overlap):
            costs = [epsilon_of(part) for part in parts]
            known = [cost for cost in costs if cost is not None]
            return overlap * max(known) if len(known) == len(costs) else None
        case ExponentialMechanism(epsilon) | PureDP(epsilon):
            return epsilon
        case DiscreteGaussianNoise() | ZCDP() | ResidualEvents():
            return None
        case _:
            assert_never(event)
