"""Every parameter of every method does something: another value changes what is measured, or the reader refuses it where none does."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from itertools import product
from math import floor
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

from starling.errors import PlanError
from starling.places.artifact.public_plan import read_plan, write_plan
from starling.places.mechanism import htf
from starling.places.mechanism.table import MECHANISMS, PURPOSES, mechanism_of
from starling.places.plan import METHODS, Plan
from starling.places.plan.choices import ADAPTIVE, EARLIER
from starling.planfile.values import toml_of
from tests.places.mechanism.enumeration import Release, same, scripted
from tests.places.plans import plan, values

VALUES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "adaptive": {"many": ("1", "1000000000")},
    "htf": {
        "cuts": ("search", "all", "exponential", "middle", "random"),
        "search": ("1/100", "1/50"),
        "rounds": ("1", "2"),
        "least_points": ("5", "100000"),
        "least_cells": ("2", "5", "9"),
    },
    "privtree": {"total": ("0", "1/10"), "cuts": ("1/3", "2/3")},
    "quadtree": {"height": ("0", "1", "4"), "levels": ("geometric", "uniform", "steep")},
    "kd_tree": {"height": ("1", "4"), "levels": ("geometric", "uniform", "steep")},
    "uniform_grid": {"boxes": ("0", "1", "2")},
}
"""Values of each parameter between which the releases of some grid differ."""
SHAPES: Final = ((1, 2), (2, 2), (4, 1), (2, 4), (4, 4), (5, 1), (3, 7))
Parameters: TypeAlias = dict[str, str]


def combinations(method: str) -> Iterator[Parameters]:
    """All of them, each parameter with each of its values."""
    for chosen in product(*VALUES[method].values()):
        yield dict(zip(VALUES[method], chosen, strict=True))


def grid_of(shape: tuple[int, int]) -> dict[str, dict[str, int]]:
    return {"grid": {"rows": shape[0], "columns": shape[1]}}


def released(chosen: Plan, patch: pytest.MonkeyPatch) -> Release:
    """What is measured where every noisy value is no, three or ten million scales of its noise."""
    method, exact = mechanism_of(chosen).method, np.ones(chosen.grid.shape, dtype=np.int64)
    patch.setattr(htf, "below", lambda _bound, _source: 0)
    drawn = []
    for scales in (0, 3, 10**7):

        def choices(amount: Fraction, scales: int = scales) -> tuple[int]:
            return (floor(scales / amount),)

        with scripted(choices, patch):
            drawn.append(method.draw(exact))
    return tuple(drawn)


def refused(shape: tuple[int, int], method: str, parameters: Parameters) -> set[str]:
    """The parameters that the reader refuses."""
    try:
        plan(grid_of(shape), {"method": {"name": method, **parameters}})
    except PlanError as error:
        return {each.field.removeprefix("method.") for each in error.problems if "would change nothing" in each.problem}
    return set()


def test_every_parameter_of_every_method_is_searched() -> None:
    of_every = {"shape", "relation", "epsilon", "points"}
    kinds = {**MECHANISMS, ADAPTIVE: PURPOSES[EARLIER]}
    names = {method: {each.name for each in fields(kinds[method]) if each.init} - of_every for method in METHODS}
    assert {method: set(each) for method, each in VALUES.items()} == {key: each for key, each in names.items() if each}


@pytest.mark.parametrize(
    "method",
    [pytest.param(each, marks=pytest.mark.slow if each in ("htf", "quadtree", "kd_tree") else ()) for each in VALUES],
)
def test_a_parameter_is_refused_exactly_where_no_release_depends_on_it(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    effective: set[str] = set()
    for shape in SHAPES:
        without = plan(grid_of(shape), {"method": {"name": method} | ({"for": EARLIER} if method == ADAPTIVE else {})})
        # Read without the reader of plan files, as an earlier release is.
        measured = {
            tuple(each.values()): released(replace(without, parameters=each), monkeypatch)
            for each in combinations(method)
        }
        for parameters in combinations(method):
            here = measured[tuple(parameters.values())]
            idle = {
                name
                for name, others in VALUES[method].items()
                if all(same(here, measured[tuple((parameters | {name: other}).values())]) for other in others)
            }
            assert refused(shape, method, parameters) == idle, (shape, parameters)
            effective |= set(parameters) - idle
    assert effective == set(VALUES[method])


def test_a_refusal_names_the_line_and_an_earlier_release_with_it_opens(tmp_path: Path) -> None:
    idle = {"method": {"name": "htf", "cuts": "middle", "search": "1/100", "rounds": 2}}
    (tmp_path / "plan.toml").write_text(toml_of(values(grid_of((3, 7)), idle)))
    with pytest.raises(PlanError, match=r'search would change nothing with cuts = "middle"') as error:
        Plan.load(tmp_path / "plan.toml")
    lines = (tmp_path / "plan.toml").read_text().splitlines()
    assert [lines[(each.line or 0) - 1] for each in error.value.problems] == ['search = "1/100"', "rounds = 2"]
    earlier = replace(plan(grid_of((3, 7))), method="htf", parameters={"cuts": "middle", "search": "1/100"})
    write_plan(tmp_path, earlier)
    assert read_plan(tmp_path).digest == earlier.digest
    mechanism_of(earlier)


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"name": "quadtree", "height": "low", "levels": "steep"}, "height is no exact number"),
        ({"name": "htf", "least_cells": "few", "rounds": 2}, "least_cells is no exact number"),
        ({"name": "htf", "cuts": "best"}, "cuts is not search or"),
    ],
)
def test_a_value_that_is_none_of_the_parameter_is_refused_as_such(stated: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        mechanism_of(plan(grid_of((3, 7)), {"method": stated}))
