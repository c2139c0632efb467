"""Flows between areas under the falsifier: what they release of the pair of areas that a unit's trips are of, without and with them.

Nobody else has trips. Noise of scale 1/e, at or below 0, is likelier by e^e without a trip than with one, so of each number that holds the
pair only its sign is kept: together the signs lose nothing of what a trip gives away.

Mutants are not as private as they state, kept for the audit alone; no release path reaches them.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.audit.case import Case, Draws, one_by_one
from starling.audit.places_mechanisms import EPSILON, MUTANTS_EPSILON
from starling.places.flows.mechanism import PairsOfLevels
from starling.places.flows.plan import Levels
from starling.places.plan.records import RELATIONS
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

AREAS: Final = 2
_HALVES: Final = (Fraction(1, 2), Fraction(1, 2))
_PARENTS: Final = (np.zeros(AREAS, dtype=np.int64),)


@dataclass(frozen=True, eq=False)
class WholeBudgets(Levels):
    """Levels of which each pair gets the whole budget."""

    def noise(self, pair: tuple[int, int], cost: Cost, trips: int) -> Distribution:
        """Too narrow for all pairs together."""
        del pair
        return DiscreteLaplace(trips / cost.amount)


def released(mechanism: PairsOfLevels) -> Draws:
    """The signs of the first number of each pair of levels, drawn one by one: int64 (draws, pairs of levels)."""
    return one_by_one(lambda exact, _: [each[0, 0] > 0 for each in mechanism.draw(exact.reshape(AREAS, AREAS))])


def _case(name: str, trips: int) -> Case:
    mechanism = PairsOfLevels(
        Levels((1, AREAS), _PARENTS, _HALVES), RELATIONS["trip" if trips == 1 else "person"], Epsilon(EPSILON), trips
    )
    with_it = (trips, *[0] * (AREAS**2 - 1))
    return Case(name, "", None, released(mechanism), (0,) * AREAS**2, with_it, 800, mechanism.guarantee.cost)


DECLARED: Final[tuple[Case, ...]] = (_case("flows", 1), _case("flows, two trips a person", 2))

_CLAIM: Final = Epsilon(MUTANTS_EPSILON)
MUTANTS: Final[tuple[Case, ...]] = (
    Case(
        "flows, the whole budget for each pair of levels",
        "pairs of levels add up",
        4 * float(MUTANTS_EPSILON),
        released(PairsOfLevels(WholeBudgets((1, AREAS), _PARENTS, _HALVES), RELATIONS["trip"], _CLAIM)),
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        1_000,
        _CLAIM,
    ),
)
"""Of which a pair of levels costs more than it says."""
