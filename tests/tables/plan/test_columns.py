"""Declared columns: domains number their values, and what is no domain is refused with every reason."""

from collections.abc import Callable
from typing import Any

import pytest

from starling.errors import PlanError
from starling.tables.plan.columns import Codes, Column, Decimals, Integers, Periods, RecordColumns, Unit, codes_of

LIST = codes_of(("a", "b"))


def test_domains_know_their_size() -> None:
    assert (LIST.size, Integers(0, 110).size, Integers(-3, 9, (-3, 0, 5)).size) == (2, 111, 3)
    assert Periods(("2020-01-01", "2021-01-01", "2021-01-01T00:00:01")).size == 2
    assert Column("a", LIST).outside == 2


def test_a_column_is_called_like_its_field_unless_it_says_otherwise() -> None:
    assert Column("a", LIST).fields == ("a",)
    assert not Column("a", LIST, ("x",)).several
    assert Column("a", LIST, ("x", "y"), most=2).several
    assert Column("a", LIST, separator=";", most=9).several


def test_every_field_is_read_once() -> None:
    sex, age = Column("sex", LIST), Column("age", Integers(0, 9))
    columns = RecordColumns(
        Column("area", LIST, ("place",)), (sex, Column("old", Integers(0, 9, (0, 5)), ("age",))), (sex, age)
    )
    assert columns.fields == ("place", "sex", "age")
    assert RecordColumns(None, (sex,), (), Unit("who", 3)).fields == ("sex", "who")
    assert [each.name for each in columns.single] == ["area", "sex", "age"]


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (lambda: codes_of(()), "are none"),
        (lambda: codes_of(("a", "a")), "code a is there more than once"),
        (lambda: codes_of(("a", "")), "hold one that no field of a record can say"),
        (lambda: codes_of((" a",)), "hold one that no field of a record can say"),
        (lambda: codes_of(('a"',)), "hold one that no field of a record can say"),
        (lambda: codes_of(("a\n",)), "hold one that no field of a record can say"),
        (lambda: Codes((("a", "a"),), "b"), "other is not one of the codes"),
        (lambda: Integers(1, 1), "do not ascend"),
        (lambda: Integers(0, 2**40 + 1), "do not ascend"),
        (lambda: Decimals(0, 2**40 + 1, 2), "a unit such as 1000"),
        (lambda: Integers(0, 9, (1, 5)), "do not cut the numbers"),
        (lambda: Integers(0, 9, (0, 5, 5)), "do not cut the numbers"),
        (lambda: Integers(0, 9, (0, 10)), "do not cut the numbers"),
        (lambda: Periods(("2020-01-01",)), "are not two or more dates"),
        (lambda: Periods(("2020-01-01", "2020-01-01")), "are not two or more dates"),
        (lambda: Periods(("2020-01-01", "soon")), "are not two or more dates"),
        (lambda: Column("a", LIST, ("x", "x"), most=2), "names a field twice"),
        (lambda: Column("a", LIST, ("x", "")), "names a field twice"),
        (lambda: Column("a", LIST, most=2), "reads 2 values of a record; state a number from 1 to 1"),
        (lambda: Column("a", LIST, separator=";", most=65), "state a number from 1 to 64"),
        (lambda: Column("a", LIST, separator=";", most=0), "reads 0 values"),
        (lambda: Column("a", Integers(0, 9), separator=";"), "values that are no codes"),
        (lambda: Column("a", LIST, separator="; "), "no single mark"),
        (lambda: Column("a", LIST, separator='"'), "no single mark"),
        (lambda: Column("a", codes_of(("a;",)), separator=";"), "has the separator in one of its codes"),
        (lambda: Column("a", LIST, ("x", "y"), separator=";"), "has a separator and several fields"),
        (lambda: RecordColumns(Column("a", Integers(0, 9)), (), ()), "says areas that are no codes"),
        (lambda: RecordColumns(Column("a", LIST, ("x", "y")), (), ()), "says several values of a record"),
        (lambda: Unit("", 1), "names no column"),
        (lambda: Unit("who", 0), "keeps no public number of records"),
        (lambda: RecordColumns(None, (), (Column("a", LIST, separator=";"),)), "says several values of a record"),
        (lambda: RecordColumns(None, (Column("a", LIST), Column("a", LIST)), ()), "column a is there more than once"),
    ],
)
def test_what_is_no_column_is_refused(make: Callable[[], Any], cause: str) -> None:
    with pytest.raises(PlanError) as refused:
        make()
    assert cause in str(refused.value)
