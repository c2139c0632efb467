"""Areas under the falsifier: what they release of the area that a unit's points lie in, without and with them, with a value and without.

Nobody else has points. As of flows (flows_mechanisms.py), of each number that holds the points only its sign is kept: of each level, and of
each of the two layers of a value.

Mutants are not as private as they state, kept for the audit alone; no release path reaches them.
"""

from fractions import Fraction
from typing import Final

import numpy as np
import shapely

from starling.audit.case import Case, Draws, one_by_one
from starling.audit.places_mechanisms import EPSILON, MUTANTS_EPSILON
from starling.places.areas.mechanism import AreaCounts
from starling.places.areas.plan.columns import AreaColumns
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Areas
from starling.places.plan.choices import Value
from starling.privacy.budget import Epsilon, Measure

AREAS: Final = 2
VALUE: Final = Value(-2, 4)
"""A record adds six units."""
FARE: Final = 1
"""The value of each point of the unit: three units above the lower bound, three below the upper one."""


def plan_of(measure: Measure, amount: Fraction, points: int = 1, value: Value | None = None) -> AreasPlan:
    """A plan of two squares, of which the whole and the squares get half of a budget each."""
    squares = np.array([shapely.box(at, 0, at + 1, 1) for at in range(AREAS)], dtype=np.object_)
    ids, person = tuple(map(str, range(AREAS))), "person" if points > 1 else ""
    return AreasPlan(
        title="Audit",
        point="point",
        areas=Areas(ids, ids, ("id", "", ()), (), squares),
        columns=AreaColumns(x="x", y="y", person=person, value="" if value is None else "fare"),
        unit="person" if person else "point",
        points=points,
        distinct=False,
        measure=measure,
        amount=amount,
        shares=(Fraction(1), Fraction(1)),
        value=value,
    )


class NarrowValues(AreasPlan):
    """A plan whose noise is that of numbers of points, although a value adds more units."""

    @property
    def units(self) -> int:
        """Too few."""
        return self.points


def released(mechanism: AreaCounts) -> Draws:
    """The signs of all numbers, drawn one by one: int64 (draws, numbers)."""
    return one_by_one(lambda exact, _: np.concatenate([level.reshape(-1) for level in mechanism.draw(exact)]) > 0)


def _with_a_unit(plan: AreasPlan) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of both squares, layer by layer, without and with a unit whose points lie in the first."""
    layers = (1,) if plan.value is None else (FARE - plan.value.lower, plan.value.upper - FARE)
    with_it = tuple(number for layer in layers for number in (plan.points * layer, 0))
    return (0,) * len(with_it), with_it


def _case(name: str, plan: AreasPlan) -> Case:
    mechanism = AreaCounts(plan)
    return Case(name, "", None, released(mechanism), *_with_a_unit(plan), 1_000, mechanism.guarantee.cost)


DECLARED: Final[tuple[Case, ...]] = (
    _case("areas", plan_of("epsilon", EPSILON)),
    _case("areas with a value, two points a person", plan_of("epsilon", EPSILON, 2, VALUE)),
    _case("areas with a value, two points a person, zCDP", plan_of("rho", EPSILON, 2, VALUE)),
)

_NARROW: Final = NarrowValues(**vars(plan_of("epsilon", MUTANTS_EPSILON, 1, VALUE)))
MUTANTS: Final[tuple[Case, ...]] = (
    Case(
        "areas with a value, noise for points",
        "a value adds as many units as its bounds are apart",
        VALUE.width * float(MUTANTS_EPSILON),
        released(AreaCounts(_NARROW)),
        *_with_a_unit(_NARROW),
        1_000,
        Epsilon(MUTANTS_EPSILON),
    ),
)
"""Of which a unit costs more than it says."""
