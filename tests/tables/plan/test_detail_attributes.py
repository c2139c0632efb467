"""Attributes of the detail: classes, codes, words, and what is refused."""

import pytest

from starling.tables.plan.detail import DetailAttribute

AGE = DetailAttribute("age", "ages", 0, 99, unit="year")
ARM = DetailAttribute("arm", "arms", 0, 2, (("A", "free"), ("B", "half"), ("C", "C")))


@pytest.mark.parametrize("cuts", [(0, 18, 65), (0, 1), tuple(range(100))])
def test_every_number_is_in_the_one_class_that_holds_it(cuts: tuple[int, ...]) -> None:
    assert AGE.refused(cuts) is None
    numbers = [number for first, last in AGE.classes(cuts) for number in range(first, last + 1)]
    assert numbers == list(range(100))


@pytest.mark.parametrize("cuts", [(0,), (1, 5), (0, 5, 5), (0, 7, 3), (0, 100)])
def test_cuts_that_are_no_partition_are_refused(cuts: tuple[int, ...]) -> None:
    assert AGE.refused(cuts) is not None


def test_a_list_is_cut_into_its_values_or_not_at_all() -> None:
    assert ARM.refused((0, 1, 2)) is None
    assert ARM.refused((0, 1)) == (
        "cuts the list of arm into classes of several values",
        "give every value a class, or none",
    )


def test_codes_and_words() -> None:
    assert (ARM.columns, ARM.codes((1, 1)), ARM.text((1, 1)), ARM.codes(None)) == (("arm",), ("B",), "half", ("*",))
    assert (AGE.columns, AGE.codes((0, 17)), AGE.codes(None)) == (("age_start", "age_end"), ("0", "17"), ("*", "*"))
    assert ARM.column_words == ("A free, B half, C", "The arm, in words")


@pytest.mark.parametrize(
    "values", [(("A", "free"),), (("A", "free"), ("A", "half"), ("C", "")), (("*", "free"), ("B", ""), ("C", ""))]
)
def test_a_list_has_a_code_for_every_number(values: tuple[tuple[str, str], ...]) -> None:
    assert not DetailAttribute("arm", "arms", 0, 2, values).whole
    assert ARM.whole
