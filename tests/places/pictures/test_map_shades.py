"""What a page draws where its server counts: shades of the released cells, in a file that fits, and blank where an interval says so."""

import doctest
from dataclasses import replace

import numpy as np
import pytest

from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.sure import LEVEL, Surety
from starling.places.arrays import Float64
from starling.places.pictures import map_shades
from starling.places.pictures.map_shades import MOST_BYTES, Shaded, blank_boxes, blank_squares
from tests.places.pictures.worlds import GRID, HIGH, WIDE, decoded, measured, released


def shaded(cells: Float64, **changes: object) -> Shaded:
    none = tiles((0, 0), 1)
    drawn = Shaded(GRID, cells, [cells], signed=False, boxes=tiles((HIGH, WIDE), 8), blank=none, hotspots=none[:0])
    return replace(drawn, **changes)  # type: ignore[arg-type]


def test_each_cell_has_the_shade_of_its_number_on_the_scale_of_all_slices() -> None:
    assert doctest.testmod(map_shades).failed == 0
    one, two = (released(number).table.grid for number in (0, 1))
    facts, arrays = decoded(shaded(one, scale=[one, two]).encoded())
    assert facts["most"] == max(one.max(), two.max())
    shares = np.log1p(one / facts["least"]) / np.log1p(facts["most"] / facts["least"])
    assert np.abs(arrays["shades"].reshape(HIGH, WIDE) / 255 - shares).max() <= 0.5 / 255 + 1e-12
    assert np.array_equal(arrays["boxes"].reshape(-1, 4), tiles((HIGH, WIDE), 8))
    assert (facts["rows"], facts["columns"], facts["fold"], facts["signed"]) == (HIGH, WIDE, 1, False)


def test_a_difference_is_as_far_from_the_middle_as_it_is_large() -> None:
    one, two = (released(number).table.grid for number in (0, 1))
    facts, arrays = decoded(shaded(one - two, scale=[one, two], signed=True).encoded())
    shades, difference = arrays["shades"].astype(int), (one - two).reshape(-1)
    assert (
        np.sign(shades - 128) * (np.abs(difference) > 0.1) == np.sign(difference) * (np.abs(difference) > 0.1)
    ).all()
    assert (np.diff(shades[np.argsort(difference)]) >= 0).all()
    assert facts["signed"] is True


@pytest.mark.parametrize("kind", ["nothing", "negative", "one point"])
def test_a_grid_without_points_has_shades(kind: str) -> None:
    cells = np.zeros((HIGH, WIDE)) - (kind == "negative")
    cells[3, 4] += kind == "one point"
    facts, arrays = decoded(shaded(cells).encoded())
    assert arrays["shades"].max() == (255 if kind == "one point" else 0)
    assert facts["least"] > 0


@pytest.mark.series(1)
@pytest.mark.parametrize("side", [2, 1024, 1500])
def test_a_file_fits_whatever_the_numbers(side: int) -> None:
    noise = np.random.default_rng(1).lognormal(3, 2, (side, side))
    grid = replace(GRID, rows=side, columns=side)
    blank = tiles((side, side), max(side // 40, 1))[::2]
    drawn = shaded(noise, grid=grid, boxes=tiles((side, side), max(side // 256, 1)), blank=blank)
    data = drawn.encoded()
    assert len(data) <= MOST_BYTES
    facts, arrays = decoded(data)
    assert facts["rows"] == -(-side // facts["fold"])
    assert arrays["shades"].size == facts["rows"] * facts["columns"] == arrays["blank"].size
    assert arrays["shades"].max() == 255
    assert drawn.encoded() == data


def test_boxes_are_blank_where_their_sure_interval_holds_nothing() -> None:
    boxes = blank_boxes(measured(0), LEVEL)
    assert boxes is not None
    assert 0 < len(boxes) < HIGH * WIDE
    assert (Surety([measured(0)]).of(as_rectangles(boxes)).lower == 0).all()
    one, two = released(0), released(1)
    squares = blank_squares(one.minus(two), LEVEL)
    assert squares is not None
    answers = one.minus(two).count(as_rectangles(tiles((HIGH, WIDE), 2)))
    assert answers.lower is not None
    assert answers.upper is not None
    assert len(squares) == ((answers.lower <= 0) & (answers.upper >= 0)).sum()


def test_without_intervals_nothing_is_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.places.pictures.map_data.MOST_BOXES", 5)
    assert blank_boxes(measured(0), LEVEL) is None
    facts, arrays = decoded(shaded(released(0).table.grid, blank=None).encoded())
    assert (facts["sure"], arrays["blank"].size) == (False, 0)
