"""Bands of rows: which there are depends on the side alone, and their results stand in order."""

import pytest

from starling.places.postprocess.neighbourhood import BAND, in_bands


@pytest.mark.parametrize("side", [1, 2, BAND, 2 * BAND, 8 * BAND])
def test_bands_hold_every_row_once_in_order(side: int) -> None:
    result = in_bands(side, lambda first, end: list(range(first, end)))
    assert [row for rows in result for row in rows] == list(range(side))
    assert all(len(rows) == min(side, BAND) for rows in result)
