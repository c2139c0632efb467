"""What the cases of tables claim is what their plan declares, and what is counted is as many people as are said."""

from inspect import isabstract
from typing import Any

import numpy as np
import pytest

from starling.audit.tables_mechanisms import (
    BUDGET,
    DECLARED,
    GROUPS,
    LEAST,
    MOST,
    SameCounties,
    SameTables,
    SameWards,
    aggregated,
    counties,
    county_plan,
    cross_plan,
    crossed,
    released,
    ward_plan,
)
from starling.privacy.budget import Measure, Rho
from starling.privacy.sampling.entropy import system
from starling.tables import mechanism
from starling.tables.mechanism.aggregates import Aggregation
from starling.tables.mechanism.residuals import Residuals
from starling.tables.plan import Piece
from starling.tables.plan.aggregates import Way
from tests.tables.small import whole

THRESHOLDS = (5, 7, 9)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_the_claim_is_the_cost_of_the_plan(measure: Measure) -> None:
    cost = county_plan(measure, THRESHOLDS).guarantee.cost
    assert (cost.measure, cost.amount) == (measure, BUDGET)
    assert cost in {case.claim for case in DECLARED}


def test_counties_hold_the_same_people() -> None:
    plan, geography = county_plan("epsilon", THRESHOLDS), counties(3)
    piece = whole(plan, geography, 0)
    assert SameCounties(4).totals(piece).tolist() == [4] * 3 * GROUPS
    assert SameCounties(4).cells(piece, np.arange(2)).sum(axis=1).tolist() == [4, 4]


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize(("way", "numbers"), [(None, 2), ("counts", 2), ("selection", 1)])
def test_each_ward_is_a_row_of_the_numbers_of_its_aggregate(way: Way | None, numbers: int, measure: Measure) -> None:
    plan = ward_plan(measure, way, 3)
    assert (plan.guarantee.cost.amount, len(plan.aggregates)) == (BUDGET, 1)
    assert aggregated(measure, way)(np.array([1]), 40, system()).shape == (40, numbers)
    piece = Piece(0, 0, 3, 1)
    assert SameWards(4).aggregate(piece).tolist() == [[0, 4]] * 3


def test_each_ward_is_a_row_of_the_numbers_of_its_cross_table() -> None:
    plan = cross_plan(3)
    assert plan.cost == Rho(BUDGET)
    assert crossed()(np.array([1]), 40, system()).shape == (40, 3)
    assert SameTables(3, 4).part(0, (0,)).tolist() == [[0, 4]] * 3
    assert SameTables(3, 4).part(0, ()).tolist() == [4] * 3


@pytest.mark.parametrize("again", [False, True])
def test_each_county_is_a_row_of_clipped_values(again: bool) -> None:
    drawn = released("epsilon", THRESHOLDS, repeated=again)(np.array([5]), 40, system())
    assert drawn.shape == (40, 2 * GROUPS)
    assert drawn.min() >= LEAST
    assert drawn.max() <= MOST


def test_every_mechanism_of_tables_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[Any] = [
        each for each in vars(mechanism).values() if isinstance(each, type) and hasattr(each, "guarantee")
    ]
    kinds = [kind for kind in kinds if not isabstract(kind)]
    kinds = [kind for kind in kinds if kind.__module__ == mechanism.__name__ and hasattr(kind, "draw")]
    kinds += [Aggregation, Residuals]
    drawn: set[type] = set()
    for kind in kinds:

        def noted(self: object, exact: object, original: Any = kind._drawn) -> Any:
            drawn.add(type(self))
            return original(self, exact)

        monkeypatch.setattr(kind, "_drawn", noted)
    for case in DECLARED:
        case.samplers()[0](2)
    assert drawn == set(kinds)
    assert len(kinds) >= 3
