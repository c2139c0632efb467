"""Counts of rectangles: equal to adding up the shares of all cells, clipped at the grid, refused where they make no sense."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.answers import rectangles as rectangles_module
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.arrays import Float64

RAMP = np.arange(12.0).reshape(3, 4)


def slow(grid: Float64, rectangle: Float64) -> float:
    """Every cell by the share of it that the rectangle has."""
    x0, y0, x1, y1 = rectangle
    rows, columns = grid.shape
    high = [max(0.0, min(y1, row + 1) - max(y0, row)) for row in range(rows)]
    wide = [max(0.0, min(x1, column + 1) - max(x0, column)) for column in range(columns)]
    return float(np.array(high) @ grid @ np.array(wide))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Float64, Float64]:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cells = draw(st.lists(st.integers(-50, 1000), min_size=rows * columns, max_size=rows * columns))
    ends = st.one_of(st.integers(-3, 9).map(float), st.floats(-3, 9))
    queries = [
        [*sorted((draw(ends), draw(ends))), *sorted((draw(ends), draw(ends)))] for _ in range(draw(st.integers(0, 5)))
    ]
    return np.array(cells, dtype=np.float64).reshape(rows, columns), np.array(queries).reshape(-1, 4)[:, [0, 2, 1, 3]]


@given(case=cases())
def test_counts_equal_the_sum_of_all_shares(case: tuple[Float64, Float64]) -> None:
    grid, queries = case
    rows, columns = grid.shape
    result = CumulativeGrid(grid).count(queries)
    assert result.counts == pytest.approx([slow(grid, each) for each in queries], abs=1e-8)
    beyond = [x0 < 0 or y0 < 0 or x1 > columns or y1 > rows for x0, y0, x1, y1 in queries]
    assert result.clipped.tolist() == beyond


@pytest.mark.examples(30)
@given(case=cases(), cut=st.floats(0, 1))
def test_parts_add_up_to_the_whole(case: tuple[Float64, Float64], cut: float) -> None:
    grid, queries = case
    west, east = queries.copy(), queries.copy()
    # A sum of doubles can end beyond the end that it should reach.
    west[:, 2] = east[:, 0] = np.minimum(queries[:, 0] + cut * (queries[:, 2] - queries[:, 0]), queries[:, 2])
    table = CumulativeGrid(grid)
    assert table.count(west).counts + table.count(east).counts == pytest.approx(table.count(queries).counts, abs=1e-8)


def test_the_first_row_is_the_southern_one_and_the_first_column_the_western_one() -> None:
    query = np.array([[0, 0, 1, 1], [3, 0, 4, 1], [0, 2, 1, 3], [0, 0, 4, 3], [1, 1, 1, 3]], dtype=float)
    assert CumulativeGrid(RAMP).count(query).counts.tolist() == [0, 3, 8, 66, 0]


@pytest.mark.parametrize(
    "rectangles",
    [
        pytest.param([[1.0, 0, 0, 1]], id="x reversed"),
        pytest.param([[0.0, 0, 1, 1], [0, 2, 1, 1]], id="y reversed"),
        pytest.param([[0.0, 0, float("nan"), 1]], id="not a number"),
        pytest.param([[0.0, 0, float("inf"), 1]], id="infinite"),
        pytest.param([[-float("inf"), 0, 1, 1]], id="minus infinite"),
        pytest.param([0.0, 0, 1, 1], id="no list of rectangles"),
        pytest.param([[0.0, 0, 1]], id="three numbers"),
    ],
)
def test_what_is_no_rectangle_is_refused(rectangles: list[object]) -> None:
    with pytest.raises(ParameterError, match="rectangle"):
        CumulativeGrid(RAMP).count(np.array(rectangles))


def test_the_message_names_the_rectangle() -> None:
    query = np.array([[0.0, 0, 1, 1], [0, 2, 1, 1]])
    with pytest.raises(
        ParameterError, match=r"^rectangle 2 has an end before its beginning; give x0 <= x1 and y0 <= y1$"
    ):
        CumulativeGrid(RAMP).count(query)


@pytest.mark.parametrize("grid", [np.zeros((0, 3)), np.zeros(4), np.array([[np.nan]]), np.array([[np.inf, 0]])])
def test_what_is_no_grid_is_refused(grid: Float64) -> None:
    with pytest.raises(ParameterError, match="grid"):
        CumulativeGrid(grid)


def test_whole_numbers_are_counted_exactly() -> None:
    cells = np.random.default_rng(5).integers(0, 10**9, (64, 64))
    query = np.array([[3.0, 5, 60, 61], [0, 0, 64, 64], [-5, -5, 70, 1]])
    expected = [cells[5:61, 3:60].sum(), cells.sum(), cells[:1].sum()]
    assert CumulativeGrid(cells).count(query).counts.tolist() == expected


def test_many_rectangles_are_answered_by_threads_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = np.sort(np.random.default_rng(6).uniform(-1, 5, (2, 100, 2)), axis=0)
    query = np.concatenate([ends[0], ends[1]], axis=1)
    table = CumulativeGrid(RAMP)
    whole = table.count(query)
    monkeypatch.setattr(rectangles_module, "PART", 7)
    parts = table.count(query)
    assert (parts.counts.tolist(), parts.clipped.tolist()) == (whole.counts.tolist(), whole.clipped.tolist())
    query[[40, 90], 0] = np.nan
    with pytest.raises(ParameterError, match="rectangle 41"):
        table.count(query)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (33, 70)])
def test_sums_are_those_of_numpy_to_the_bit(shape: tuple[int, int]) -> None:
    grid = np.random.default_rng(5).exponential(1e3, shape) ** 3
    wanted = np.pad(np.cumsum(np.cumsum(grid, axis=0), axis=1), ((1, 0), (1, 0)))
    assert np.array_equal(CumulativeGrid(grid)._sums, wanted)
