"""What a mechanism declares, as an immutable value. Ledger, preview, audit, report and documentation all read this one value.

A guarantee is a leaf (one measurement: a sensitivity, a law of noise, and the cost that follows from them) or a composition
of guarantees. The cost of a composition is computed from its parts, so it is stated nowhere twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from starling.errors import ParameterError
from starling.privacy.budget import Cost, Epsilon, Rho, exact
from starling.privacy.distributions.discrete import Law
from starling.privacy.neighbours import Relation

Norm: TypeAlias = Literal["L1", "L2"]
Composition: TypeAlias = Literal["sequential", "degree"]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A measurement or a composition of them. Make one with `measurement`, `sequential` or `degree`.

    Attributes:
        name: What is measured, in words for the report.
        relation: Neighbouring databases and the protected unit.
        cost: Exact; for the whole of it.
        sensitivity: Of a leaf: the most that neighbours differ by, in `norm`.
        norm: Of a leaf.
        law: Of a leaf that adds noise; None for a selection and for a composition.
        composition: How the parts give the cost: "sequential" (SafeTab 2022, Lemmas 1 and 2: the sum), "degree" (Lemmas 9
            and 10: parts over subsets of the units of which any unit lies in at most `degree`: degree times the largest;
            degree 1 is parallel composition, and each member of the family is like one of `parts`).
        degree: See above.
        parts: What is composed.
    """

    name: str
    relation: Relation
    cost: Cost
    sensitivity: Fraction = Fraction(1)
    norm: Norm = "L1"
    law: Law | None = None
    composition: Composition | None = None
    degree: int = 1
    parts: tuple["Guarantee", ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", exact(self.sensitivity, field="sensitivity"))
        if self.sensitivity <= 0:
            raise ParameterError(field="sensitivity", problem="is not above 0", fix="state the true sensitivity")
        if self.cost.amount == 0:
            raise ParameterError(
                field="cost", problem="is 0, which nothing that looks at a record costs", fix="state what is spent"
            )
        if self.law is not None and self.cost != self.law.cost(self.sensitivity):
            raise ParameterError(field="cost", problem="is not what the law costs", fix="use measurement()")
        if (self.composition is None) != (not self.parts):
            raise ParameterError(
                field="parts", problem="do not fit the composition", fix="use sequential() or degree()"
            )
        if self.composition is not None and self.cost != _composed(self.composition, self.degree, self.parts):
            raise ParameterError(field="cost", problem="is not what the parts cost", fix="use sequential() or degree()")
        if any(part.relation != self.relation for part in self.parts):
            raise ParameterError(
                field="relation", problem="differs between the parts", fix="convert to one neighbour relation first"
            )


def _composed(composition: Composition, degree: int, parts: tuple[Guarantee, ...]) -> Cost:
    costs = [part.cost for part in parts]
    if len({type(cost) for cost in costs}) != 1:
        raise ParameterError(field="parts", problem="mix epsilon and rho", fix="use one law of noise")
    if degree < 1:
        raise ParameterError(field="degree", problem="is below 1", fix="state how many parts one unit can lie in")
    kind = type(costs[0])
    amounts = [cost.amount for cost in costs]
    return kind(sum(amounts, Fraction(0)) if composition == "sequential" else degree * max(amounts))


def measurement(name: str, relation: Relation, law: Law, sensitivity: Fraction | int = 1) -> Guarantee:
    """Counts with `law` noise in each cell; one unit changes them by at most `sensitivity`.

    The norm is L1 for the discrete Laplace, L2 for the discrete Gaussian.
    """
    cost = law.cost(sensitivity)
    return Guarantee(name, relation, cost, Fraction(sensitivity), "L1" if isinstance(cost, Epsilon) else "L2", law)


def sequential(name: str, parts: tuple[Guarantee, ...]) -> Guarantee:
    """All parts see the same units: costs add up (SafeTab 2022, Lemmas 1 and 2)."""
    cost = _composed("sequential", 1, parts)
    return Guarantee(name, parts[0].relation, cost, composition="sequential", parts=parts)


def degree(name: str, most: int, parts: tuple[Guarantee, ...]) -> Guarantee:
    """A family of mechanisms over subsets of the units, each like one of `parts`; a unit lies in at most `most` subsets.

    The cost is `most` times the largest part (SafeTab 2022, Lemmas 9 and 10): z rho for zCDP, not z^2 rho, because the parts
    are separate mechanisms and not one vector of sensitivity z.
    """
    cost = _composed("degree", most, parts)
    return Guarantee(name, parts[0].relation, cost, composition="degree", degree=most, parts=parts)


def together(guarantee: Guarantee, earlier: Sequence[Guarantee]) -> Guarantee:
    """Of a release and of all that it adds to, which are about the same people: their sequential composition."""
    return sequential(f"{guarantee.name}, with all that it adds to", (guarantee, *earlier)) if earlier else guarantee


__all__ = ["Composition", "Epsilon", "Guarantee", "Norm", "Rho", "degree", "measurement", "sequential", "together"]
