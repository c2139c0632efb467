"""A family has a group for each combination of values, or for each of its sets."""

import pytest

from starling.tables.plan.columns import Codes, Column, Integers, Periods
from starling.tables.plan.custom_families import EVERYBODY, CustomFamily, CustomGroup
from starling.tables.plan.iterations import Attribute

COLUMNS = {
    "sex": Column("sex", Codes((("F", "female"), ("M", "male")))),
    "age": Column("age", Integers(0, 4)),
    "skill": Column("skill", Codes((("p", "plays"), ("q", "quilts"))), separator=";", most=2),
    "when": Column("when", Periods(("2024-01-01", "2024-07-01", "2025-01-01"))),
}
SETS = (CustomGroup("either", ("p", "q")), CustomGroup("plays", ("p",)))


def test_each_combination_is_a_group_the_last_column_first() -> None:
    family = CustomFamily("f", ("sex", "age"), ((), (0, 3)))
    texts = ["female, 0 to 2", "female, 3 to 4", "male, 0 to 2", "male, 3 to 4"]
    assert [text for _, text in family.values(COLUMNS)] == texts
    output = [*family.iterations(1, COLUMNS)]
    assert [each.name for each in output] == texts
    assert all(each.codes == (each.code,) for each in output)
    assert family.attribute(COLUMNS) == Attribute("f", 1)


def test_without_cuts_each_number_is_a_class() -> None:
    assert [text for _, text in CustomFamily("f", ("age",), ((),)).values(COLUMNS)] == ["0", "1", "2", "3", "4"]


def test_periods_are_named_by_their_ends() -> None:
    texts = ["from 2024-01-01 until 2024-07-01", "from 2024-07-01 until 2025-01-01"]
    assert [text for _, text in CustomFamily("f", ("when",), ((),)).values(COLUMNS)] == texts


def test_a_family_of_no_column_is_everybody() -> None:
    assert [each.name for each in CustomFamily("f", (), ()).iterations(1, COLUMNS)] == [EVERYBODY]


@pytest.mark.parametrize("alone", [False, True])
def test_sets_are_groups(alone: bool) -> None:
    either, plays = CustomFamily("f", ("skill",), ((),), SETS, alone).iterations(3, COLUMNS)
    assert either.codes == ("f: p", "f: q")
    assert (plays.code, plays.alone, plays.level) == ("f: plays", alone, 3)
    assert plays.name == ("plays alone" if alone else "plays")


@pytest.mark.parametrize(
    ("family", "problem"),
    [
        (CustomFamily("", (), ()), "is empty"),
        (CustomFamily("f", ("sex", "sex"), ((), ())), "column twice"),
        (CustomFamily("f", ("sex",), ()), "no cuts of one"),
        (CustomFamily("f", ("sex",), ((1,),)), "cuts are of sex"),
        (CustomFamily("f", ("sex", "skill"), ((), ()), SETS), "not one column"),
        (CustomFamily("f", ("skill",), ((),), alone=True), "no sets"),
        (CustomFamily("f", ("skill",), ((),), (SETS[0], SETS[0])), "sets of one name"),
        (CustomFamily("f", ("skill",), ((),), (CustomGroup("x", ()),)), "set 'x' of no values"),
        (CustomFamily("f", ("skill",), ((),), (CustomGroup("x", ("z",)),)), "set 'x' of no values"),
    ],
)
def test_families_that_cannot_be(family: CustomFamily, problem: str) -> None:
    assert any(problem in each.problem for each in family.problems(COLUMNS))
