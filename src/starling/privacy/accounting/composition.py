"""What an accountant composes: a guarantee as a bag of events, each with how often one unit meets it.

Sequential composition, adaptive or not, joins bags (SafeTab 2022, Lemmas 1 to 3); a family of degree z multiplies the bag of its
worst part by z (Lemmas 9, 10, 12). So the bag, and every figure computed from it, does not depend on the order or the grouping in
which a ledger or a plan composed.

Which part is worst. A pure event of epsilon is dominated by binary randomized response of that epsilon: every hockey-stick divergence of
every epsilon-DP mechanism is at most its own, in adaptive composition too (Kairouz, Oh and Viswanath 2015). So one bag of pure events
dominates another if the other's events can be sorted into distinct events of the one, each group adding up to no more than
its event: a group composes to pure DP of its sum. For SafeTab with geometric noise the total-only group (one event of epsilon)
so dominates the two stages (gamma epsilon and (1 - gamma) epsilon). Where no part dominates, as with the discrete Gaussian, the
event is a `Family`, and each accountant takes the worst in its own measure, at each order or each epsilon.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from starling.errors import ParameterError
from starling.privacy.budget import Epsilon
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.guarantee import Guarantee

_MOST_SORTED = 4096
"""Events of bags that are compared; larger bags count as incomparable, which is safe."""


@dataclass(frozen=True, slots=True)
class Pure:
    """Pure DP of `epsilon`: a count with discrete Laplace noise, or a selection."""

    epsilon: Fraction

    @property
    def key(self) -> tuple[object, ...]:
        """For a fixed order of events."""
        return (0, self.epsilon)


@dataclass(frozen=True, slots=True)
class GaussianStep:
    """Discrete Gaussian noise on integers of which one unit changes one by 1: L2 sensitivity 1 leaves nothing else."""

    sigma_squared: Fraction

    @property
    def key(self) -> tuple[object, ...]:
        """For a fixed order of events."""
        return (1, self.sigma_squared)


@dataclass(frozen=True, slots=True)
class Concentrated:
    """Of which nothing more is known than zCDP of `rho`."""

    rho: Fraction

    @property
    def key(self) -> tuple[object, ...]:
        """For a fixed order of events."""
        return (2, self.rho)


@dataclass(frozen=True, slots=True)
class Family:
    """Mechanisms over subsets of the units that were fixed beforehand, a unit in at most `degree` of them.

    Attributes:
        parts: Each mechanism is like one of these; at least two, none known to dominate the others.
        degree: At least 1.
    """

    parts: frozenset["Bag"]
    degree: int

    @property
    def key(self) -> tuple[object, ...]:
        """For a fixed order of events."""
        return (3, self.degree, *sorted(order_of(part) for part in self.parts))


Event: TypeAlias = Pure | GaussianStep | Concentrated | Family
Bag: TypeAlias = frozenset[tuple[Event, int]]


def ordered(bag: Bag) -> list[tuple[Event, int]]:
    """The events of a bag with their multiplicities, in an order that does not depend on how the bag was made."""
    return sorted(bag, key=lambda item: item[0].key)


def order_of(bag: Bag) -> tuple[object, ...]:
    """What sorts bags, likewise."""
    return tuple((event.key, times) for event, times in ordered(bag))


def bag_of(guarantee: Guarantee) -> Bag:
    """The events of a guarantee.

    Raises:
        ParameterError: for a composition, law or norm that is not known here; nothing unknown is guessed at.
    """
    return frozenset(_events(guarantee).items())


def alternatives(bag: Bag) -> list[Bag]:
    """The bags of which a unit meets one, where the whole is one `Family` of degree 1; otherwise the bag itself."""
    if len(bag) == 1:
        ((event, times),) = bag
        if isinstance(event, Family) and event.degree == times == 1:
            return [each for part in sorted(event.parts, key=order_of) for each in alternatives(part)]
    return [bag]


def _events(guarantee: Guarantee) -> Counter[Event]:
    if guarantee.composition == "sequential":
        return sum((_events(part) for part in guarantee.parts), Counter())
    if guarantee.composition == "degree":
        parts = _undominated(bag_of(part) for part in guarantee.parts)
        if len(parts) > 1:
            return Counter({Family(frozenset(parts), guarantee.degree): 1})
        return Counter({event: times * guarantee.degree for event, times in parts[0]})
    if guarantee.composition is None:
        return Counter({_leaf(guarantee): 1})
    raise ParameterError(
        field="guarantee",
        problem="is composed in a way the accountant does not know",
        fix="use sequential() or degree()",
    )


def _leaf(leaf: Guarantee) -> Event:
    if isinstance(leaf.law, DiscreteLaplace) and leaf.norm != "L1":
        raise ParameterError(
            field="norm", problem="is not L1, in which discrete Laplace noise is accounted", fix="use measurement()"
        )
    if isinstance(leaf.cost, Epsilon):
        return Pure(leaf.cost.amount)
    if isinstance(leaf.law, DiscreteGaussian) and leaf.sensitivity == 1:
        return GaussianStep(leaf.law.sigma_squared)
    return Concentrated(leaf.cost.amount)


def _undominated(parts: Iterable[Bag]) -> list[Bag]:
    left: list[Bag] = []
    for part in sorted(set(parts), key=order_of):
        if not any(_dominates(other, part) for other in left):
            left = [*(other for other in left if not _dominates(part, other)), part]
    return left


def _dominates(one: Bag, other: Bag) -> bool:
    """Whether `one` is provably at least as revealing as `other` in every measure (see the module's argument)."""
    larger, smaller = Counter(dict(one)), Counter(dict(other))
    common = larger & smaller
    larger, smaller = larger - common, smaller - common
    if larger.total() + smaller.total() > _MOST_SORTED or any(not isinstance(event, Pure) for event in smaller):
        return False
    room = sorted((event.epsilon for event in larger.elements() if isinstance(event, Pure)), reverse=True)
    # First fit, largest first: finding no place proves nothing, and False is the safe answer.
    for need in sorted((event.epsilon for event in smaller.elements() if isinstance(event, Pure)), reverse=True):
        place = next((i for i, free in enumerate(room) if free >= need), None)
        if place is None:
            return False
        room[place] -= need
    return True
