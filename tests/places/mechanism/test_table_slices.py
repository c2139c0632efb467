"""Slices by time: the exact loss of whole releases of every method, for points and for persons whose points lie in any slices."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import pytest

from starling.places.mechanism.table import Sliced, mechanism_of
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.places.plan import METHODS
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.places.mechanism.enumeration import largest_loss, losses, releases
from tests.places.plans import PERSON, SLICED, VALUED, plan

SMALL: Final[Mapping[str, Mapping[str, str]]] = {
    "htf": {"least_points": "4", "least_cells": "2", "search": "1/40", "rounds": "1"},
    "quadtree": {"height": "1"},
    "kd_tree": {"height": "1"},
}
"""Parameters by which tiny grids are cut too."""
LEAST: Final[Mapping[str, Fraction]] = {
    "privtree": Fraction(1, 2),
    "dawa": Fraction(3, 4),
    "htf": Fraction(1, 2),
    "kd_tree": Fraction(4, 5),
}
"""What a unit costs at least; all of epsilon where none is given. In these, selections cost less on tiny grids than they are charged."""


def choices(amount: Fraction) -> Sequence[int]:
    """Objectives, deviations or numbers of points below and above all; counts."""
    return (-(10**7), 10**7) if amount < Fraction(1, 1000) else (-5, 2, 90)


def ends(amount: Fraction) -> Sequence[int]:
    """Without the count between."""
    return choices(amount)[:: len(choices(amount)) - 1]


@pytest.mark.series(1)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("points", [1, 2])
def test_a_unit_costs_epsilon_whatever_the_slices_of_its_points(
    method: str, points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Medians are selected where there are two places for a cut.
    columns = 3 if method == "kd_tree" else 2
    grid = {"grid": {"rows": 1, "columns": columns}, "method": {"name": method} | dict(SMALL.get(method, {}))}
    sliced = mechanism_of(plan(SLICED, grid, PERSON if points == 2 else {}))
    assert sliced.slices == 2
    # Counts of a kd_tree steer nothing, so that its loss is largest at an end.
    outcomes = ends if method == "kd_tree" else choices
    result = largest_loss(sliced, [np.eye(2, columns, dtype=np.int64)[:, None]], points, outcomes, monkeypatch)
    assert LEAST.get(method, 1) <= result <= 1
    # A person with more points than the plan says would cost more.
    if points == 1 and method not in (*LEAST, "adaptive_grid"):
        every = losses(sliced, [np.zeros((2, 1, columns), dtype=np.int64)], 2, choices, monkeypatch)
        assert any(each > 1 for each in every)


@pytest.mark.parametrize(("columns", "many"), [(4, -(1 << 62)), (9, 1 << 62)])
def test_trees_that_grow_differently_in_each_slice_cost_no_more(
    columns: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Amounts by depth, then by counts; a person has a point in each slice or both in one."""
    method = Sliced(TwoRegimes((1, columns), ADD_REMOVE_PERSON, Fraction(1), 2, many), 2)

    def few(amount: Fraction) -> Sequence[int]:
        return (0,) if amount == Fraction(1, 100) else (-5, 90)

    none = np.zeros((2, 1, columns), dtype=np.int64)
    for points in ({(0, 0): 1, (1, 0): 1}, {(0, 0): 1, (1, columns - 1): 1}, {(1, 0): 2}):
        some = none.copy()
        for (place, column), number in points.items():
            some[place, 0, column] = number
        assert max(abs(each) for each in releases(method, none, some, few, monkeypatch)) == 1


@pytest.mark.series(1)
@pytest.mark.parametrize("method", ["singular", "adaptive", "quadtree"])
def test_a_record_costs_epsilon_whatever_its_value(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record has b - a units in the two layers of its cell, here two; with three bounds apart it would cost more than it pays."""
    grid = {"grid": {"rows": 1, "columns": 2}, "method": {"name": method} | dict(SMALL.get(method, {}))}
    sliced = mechanism_of(plan(VALUED, {"value": {"lower": -1, "upper": 1}}, grid))
    assert (sliced.slices, sliced.method.points) == (2, 2)
    result = largest_loss(sliced, [np.eye(2, dtype=np.int64)[:, None]], 2, choices, monkeypatch)
    assert result == 1
    more = losses(sliced, [np.zeros((2, 1, 2), dtype=np.int64)], 3, choices, monkeypatch)
    assert any(each > 1 for each in more)
