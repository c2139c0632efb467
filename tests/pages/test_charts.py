"""Charts show their numbers where they are, whatever the numbers and names, and have the same bytes each time."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.pages.charts import PARTS, WIDTH, Interval, band, bars, cells, intervals, shares
from starling.pages.letters import LETTERS, shortened, text_width
from starling.pages.marks import Sheet
from starling.release.report.markup import find_disallowed_markup
from tests.genome.pictures.studies import HOSTILE, dots, groups, lines

NUMBERS = st.floats(-1e9, 1e9)
ENDS = st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted)


def svg_of(sheet: Sheet) -> str:
    """The picture, which is sound."""
    svg = sheet.svg("picture", "A picture")
    assert find_disallowed_markup(svg) is None
    assert svg == sheet.svg("picture", "A picture")
    return svg


@pytest.mark.examples(30)
@given(st.lists(ENDS, min_size=1, max_size=8), st.sampled_from([None, 0.0]))
def test_intervals_reach_from_end_to_end_on_one_axis(ends: list[list[float]], around: float | None) -> None:
    svg = svg_of(intervals([Interval("a", "b", value, low, high) for low, value, high in ends], "axis", around=around))
    boxes, points = lines(svg, "interval"), dots(svg, "value")
    assert len(boxes) == len(points) == len(ends)
    every = [end for each in ends for end in each] + ([] if around is None else [around])
    spread = (max(every) - min(every)) * 1.08 or 2.0
    for (low, value, high), box, (x, _) in zip(ends, boxes, points, strict=True):
        left, right = min(each for each, _ in box), max(each for each, _ in box)
        assert -0.01 <= left <= x + 0.01 <= right + 0.02 <= WIDTH + 0.03
        assert right - left == pytest.approx(WIDTH * (high - low) / spread, abs=0.01)
        assert x - left == pytest.approx(WIDTH * (value - low) / spread, abs=0.01)


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_letters(name: str) -> None:
    for sheet in (
        intervals([Interval(name, name, 1, 0, 2)], name),
        shares([name], [name], [[3]]),
        bars([1, 2], [0, 1], [2, 3], name, name, [name, name]),
        band([0, 1, 2], [3, 2, 1], [2, 1, 0], [4, 3, 2], name, name),
        cells([[0.0, 1.0]], 1.0, (0, 0, 2, 1), 1.0, (name, name, name)),
    ):
        ET.fromstring(svg_of(sheet))


def test_shares_fill_the_bar_and_a_row_of_nothing_is_empty() -> None:
    svg = svg_of(shares(("a", "b"), ("k", "l"), [[1, 3], [0, 0]]))
    widths = [max(x for x, _ in box) - min(x for x, _ in box) for box in lines(svg, "share")]
    assert widths == pytest.approx([WIDTH / 4, 3 * WIDTH / 4], abs=0.01)
    assert "25 %" in svg
    assert "75 %" in svg
    every = svg_of(shares(("a",), PARTS, [[1] * len(PARTS)]))
    assert all(f'class="fill-{colour}"' in every for colour in PARTS)


def test_bars_are_as_high_as_their_numbers_and_intervals_stand_on_them() -> None:
    svg = svg_of(bars([1, 2, 4], [0, 1, 3], [2, 3, 5], "size", "groups"))
    heights = [max(y for _, y in box) - min(y for _, y in box) for box in lines(svg, "bars")]
    assert heights == pytest.approx([heights[2] / 4, heights[2] / 2, heights[2]], abs=0.01)
    whisker = lines(svg, "intervals")[2]
    assert abs(whisker[0][1] - whisker[1][1]) == pytest.approx(heights[2] / 2, abs=0.01)


def test_a_band_holds_its_line() -> None:
    svg = svg_of(band([0, 1, 2], [3.0, 2.0, 1.0], [2, 1, 0], [3, 3, 2], "size", "groups"))
    ((*values,),), ((*edge,),) = lines(svg, "values"), lines(svg, "band")
    for at, (x, y) in enumerate(values):
        (low, high) = edge[at], edge[-1 - at]
        assert low[0] == high[0] == x
        assert high[1] <= y <= low[1]


@pytest.mark.examples(20)
@given(
    st.integers(1, 9).flatmap(
        lambda wide: st.lists(st.lists(st.floats(0, 1), min_size=wide, max_size=wide), min_size=1, max_size=9)
    )
)
def test_cells_tile_the_box_by_their_shade(grid: list[list[float]]) -> None:
    svg = svg_of(cells(grid, 1.0, (10, 40, 12, 41), 1.0, ("east", "north", "points")))
    runs = lines(svg, "cells")
    (edge,) = lines(svg, "edge")

    def area(box: list[tuple[float, float]]) -> float:
        xs, ys = zip(*box, strict=True)
        return float((max(xs) - min(xs)) * (max(ys) - min(ys)))

    assert sum(map(area, runs)) == pytest.approx(area(edge), rel=1e-3)
    assert len(groups(svg, "cells")) == len({round(9 * each) for line in grid for each in line})


def test_a_long_label_is_cut_and_leaves_its_note() -> None:
    svg = svg_of(intervals([Interval("x" * 300, "note", 1, 0, 2)], "axis"))
    assert "…" in svg
    assert "note" in svg
    assert text_width(shortened("x" * 300, 50), LETTERS) <= 50
    numbers = [float(each) for each in re.findall(r'<text x="([^"]+)"', svg)]
    assert all(-1 <= each <= WIDTH + 1 for each in numbers)


@pytest.mark.parametrize(("least", "words"), [(-3.0, "0 or less"), (0.0, "0")])
def test_the_legend_of_cells_says_what_the_ends_of_the_colours_hold(least: float, words: str) -> None:
    svg = svg_of(cells([[least, 40_000.0]], 30_000.0, (0, 0, 2, 1), 1.0, ("x", "y", "points")))
    texts = re.findall(r">([^<>]+)</text>", svg)
    assert words in texts
    assert {"15,000", "30,000 or more points"} <= {*texts}


def test_an_axis_says_where_it_cuts_intervals() -> None:
    for high, is_cut in ((3, False), (900, True)):
        assert ("longer intervals end above" in svg_of(bars([1, 2], [0, 1], [2, high], "size", "groups"))) == is_cut
        assert (
            "longer intervals end above" in svg_of(band([0, 1], [3, 2], [2, 1], [3, high], "x", "groups"))
        ) == is_cut
