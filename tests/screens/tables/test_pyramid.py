"""A pyramid of one group's ages: each band on one axis, on two sides or on one."""

from starling.screens.domain_pages import AgeCell
from starling.screens.tables.page import Bar
from starling.screens.tables.pyramid import pyramid


def of_ages(start: int, end: int, side: str, count: int) -> AgeCell:
    return AgeCell(start, end, f"{start} to {end}", side, {"count": count, "lower": count - 10, "upper": count + 10})


CELLS = [of_ages(0, 4, "men", 100), of_ages(5, 9, "men", 190), of_ages(0, 4, "women", 90), of_ages(10, 10, "women", -5)]


def test_a_pyramid_has_each_band_on_one_axis_for_both_sides() -> None:
    result = pyramid("all", CELLS)
    assert result is not None
    assert (result.group, result.sides, result.most) == ("all", ("men", "women"), 200)
    assert [band.ages for band in result.bands] == ["10 to 10", "5 to 9", "0 to 4"]
    oldest, older, youngest = result.bands
    assert oldest.sides == (None, Bar(-7.5, 2.5, -2.5, "-5, from -15 to 5"))
    assert older.sides == (Bar(90, 100, 95, "190, from 180 to 200"), None)
    assert youngest.sides[0] == Bar(45, 55, 50, "100, from 90 to 110")


def test_ages_without_another_attribute_have_one_side() -> None:
    result = pyramid("all", [of_ages(0, 4, "", 100), of_ages(5, 9, "", 90)])
    assert result is not None
    assert result.sides == ("",)
    assert [len(band.sides) for band in result.bands] == [1, 1]


def test_three_sides_or_none_have_no_pyramid() -> None:
    assert pyramid("all", [*CELLS, of_ages(0, 4, "others", 5)]) is None
    assert pyramid("", ()) is None
