"""A page of a table: its rows as they were published, intervals on one axis, and a pyramid of one group's ages."""

from typing import Any

import pytest

from starling.screens.tables.page import Bar, pyramid


def of_ages(start: str, end: str, sex: str, count: int, **changes: Any) -> dict[str, Any]:
    group = {"region_id": "1", "iteration_code": "a", "age_start": start, "age_end": end, "sex": sex}
    return {**group, "count": count, "lower": count - 10, "upper": count + 10, **changes}


ROWS = [
    of_ages("*", "*", "1", 300),
    of_ages("0", "4", "1", 100),
    of_ages("5", "9", "1", 190),
    of_ages("0", "4", "2", 90),
    of_ages("5", "5", "2", -5),
]


def test_a_pyramid_has_each_band_on_one_axis_for_both_sexes() -> None:
    result = pyramid(ROWS)
    assert result is not None
    assert (result.sides, result.most) == (("1", "2"), 200)
    assert [band.ages for band in result.bands] == ["5 to 9", "5", "0 to 4"]
    oldest, one_year, youngest = result.bands
    assert oldest.sides == (Bar(90, 100, 95, "190, from 180 to 200"), None)
    assert one_year.sides == (None, Bar(-7.5, 2.5, -2.5, "-5, from -15 to 5"))
    assert youngest.sides[0] == Bar(45, 55, 50, "100, from 90 to 110")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        ROWS[:3],
        [*ROWS, of_ages("0", "4", "1", 5, region_id="2")],
        [{"region_id": "1", "count": 5, "lower": 1, "upper": 9}],
    ],
)
def test_rows_of_several_groups_or_without_two_sexes_have_none(rows: list[dict[str, Any]]) -> None:
    assert pyramid(rows) is None
