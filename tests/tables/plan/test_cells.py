"""The layout of sex by age."""

import numpy as np
import pytest

from starling.tables.plan import cells


def test_coarser_bands_are_unions_of_the_finest() -> None:
    assert set(cells.BANDS4) <= set(cells.BANDS9) | {45} <= set(cells.BANDS23)
    assert [len(bands) for bands in (cells.BANDS4, cells.BANDS9, cells.BANDS23)] == [4, 9, 23]
    assert cells.BRANCH_CELLS == (1, 8, 18, 46)


@pytest.mark.parametrize("bands", [cells.BANDS4, cells.BANDS9, cells.BANDS23])
def test_every_age_is_in_the_band_whose_range_holds_it(bands: tuple[int, ...]) -> None:
    ranges = cells.age_ranges(bands)
    of_age = cells.band_of_age(bands)
    assert of_age.shape == (cells.TOP_AGE + 1,)
    for age in range(cells.TOP_AGE + 1):
        first, last = ranges[of_age[age]]
        assert first <= age <= last
    assert ranges[0][0] == 0
    assert ranges[-1][1] == cells.TOP_AGE


def test_ranges_of_the_finest_bands_are_those_of_the_product() -> None:
    ranges = cells.age_ranges(cells.BANDS23)
    assert ranges[:7] == ((0, 4), (5, 9), (10, 14), (15, 17), (18, 19), (20, 20), (21, 21))
    assert ranges[-3:] == ((75, 79), (80, 84), (85, 115))


@pytest.mark.parametrize("branch", range(4))
def test_a_cell_and_its_union_hold_the_same_sex_and_ages(branch: int) -> None:
    coarse = cells.coarse_cell(branch)
    assert coarse.shape == (cells.CELLS,)
    assert np.unique(coarse).tolist() == list(range(cells.BRANCH_CELLS[branch]))
    bands = cells.BRANCH_BANDS[branch]
    for cell in range(cells.CELLS) if bands else ():
        sex, band = divmod(cell, len(cells.BANDS23))
        coarse_sex, coarse_band = divmod(int(coarse[cell]), len(bands))
        first, last = cells.age_ranges(cells.BANDS23)[band]
        low, high = cells.age_ranges(bands)[coarse_band]
        assert coarse_sex == sex
        assert low <= first <= last <= high
