from typing import Any

import pytest

from starling.errors import ParameterError
from starling.tables.generate.custom_fields import DAY, SECOND, FieldGroup, Numbers, Texts, Times, fields_of
from starling.tables.plan.columns import Codes, Column, Decimals, Domain, Integers, Periods, Unit, codes_of
from starling.tables.plan.custom_families import CustomFamily
from starling.tables.plan.custom_records import EVERYWHERE, CustomAreas, CustomRecords

EVERYBODY = (CustomFamily("everybody", (), ()),)
AREAS = CustomAreas("ward", ("a", "b"), (("a", "b"),))
ABC = codes_of(("a", "b", "c"))


def fields(*columns: Column, areas: CustomAreas = EVERYWHERE, unit: Unit | None = None) -> tuple[FieldGroup, ...]:
    return fields_of(CustomRecords(columns, areas, EVERYBODY, unit=unit))


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (Codes((("a", "first"), ("b", "second")), "b"), Texts(("a", "b"))),
        (Integers(-3, 9), Numbers(-3, 9, 0)),
        (Decimals(-3, 975, 2), Numbers(-3, 975, 2)),
        (Periods(("1970-01-02", "1970-01-04")), Times(DAY, 3 * DAY, DAY)),
        (Periods(("1970-01-01T00:00:01", "1970-01-02")), Times(SECOND, DAY, SECOND)),
        (Periods(("1970-01-01T00:00:00.5", "1970-01-02")), Times(SECOND // 2, DAY, 1)),
    ],
)
def test_a_column_is_a_field_that_says_its_domain(domain: Domain, text: Any) -> None:
    assert fields(Column("x", domain)) == (FieldGroup(("x",), (text,)),)


def test_the_area_is_a_field_too_and_comes_first() -> None:
    assert fields(Column("x", ABC), areas=AREAS) == (
        FieldGroup(("ward",), (Texts(("a", "b")),)),
        FieldGroup(("x",), (Texts(("a", "b", "c")),)),
    )


def test_several_values_stand_in_one_field_or_in_several_of_which_some_are_empty() -> None:
    assert fields(Column("x", ABC, separator=";", most=9)) == (FieldGroup(("x",), (Texts(("a", "b", "c"), ";", 3),)),)
    text = Texts(("a", "b", "c"))
    assert fields(Column("x", ABC, ("p", "q", "r"), most=2)) == (FieldGroup(("p", "q", "r"), (text,) * 3, 0, 2),)


def test_a_field_of_two_columns_says_what_both_accept() -> None:
    def both(one: Domain, other: Domain) -> Any:
        ((group),) = fields(Column("x", one, ("f",)), Column("y", other, ("f",)))
        return group.domains[0]

    assert both(ABC, codes_of(("c", "z", "b"))) == Texts(("b", "c"))
    assert both(Integers(0, 9), Integers(5, 20)) == Numbers(5, 9, 0)
    assert both(Decimals(-15, 25, 1), Integers(-5, 20)) == Numbers(-1, 2, 0)
    assert both(Decimals(-15, 25, 1), Decimals(-1, 99, 2)) == Numbers(0, 9, 1)
    months, days = Periods(("1970-01-02", "1970-01-09")), Periods(("1970-01-01T12:00", "1970-01-05"))
    assert both(months, days) == Times(DAY, 4 * DAY, DAY)


def test_a_field_that_a_column_of_one_value_is_read_from_is_always_filled() -> None:
    several = Column("any", ABC, ("p", "q", "r"), most=2)
    (group,) = fields(several, Column("main", codes_of(("c", "d")), ("q",)))
    assert group.names == ("q", "p", "r")
    assert (group.domains[0], group.needed, group.most) == (Texts(("c",)), 1, 2)


def test_a_field_that_is_read_with_two_marks_says_one_code() -> None:
    (group,) = fields(
        Column("x", ABC, ("f",), ";", most=2), Column("y", ABC, ("f",), "|", most=2), Column("z", ABC, ("f",))
    )
    assert group.domains == (Texts(("a", "b", "c")),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ABC, codes_of(("z",))),
        (ABC, Integers(0, 9)),
        (Integers(0, 9), Integers(10, 20)),
        (Integers(0, 9), Periods(("2024-01-01", "2025-01-01"))),
        (Periods(("2024-01-01", "2025-01-01")), Periods(("2025-01-01", "2026-01-01"))),
    ],
)
def test_a_field_that_no_value_fits_is_refused(one: Domain, other: Domain) -> None:
    with pytest.raises(ParameterError, match="two columns"):
        fields(Column("x", one, ("f",)), Column("y", other, ("f",)))


def test_a_field_that_says_whose_a_record_is_has_no_values_of_its_own() -> None:
    with pytest.raises(ParameterError, match="whose a record is"):
        fields(Column("x", ABC), unit=Unit("x", 2))
