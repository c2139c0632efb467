"""The cells that are meant by values of columns: of the smallest table that has them, or refused."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from starling.errors import ParameterError
from starling.privacy.distributions.accuracy import tail
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.release.intervals import Value
from starling.release.shared_noise import Linked
from starling.tables.artifact.cross_values import rows_of
from starling.tables.inference.cross_numbers import Cell, CrossNoise, choose_cells
from starling.tables.plan import Plan, known_regions
from starling.tables.plan.residuals import Shape, noise
from tests.tables.plan.stated_cross import WHOLE
from tests.tables.plan.test_custom_grammar_refused import changed


def test_the_smallest_table_at_the_first_level_is_taken() -> None:
    plan = Plan.of(WHOLE)
    assert plan.cross is not None
    for values in ({}, {"sex": "F"}, {"age": ["0 to 17"], "sex": "F"}, {"school": "a"}, {"school": "a", "ward": "w0"}):
        chosen = choose_cells(plan, values)
        fitting = [named for named in plan.cross.named if {*values} - {"ward"} <= {*named}]
        assert plan.cross.named[chosen.place] == min(fitting, key=len)
        assert (chosen.level, chosen.regions) == (("ward", ("w0",)) if "ward" in values else ("town", None))


def test_rows_are_looked_for_by_region_first_which_leaves_the_fewest() -> None:
    plan = Plan.of(WHOLE)
    regions = known_regions(plan)
    assert regions is not None
    name, wanted = rows_of(plan, regions, {"sex": "F", "ward": ["w0", "w1"]})
    assert (name, [*wanted]) == ("sex", ["region_id", "region_type", "sex"])


@pytest.mark.parametrize(
    ("values", "cause"),
    [
        ({"hair": "red"}, "hair is no column of the tables"),
        ({"sex": "X"}, "sex has no value 'X'"),
        ({"age": "7"}, "age has no value '7'"),
        ({"ward": "w1", "town": "ta"}, "regions are of several levels"),
    ],
)
def test_what_the_plan_has_not_is_refused(values: dict[str, Any], cause: str) -> None:
    with pytest.raises(ParameterError) as refused:
        choose_cells(Plan.of(WHOLE), values)
    assert cause in str(refused.value)


def test_columns_that_no_table_has_together_are_refused() -> None:
    plan = Plan.of(changed({"tables.add": [["sex", "age"]]}, WHOLE))
    with pytest.raises(ParameterError, match="tables by sex, school together are not in the plan"):
        choose_cells(plan, {"sex": "F", "school": "a"})


@pytest.mark.parametrize("laplace", [0, 1])
def test_parts_of_numbers_hold_where_hardly_a_draw_has_noise(laplace: int) -> None:
    """Of everybody, which is one draw, by its exact distribution: deviations alone had missed up to 21 % in place of 5 %."""
    shape, older = Shape((2,), ((),), laplace=laplace), []
    for amount in (Fraction(each, 8) for each in range(1, 81)):
        plan: Any = SimpleNamespace(
            cross=SimpleNamespace(shares=((amount,),), whole=False), cross_shape=shape, records_of_one=1
        )
        number = Value(Fraction(9), cells={Linked(CrossNoise("drawn", plan), Cell(0, (), 0, 0)): (Fraction(1),)})
        drawn = DiscreteLaplace(1 / amount) if laplace else noise(shape, (), amount)
        for part in (1, Fraction(1, 2), Fraction(2, 3), Fraction(3)):
            assert tail(drawn, int(number.times(part).margin() / part + 1e-9)) <= Fraction(1, 20)
        older.append(tail(drawn, int((2.17 if laplace else 1.96) * number.standard_deviation)))
    assert max(older) > 0.15
