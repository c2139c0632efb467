"""Trips on a grid under the falsifier: what they release of the cells that a unit's trips lead from and to, without and with them.

Nobody else has trips, and those of the unit lead from the first cell to the first. As of points (places_mechanisms.py), of each number that
holds them only its sign is kept, of both ends and of pairs of boxes.

Mutants are not as private as they state, kept for the audit alone; no release path reaches them.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final

import numpy as np

from starling.audit.case import Case, Draws, Int64, one_by_one
from starling.audit.places_mechanisms import EPSILON, MUTANTS_EPSILON, coded, signs
from starling.places.mechanism.growing import noisy
from starling.places.trips.measurements import MeasuredPairs, MeasuredTrips, Trips
from starling.places.trips.mechanism import TripRule, TripTree
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from starling.privacy.sampling.entropy import BitSource

_LINE: Final = (1, 4)


@dataclass(frozen=True, slots=True)
class WholeBudgets(TripTree):
    """A tree of which origins, destinations and pairs get the whole budget each."""

    def part(self, share: Fraction) -> TripRule:
        """The whole, whatever the share is."""
        del share
        return TripRule(self.shape, self.relation, self.epsilon, self.trips)


def only_where_trips_lead(exact: Int64, amount: Fraction) -> Int64:
    """Noise on the numbers of pairs that have trips, and none on those of empty ones, as though nothing could be told of nobody."""
    return np.where(exact > 0, noisy(exact, amount), 0)


@dataclass(frozen=True, slots=True)
class OnlyWhereTripsLead(TripTree):
    """A tree whose empty pairs of boxes are left at 0."""

    def draw(self, exact: Trips, /) -> MeasuredTrips:
        """As of `TripTree`, but for empty pairs."""
        return self._measured(exact, (noisy, noisy, only_where_trips_lead))


def coded_pairs(pairs: MeasuredPairs) -> list[int]:
    """The tree over pairs as a few integers, as `coded` makes them of a tree over boxes."""
    holds = (pairs.boxes[:, ::2] == 0).all(axis=1)
    leaf = int(pairs.boxes[holds, 1::2].prod(axis=1).min())
    return [leaf, *signs(pairs.value[holds[pairs.node]])]


def released(mechanism: TripTree) -> Draws:
    """What releases, drawn one by one, tell of the first cell: int64 (draws, values). A world is its trips within the first cell."""

    def draw(exact: Int64, _: BitSource) -> list[int]:
        there = exact > 0
        drawn = mechanism.draw(Trips(mechanism.shape, np.zeros((int(there[0]), 4), dtype=np.int32), exact[there]))
        return [*coded(drawn.origins), *coded(drawn.destinations), *coded_pairs(drawn.pairs)]

    return one_by_one(draw)


_RIGHT: Final = TripTree(_LINE, ADD_REMOVE_PERSON, EPSILON, 2)
DECLARED: Final[tuple[Case, ...]] = (
    Case("flows on a grid, two trips a person", "", None, released(_RIGHT), (0,), (2,), 500, _RIGHT.guarantee.cost),
)

_CLAIM: Final = Epsilon(MUTANTS_EPSILON)
MUTANTS: Final[tuple[Case, ...]] = (
    Case(
        "flows on a grid, the whole budget for both ends and pairs each",
        "both ends and pairs add up",
        3 * float(MUTANTS_EPSILON),
        released(WholeBudgets(_LINE, ADD_REMOVE_POINT, MUTANTS_EPSILON)),
        (0,),
        (1,),
        600,
        _CLAIM,
    ),
    Case(
        "flows on a grid, no noise on empty pairs",
        "what is empty is told exactly",
        inf,
        released(OnlyWhereTripsLead(_LINE, ADD_REMOVE_POINT, MUTANTS_EPSILON)),
        (0,),
        (1,),
        400,
        _CLAIM,
    ),
)
"""Trees that cost more than they declare."""
