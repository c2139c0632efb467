"""From a plan to its mechanism: parameters by name, and slices that cost no more than one."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.errors import PlanError
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.quadtree import Quadtree
from starling.places.mechanism.table import MECHANISMS, mechanism_of
from starling.places.plan import METHODS
from starling.privacy.budget import Epsilon
from starling.privacy.events import ANY, MONOTONE
from tests.places.mechanism.enumeration import largest_loss, tiny_grids
from tests.places.plans import PERSON, SLICED, plan
from tests.privacy.leaves import factors


def test_every_method_of_a_plan_has_its_mechanism() -> None:
    assert list(MECHANISMS) == list(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("changes", [(), (PERSON,), (SLICED,), (PERSON, SLICED)])
def test_a_plan_costs_its_epsilon_however_many_slices_and_points(method: str, changes: tuple[Any, ...]) -> None:
    chosen = plan(*changes, {"method": {"name": method}, "privacy": {"epsilon": "0.3"}})
    mechanism = mechanism_of(chosen)
    assert mechanism.guarantee.cost == Epsilon(Fraction(3, 10))
    assert mechanism.guarantee.relation == chosen.relation
    assert sum(line.epsilon for line in mechanism.method.budget) == Fraction(3, 10)


@pytest.mark.parametrize("method", METHODS)
def test_counts_of_boxes_are_declared_monotone_and_searches_are_not(method: str) -> None:
    """That they are is seen where releases are enumerated (enumeration.check_monotone)."""
    searching = {"adaptive", "htf", "privtree", "kd_tree", "dawa"}
    expected = {ANY} if method == "privlet" else {MONOTONE, ANY} if method in searching else {MONOTONE}
    assert factors(mechanism_of(plan({"method": {"name": method}})).guarantee) == expected


def test_every_slice_is_measured_with_its_own_noise() -> None:
    mechanism = mechanism_of(plan(SLICED, {"privacy": {"epsilon": "10"}}))
    exact = np.arange(16).reshape(2, 2, 4) * 1000
    drawn = mechanism.draw(exact)
    assert len(drawn) == 2
    for measured, counts in zip(drawn, exact, strict=True):
        assert isinstance(measured, MeasuredTree)
        assert np.abs(measured.value - counts.reshape(-1)).max() < 100


def test_one_of_a_persons_two_points_costs_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """So two points in two slices cost together what two in one slice do: whole releases are enumerated over all neighbours."""
    for name in ("adaptive", "quadtree", "singular", "uniform"):
        chosen = plan(
            PERSON,
            {
                "grid": {"rows": 1, "columns": 2},
                "method": {"name": name} | ({"height": 1} if name == "quadtree" else {}),
            },
        )
        method = mechanism_of(chosen).method
        assert largest_loss(method, tiny_grids((1, 2))[:1], 1, (-5, 2, 90), monkeypatch) <= Fraction(1, 2)
        assert largest_loss(method, tiny_grids((1, 2))[:1], 2, (-5, 2, 90), monkeypatch) == 1


def test_parameters_reach_the_method() -> None:
    result = mechanism_of(plan({"method": {"name": "quadtree", "height": 2, "levels": "uniform"}})).method
    assert isinstance(result, Quadtree)
    assert (result.height, result.levels, result.points) == (2, "uniform", 1)
    person = mechanism_of(plan(PERSON, {"method": {"name": "quadtree"}})).method
    assert isinstance(person, Quadtree)
    assert person.points == 2


@pytest.mark.parametrize(
    ("method", "cause"),
    [
        ({"name": "singular", "height": 3}, "method.height is no parameter of the method"),
        ({"name": "quadtree", "heigt": 3}, "method.heigt is no parameter of the method; did you mean height"),
        ({"name": "quadtree", "shape": 3}, "method.shape is no parameter"),
        ({"name": "quadtree", "height": "1.5"}, "method.height is no integer"),
        ({"name": "quadtree", "height": "high"}, "method.height is no exact number"),
        ({"name": "quadtree", "levels": "even"}, "method.levels is not geometric or uniform"),
    ],
)
def test_wrong_parameters_are_refused(method: dict[str, Any], cause: str) -> None:
    with pytest.raises(PlanError, match=cause):
        mechanism_of(plan({"method": method}))
