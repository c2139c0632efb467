"""What a mechanism declares, as an immutable value. Ledger, preview, audit, report and documentation all read this one value.

A guarantee is one event (events.py) or a composition of guarantees. Its cost is computed from that, so it is stated nowhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, get_args

from starling.errors import ParameterError
from starling.privacy.budget import DELTA, Cost, Exact
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.events import ANY, Event, noise_event, without_factor
from starling.privacy.neighbours import Relation
from starling.privacy.residual_events import ResidualEvents


@dataclass(frozen=True, slots=True)
class Sequential:
    """All parts, at least one, see the same units: costs add up (SafeTab 2022, Lemmas 1 and 2)."""

    parts: tuple["Guarantee", ...]


@dataclass(frozen=True, slots=True)
class FullyAdaptive:
    """All parts, at least one, see the same units, and each was chosen, its budget too, after the results of those before it.

    Costs add up, and so do Renyi divergences of one order (Whitehouse, Ramdas, Rogers and Wu 2022, arXiv 2210.17520). Privacy loss
    distributions do not compose here (arXiv 2602.06756 has a counterexample), so that no accountant takes an epsilon from them.
    """

    parts: tuple["Guarantee", ...]


@dataclass(frozen=True, slots=True)
class BoundedOverlap:
    """A unit's data are met by at most `overlap` mechanisms, each like one of `parts`: generalised parallel composition.

    Either the mechanisms read subsets of the units that were fixed beforehand, and a unit lies in at most `overlap` of them; overlap 1
    is parallel composition. Or which mechanism is run, and how often up to `overlap` times, follows from public choices and earlier
    answers. The cost is `overlap` times the largest part (SafeTab 2022, Lemmas 9 and 10): z rho for zCDP, not z^2 rho, because
    these are separate mechanisms and not one vector of sensitivity z.

    Attributes:
        parts: The kinds of mechanisms; at least one.
        overlap: Most mechanisms that meet one unit; at least 1.
    """

    parts: tuple["Guarantee", ...]
    overlap: int


@dataclass(frozen=True, slots=True)
class JointResiduals:
    """All parts of tables that are measured as residuals see the same units: costs add up, and less is known of replacing a unit.

    Attributes:
        parts: Each level of regions, a sequential composition of the noise of each part.
        joint: The noise of all parts, with what replacing a unit costs for all of it together.
    """

    parts: tuple["Guarantee", ...]
    joint: ResidualEvents


Composition: TypeAlias = Sequential | FullyAdaptive | BoundedOverlap | JointResiduals


@dataclass(frozen=True, slots=True)
class Guarantee:
    """An event or a composition, under a name and a neighbour relation.

    Attributes:
        name: What is measured, in words for the report.
        relation: Neighbouring databases and the protected unit.
        event: What is run.
        delta: At which its epsilon is shown in the terms of (epsilon, delta)-DP; nothing is charged by it.
        cost: Exact cost of the whole, computed from the event.
    """

    name: str
    relation: Relation
    event: Event | Composition
    delta: str = field(default=DELTA, kw_only=True, repr=False)
    cost: Cost = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.event, get_args(Event | Composition)):
            raise ParameterError("event", "is none that the accountants know", "declare what is drawn by an event")
        if any(part.relation != self.relation for part in self.parts):
            raise ParameterError("relation", "differs between the parts", "convert to one neighbour relation first")
        object.__setattr__(self, "cost", _cost(self.event))

    @property
    def parts(self) -> tuple["Guarantee", ...]:
        """What is composed; nothing for a single event."""
        return self.event.parts if isinstance(self.event, Composition) else ()

    @property
    def fully_adaptive(self) -> bool:
        """Whether any of it was chosen after the results of other parts."""
        return isinstance(self.event, FullyAdaptive) or any(part.fully_adaptive for part in self.parts)


def _cost(event: Event | Composition) -> Cost:
    if not isinstance(event, Composition):
        return event.cost
    if isinstance(event, JointResiduals):
        if tuple(tuple(part.event for part in level.parts) for level in event.parts) != event.joint.noise:
            raise ParameterError("parts", "are not the noise of the residuals", "state each part of each level")
        return event.joint.cost
    costs = [part.cost for part in event.parts]
    if len({type(cost) for cost in costs}) != 1:
        raise ParameterError("parts", "are none, or mix epsilon and rho", "compose parts of one measure")
    kind, amounts = type(costs[0]), [cost.amount for cost in costs]
    if isinstance(event, Sequential | FullyAdaptive):
        return kind(sum(amounts, Fraction(0)))
    if type(event.overlap) is not int or event.overlap < 1:
        raise ParameterError("overlap", "is not an int of 1 or more", "state how many parts one unit can lie in")
    return kind(event.overlap * max(amounts))


def measurement(
    name: str, relation: Relation, noise: Distribution, sensitivity: Exact = 1, replacement_factor: Fraction = ANY
) -> Guarantee:
    """Counts with `noise` in each cell; one unit changes them by at most `sensitivity`, in L1 for the Laplace and L2 for the Gaussian.

    Where one more unit never lowers any of them, declare that by the `replacement_factor` MONOTONE: replacing a unit then costs twice
    the rho of adding one, and not four times (events.py).
    """
    return Guarantee(name, relation, noise_event(noise, sensitivity, replacement_factor))


def sequential(name: str, parts: Sequence[Guarantee]) -> Guarantee:
    """The sequential composition of at least one part."""
    return Guarantee(name, parts[0].relation, Sequential(tuple(parts)))


def bounded_overlap(name: str, overlap: int, parts: Sequence[Guarantee]) -> Guarantee:
    """The composition of mechanisms like the parts, at least one, of which at most `overlap` meet one unit."""
    return Guarantee(name, parts[0].relation, BoundedOverlap(tuple(parts), overlap))


def joint(guarantee: Guarantee, earlier: Sequence[Guarantee]) -> Guarantee:
    """A release and all that it adds to, which are about the same people; its plan may have been made after the earlier ones were seen."""
    if not earlier:
        return guarantee
    whole, name = FullyAdaptive((guarantee, *earlier)), f"{guarantee.name}, with all that it adds to"
    return Guarantee(name, guarantee.relation, whole, delta=guarantee.delta)


def by_events(guarantee: Guarantee) -> Guarantee:
    """The guarantee with every event on its own, also where more is known of all together: as guarantees were stated before that was."""
    event = guarantee.event
    if not isinstance(event, Composition):
        return guarantee
    parts = tuple(map(by_events, event.parts))
    if not isinstance(event, JointResiduals):
        return replace(guarantee, event=replace(event, parts=parts))
    return replace(guarantee, event=parts[0].event if len(parts) == 1 else Sequential(parts))


def without_factors(guarantee: Guarantee) -> Guarantee:
    """The guarantee without what its events declare of replacements: as guarantees were stated before that was."""
    guarantee = by_events(guarantee)
    event = guarantee.event
    if isinstance(event, Composition):
        return replace(guarantee, event=replace(event, parts=tuple(map(without_factors, event.parts))))
    return replace(guarantee, event=without_factor(event))


def forms(guarantee: Guarantee) -> tuple[Guarantee, ...]:
    """The guarantee as it is stated today, and as it was before."""
    return guarantee, by_events(guarantee), without_factors(guarantee)
