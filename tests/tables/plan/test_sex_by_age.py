"""The Census's chain of detail."""

from starling.tables.plan.sex_by_age import BANDS4, BANDS9, BANDS23, SEX_BY_AGE, TOP_AGE


def test_the_chain_has_the_cells_of_the_product() -> None:
    assert [len(bands) for bands in (BANDS4, BANDS9, BANDS23)] == [4, 9, 23]
    assert (SEX_BY_AGE.sizes, SEX_BY_AGE.widths, SEX_BY_AGE.row_counts) == (
        (1, 8, 18, 46),
        (0, 4, 9, 23),
        (0, 10, 20, 48),
    )
    assert SEX_BY_AGE.columns == ("age_start", "age_end", "sex")


def test_ranges_of_the_finest_bands_are_those_of_the_product() -> None:
    ranges = SEX_BY_AGE.attributes[1].classes(BANDS23)
    assert ranges[:7] == ((0, 4), (5, 9), (10, 14), (15, 17), (18, 19), (20, 20), (21, 21))
    assert ranges[-3:] == ((75, 79), (80, 84), (85, TOP_AGE))


def test_its_words_are_those_that_releases_have_always_had() -> None:
    assert list(SEX_BY_AGE.names.values()) == [
        *("total only by plan", "total"),
        *("sex by 4 ages", "sex by 9 ages", "sex by 23 ages"),
    ]
    assert SEX_BY_AGE.short_names == ("bare total", "4 ages", "9 ages", "23 ages")
    assert SEX_BY_AGE.steps_text == "sex by 4, 9 or 23 ages"
