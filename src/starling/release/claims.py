"""What a guarantee claims of the privacy loss, and what is run for it: exact amounts and events, as texts and for programs."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from starling.privacy import events
from starling.privacy.accounting.conversion import Approximate, approximate
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import Cost, decimal_up
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.guarantee import BoundedOverlap, FullyAdaptive, Guarantee, JointResiduals, Sequential
from starling.release.codec import Json

NO_ADD_REMOVE: Final = "the number of units is public, so that no unit can be added or removed"


def amount(cost: Cost) -> dict[str, Json]:
    """An exact amount under the name of its measure, and its decimal, rounded up."""
    return {cost.measure: str(cost.amount), "decimal": decimal_up(cost.amount)}


@dataclass(frozen=True)
class Claim:
    """What a guarantee claims of the privacy loss, each number worked out once: pages, statement and command line take it from here."""

    guarantee: Guarantee

    @property
    def add_remove(self) -> Cost | None:
        """The cost when one unit is added or removed; None where the number of units is public."""
        return self.guarantee.cost if self.guarantee.relation.change == "add-remove" else None

    @property
    def replace_one(self) -> Cost:
        """The cost when one unit is replaced by another."""
        cost = self.guarantee.cost
        return cost if self.add_remove is None else replace_one_cost(self.guarantee)

    @cached_property
    def _approximate(self) -> Approximate:
        return approximate(self.guarantee, self.delta)

    @property
    def delta(self) -> str:
        """The delta at which the epsilon is stated."""
        return self.guarantee.delta

    @property
    def epsilon(self) -> str:
        """The epsilon of (epsilon, delta)-DP by the tightest accountant, a decimal, rounded up; every guarantee has one."""
        return decimal_up(self._approximate.epsilon)

    @property
    def by(self) -> str:
        """How that epsilon was computed."""
        return self._approximate.by

    def adjacencies(self) -> dict[str, Json]:
        """The cost under both adjacencies, for machines.

        >>> from fractions import Fraction
        >>> from starling.privacy.guarantee import measurement
        >>> from starling.privacy.distributions.discrete import DiscreteLaplace
        >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
        >>> both = claim(measurement("count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(2)))).adjacencies()
        >>> both["add-remove"], both["replace-one"]
        ({'epsilon': '1/2', 'decimal': '0.5'}, {'epsilon': '1', 'decimal': '1'})
        """
        if self.add_remove is None:
            return {"add-remove": None, "add-remove_reason": NO_ADD_REMOVE, "replace-one": amount(self.replace_one)}
        return {"add-remove": amount(self.add_remove), "replace-one": amount(self.replace_one)}

    def losses(self) -> dict[str, Json]:
        """The cost under both adjacencies, and in the terms of approximate DP, for machines."""
        return {
            "cost": self.adjacencies(),
            "approximate_dp": {"epsilon": self.epsilon, "delta": self.delta, "by": self.by},
        }

    def sentences(self) -> str:
        """The cost under both adjacencies, and in the terms of approximate DP, for people."""
        unit = self.guarantee.relation.unit
        more = f"In the terms of approximate DP: epsilon {self.epsilon} at delta {self.delta} (by: {self.by})."
        if self.add_remove is None:
            return f"{self.replace_one} when the data of one {unit} are replaced. {more}"
        both = (
            f"{self.add_remove} when one {unit} is added or removed, {self.replace_one} when one is replaced by another"
        )
        return f"{both}. {more}"


@lru_cache(maxsize=64)
def claim(guarantee: Guarantee) -> Claim:
    """What a guarantee claims."""
    return Claim(guarantee)


def noise(value: Distribution, sensitivity: int = 1) -> dict[str, Json]:
    """Noise on counts of a sensitivity, as an event is stated."""
    return {**events.written(events.noise_event(value, sensitivity))}


def composition(guarantee: Guarantee) -> dict[str, Json]:
    """The tree of what is run, each leaf with its event; a composition with how its cost follows.

    >>> from fractions import Fraction
    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> composition(measurement("count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(2))))["event"]
    {'mechanism': 'discrete Laplace noise', 'scale': '2', 'l1_sensitivity': '1'}
    """
    node: dict[str, Json] = {"name": guarantee.name, "cost": amount(guarantee.cost)}
    match guarantee.event:
        case Sequential(parts) | FullyAdaptive(parts):
            return node | {"composition": "sequential", "parts": [composition(part) for part in parts]}
        case BoundedOverlap(parts, overlap):
            within: list[Json] = [composition(part) for part in parts]
            return node | {"composition": "bounded overlap", "overlap": overlap, "parts": within}
        case JointResiduals(parts, joint):
            return node | {
                "composition": "residuals",
                "sizes": [*joint.sizes],
                "columns": [[*part] for part in joint.columns],
                "records": joint.records,
                "apart": joint.apart,
                "parts": [composition(part) for part in parts],
            }
        case event:
            return node | {"event": {**events.written(event)}}
