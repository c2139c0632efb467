"""Plans of points: what they add up to, and what does not fit together."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import PlanError
from starling.places.plan import Columns, Plan, Slices
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from starling.release.codec import decode, encode
from tests.places.plans import PERSON, SLICED, plan


def test_a_plan_knows_its_cells_and_neighbours() -> None:
    assert (plan().cells, plan().relation, plan().slice_names) == (8, ADD_REMOVE_POINT, ("all",))
    sliced = plan(PERSON, SLICED)
    assert (sliced.cells, sliced.relation, sliced.slice_names) == (16, ADD_REMOVE_PERSON, ("January", "February"))


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"epsilon": Fraction(0)}, "epsilon is not above 0"),
        ({"epsilon": Fraction(1, 1 << 31)}, "could leave 64 bits"),
        ({"points": 2}, "unit is a point, and something is said of persons"),
        ({"distinct": True}, "something is said of persons"),
        ({"unit": "person"}, "input.person is missing"),
        ({"columns": Columns(x="lon", y="lat", time="time")}, "without slices"),
        ({"slices": Slices(("a",), None)}, "slices without it"),
        ({"method": "htff"}, "method.name is not"),
        ({"expected": 1 << 41}, "expected is not from 0"),
    ],
)
def test_choices_that_do_not_fit_are_refused(changed: dict[str, Any], cause: str) -> None:
    with pytest.raises(PlanError, match=cause):
        replace(plan(), **changed)


def test_slices_bound_the_cells_together() -> None:
    with pytest.raises(PlanError, match="of all slices together, beyond"):
        plan(SLICED, {"grid": {"rows": 1 << 13, "columns": 1 << 13}})


def test_every_choice_but_the_words_is_in_the_digest() -> None:
    whole = plan(PERSON, SLICED)
    same = replace(whole, title="Other", point="trip", expected=5)
    assert same.digest == whole.digest
    others: list[dict[str, Any]] = [
        {"epsilon": Fraction(2)},
        {"points": 3},
        {"distinct": True},
        {"parameters": {"depth": "3"}},
        {"grid": replace(whole.grid, rows=3)},
        {"slices": Slices(("January", "February"), (0, 1, 2))},
        {"columns": replace(whole.columns, person="whom")},
    ]
    assert len({whole.digest, *(replace(whole, **each).digest for each in others)}) == len(others) + 1


def test_a_plan_is_the_same_after_json() -> None:
    for each in (plan(), plan(PERSON, SLICED)):
        assert decode(Plan, encode(Plan, each)).digest == each.digest
