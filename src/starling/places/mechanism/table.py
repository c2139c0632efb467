"""The mechanism of a plan: its method by name, with the parameters that the plan sets; and the plan with what that costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import numpy as np

from starling.errors import ParameterError, PlanError, Problem, StarlingError
from starling.places.measurements import Measured
from starling.places.mechanism.adaptive import Adaptive, Streets
from starling.places.mechanism.adaptive_grid import AdaptiveGrid
from starling.places.mechanism.dawa import Dawa
from starling.places.mechanism.htf import Htf
from starling.places.mechanism.kd_tree import KdTree
from starling.places.mechanism.method import Method
from starling.places.mechanism.privlet import Privlet
from starling.places.mechanism.privtree import PrivTree
from starling.places.mechanism.quadtree import Hierarchical, Quadtree
from starling.places.mechanism.singular import Singular, Uniform
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.places.mechanism.uniform_grid import UniformGrid
from starling.places.occupied import Counted
from starling.places.plan import Plan
from starling.places.plan.choices import ADAPTIVE, Purpose
from starling.planfile.spelling import did_you_mean
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import Cost, decimal_up, exact
from starling.privacy.guarantee import Guarantee, bounded_overlap
from starling.release.session import Part

MECHANISMS: Final[Mapping[str, type[Any]]] = {
    ADAPTIVE: Adaptive,
    "htf": Htf,
    "privtree": PrivTree,
    "quadtree": Quadtree,
    "kd_tree": KdTree,
    "hierarchical": Hierarchical,
    "dawa": Dawa,
    "adaptive_grid": AdaptiveGrid,
    "uniform_grid": UniformGrid,
    "privlet": Privlet,
    "singular": Singular,
    "uniform": Uniform,
}
"""The mechanism of each of `plan.METHODS`: a dataclass whose fields beside those of every method are the parameters of the method."""
PURPOSES: Final[Mapping[Purpose, type[Any]]] = {"all": Adaptive, "streets": Streets, "earlier": TwoRegimes}
"""The mechanism of `adaptive` for each of `choices.PURPOSES`."""


@dataclass(frozen=True, slots=True)
class Sliced:
    """A method over each slice: a `privacy.trust.Mechanism` over exact counts.

    Privacy. A point lies in one slice. Of a person at most k points count over all slices together, and each method's noise is so scaled
    that j of k points cost at most j/k of epsilon (a unit of a value is a point here: plan/model.py); so
    whatever the slices that a person's points lie in, they cost at most epsilon in all: parallel composition.
    """

    method: Method
    slices: int

    @property
    def guarantee(self) -> Guarantee:
        """The method's, whatever the number of slices."""
        one = self.method.guarantee
        return one if self.slices == 1 else bounded_overlap(f"{one.name}, slice by slice", 1, [one])

    def draw(self, exact: Counted, /) -> tuple[Measured, ...]:
        """Measure every slice, empty or not."""
        if isinstance(exact, tuple):
            assert isinstance(self.method, Adaptive | TwoRegimes)  # A plan of a sparse grid takes no other.
            return tuple(self.method.draw(occupied) for occupied in exact)
        return tuple(self.method.draw(np.ascontiguousarray(counts)) for counts in exact)


def mechanism_of(plan: Plan) -> Sliced:
    """The mechanism of a plan. Raises PlanError where a parameter is none of the method, or its value is none of the parameter's."""
    kind = PURPOSES[plan.purpose] if plan.method == ADAPTIVE else MECHANISMS[plan.method]
    own = [field.name for field in fields(kind)[len(fields(Method)) :]]
    parameters = {name: _value(kind, own, name, text) for name, text in plan.parameters.items()}
    try:
        method = kind(plan.grid.shape, plan.relation, plan.epsilon, plan.units, **parameters)
    except StarlingError as error:
        problems = [Problem(f"method.{each.field}", each.problem, each.fix) for each in error.problems]
        raise PlanError(problems=problems) from None
    return Sliced(method, len(plan.slice_names))


def _value(kind: type[Method], own: Sequence[str], name: str, text: str) -> Any:
    """The value of a parameter that a plan writes."""
    if name not in own:
        raise PlanError(f"method.{name}", "is no parameter of the method", did_you_mean(name, own))
    hint = get_type_hints(kind)[name]
    if get_origin(hint) is Literal:
        choices = {str(each): each for each in get_args(hint)}
        fix = f"write {' or '.join(choices)}"
    elif hint is bool:
        choices, fix = {"true": True, "false": False}, "write true or false"
    else:
        choices, fix = {}, "write an integer" if hint is int else 'write an exact number, like "0.5"'
    if choices:
        if text not in choices:
            raise PlanError(f"method.{name}", f"is not {' or '.join(choices)}", fix)
        return choices[text]
    try:
        number = exact(text, field=name)
    except ParameterError:
        raise PlanError(f"method.{name}", "is no exact number", fix) from None
    if hint is int and number.denominator != 1:
        raise PlanError(f"method.{name}", "is no integer", fix)
    return int(number) if hint is int else number


class MeasuredPlan(Plan):
    """A plan that knows its mechanism."""

    @property
    def cost(self) -> Cost:
        """What a release costs."""
        return mechanism_of(self).guarantee.cost

    def _facts(self) -> list[tuple[str, str]]:
        title, protects, *others = super()._facts()
        cost = (
            "cost",
            f"{self.cost}, under the replace-one adjacency {replace_one_cost(mechanism_of(self).guarantee)}",
        )
        return [title, protects, cost, *others]

    def _parts(self) -> tuple[Part, ...]:
        rows = [(line.name, decimal_up(line.epsilon)) for line in mechanism_of(self).method.budget]
        return ((("spent on", "epsilon"), rows),)
