"""What a plan of cross tables states, guarantees and refuses."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import PlanError
from starling.privacy.budget import Rho
from starling.privacy.events import DiscreteGaussianNoise
from starling.tables.artifact.public_plan import plan_json, read_plan, write_plan
from starling.tables.plan import Plan, Variants, read_regions
from starling.tables.plan.columns import Integers
from starling.tables.plan.cross import MOST_CELLS, MOST_PART, Cross
from starling.tables.plan.custom_records import custom_records
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.dense_tables import up_to

PLAN = cross_plan()


@pytest.mark.parametrize("levels", [(), LEVELS, LEVELS[1:]])
@pytest.mark.parametrize("records", [1, 3])
def test_the_cost_is_the_budget_and_each_part_is_one_event(levels: tuple[str, ...], records: int) -> None:
    plan = cross_plan(rho="7/3", levels=levels, records=records)
    assert plan.cost == Rho(Fraction(7, 3))
    guarantee = plan.guarantee
    parts = [each for level in guarantee.parts for each in level.parts]
    assert len(parts) == len(plan.cross_shape.parts) * max(len(levels), 1)
    events = [each.event for each in parts]
    squares = [event.squared_l2_sensitivity for event in events if isinstance(event, DiscreteGaussianNoise)]
    assert len(squares) == len(events)
    # Everybody, then sex of 2 values, age in 4 classes and colour of 3: n (n - 1), multiplied.
    assert squares[:7] == [records**2 * each for each in (1, 2, 12, 6, 24, 12, 72)]


def test_regions_are_a_tree_and_uneven_ones_are_seen() -> None:
    shape = cross_plan(levels=LEVELS).cross_shape
    assert shape.regions == (2, 3)
    assert shape.parents == ((1, 1, 0),)


def test_plans_without_cross_tables_say_nothing_of_them(tmp_path: Any) -> None:
    assert "cross" in plan_json(PLAN)
    write_plan(tmp_path, PLAN, read_regions(PLAN))
    assert read_plan(tmp_path)[0] == PLAN
    others = Plan.of(
        {
            "title": "t",
            "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
            "records": {"of-a-person": 1},
            "columns": [{"name": "sex", "values": ["f", "m"]}],
            "groups": [{"name": "all", "columns": []}],
            "publication": {"negative-counts": True},
            "levels": [{"groups": "all", "budget": "1"}],
        }
    )
    assert "cross" not in plan_json(others)
    with pytest.raises(PlanError, match="are none, or two of one name"):
        replace(others, families=(), levels=(), records=PLAN.records, definitions=PLAN.definitions, cross=None)


assert PLAN.cross is not None
CROSS: Cross = PLAN.cross
RECORDS = custom_records(PLAN)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"variants": Variants(both_stages=True)}, "two plans"),
        ({"allow_negative": False}, "two plans"),
        ({"cross": replace(CROSS, columns=("sex", "age", "size"))}, "no columns of the plan"),
        ({"cross": replace(CROSS, columns=("sex", "sex", "age"))}, "one twice"),
        ({"cross": replace(CROSS, cuts=((), (3, 6), ()))}, "do not cut"),
        ({"cross": replace(CROSS, cuts=((), (0,), ()))}, "has one value"),
        ({"cross": replace(CROSS, tables=())}, "are none"),
        ({"cross": replace(CROSS, tables=((0,), ()))}, "order"),
        ({"cross": replace(CROSS, tables=((1, 0),))}, "order"),
        ({"cross": replace(CROSS, tables=((0, 3),))}, "order"),
        ({"cross": replace(CROSS, levels=())}, "no levels"),
        ({"cross": replace(CROSS, tables=((),))}, "other parts"),
        ({"cross": replace(CROSS, shares=())}, "other parts"),
        ({"cross": replace(CROSS, shares=((Fraction(0), *CROSS.shares[0][1:]),))}, "not above 0"),
        ({"cross": replace(CROSS, shares=((Fraction(10**13), *CROSS.shares[0][1:]),))}, "at most"),
        ({"cross": replace(CROSS, shares=((Fraction(1, 10**30), *CROSS.shares[0][1:]),))}, "too small"),
    ],
)
def test_what_no_cross_tables_can_be_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        replace(PLAN, **changes)


def test_more_cells_than_memory_holds_are_refused() -> None:
    columns = tuple(
        replace(each, domain=Integers(0, MOST_PART)) if each.name == "age" else each for each in RECORDS.columns
    )
    cross = replace(CROSS, cuts=((), (), ()), tables=up_to(3, 3))
    with pytest.raises(PlanError, match="take fewer columns at a time"):
        replace(PLAN, records=replace(RECORDS, columns=columns), cross=cross)
    assert MOST_CELLS >= 10_000_000
