"""In which cell a record lies: by exact arithmetic, on every edge, in every projection."""

from bisect import bisect_right
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.plan import Plan
from starling.places.source.cells import cells_of
from tests.places.plans import SLICED, plan


def placed(chosen: Plan, x: list[float | None], y: list[float | None]) -> list[int]:
    result: list[int] = cells_of(
        chosen, pa.table({"lon": pa.array(x, pa.float64()), "lat": pa.array(y, pa.float64())})
    ).tolist()
    return result


def test_cells_are_half_open_and_southern_rows_come_first() -> None:
    assert placed(plan(), [-1, 0, 2.99, -1, 0, 3, 0], [0, 0, 0.5, 1, 1.5, 0, 2]) == [0, 1, 3, 4, 5, -1, -1]


def test_points_that_break_the_rules_are_dropped() -> None:
    odd = [float("nan"), float("inf"), -float("inf"), None, 1e300, 91.0]
    assert placed(plan(), odd, [1.0] * len(odd)) == [-1] * len(odd)
    assert placed(plan(), [0.0] * len(odd), odd) == [-1] * len(odd)
    assert placed(plan(), [-0.0], [-0.0]) == [1]


odd_box = plan({"grid": {"box": ["-74.3", "40.5", "-73.7", "41"], "rows": 7, "columns": 1000}})


@given(st.integers(0, 1000), st.integers(0, 7), st.integers(-2, 2), st.integers(-2, 2))
def test_a_point_near_an_edge_is_where_exact_arithmetic_puts_it(column: int, row: int, east: int, north: int) -> None:
    x = near(float(Fraction("-74.3") + column * Fraction("0.6") / 1000), east)
    y = near(float(Fraction("40.5") + row * Fraction("0.5") / 7), north)
    exact = (
        (Fraction(x) - Fraction("-74.3")) * 1000 / Fraction("0.6"),
        (Fraction(y) - Fraction("40.5")) * 7 / Fraction("0.5"),
    )
    inside = 0 <= exact[0] < 1000 and 0 <= exact[1] < 7
    assert placed(odd_box, [x], [y]) == [int(exact[1]) * 1000 + int(exact[0]) if inside else -1]


def near(value: float, steps: int) -> float:
    for _ in range(abs(steps)):
        value = float(np.nextafter(value, np.inf if steps > 0 else -np.inf))
    return value


@pytest.mark.examples(20)
@given(st.floats(-90, 90), st.floats(-180, 180))
def test_cells_of_equal_area_are_found_by_their_edges(latitude: float, longitude: float) -> None:
    box = ["-20000000", "-6371007.2", "20000000", "6371007.2"]
    chosen = plan({"grid": {"crs": "equal-area", "box": box, "rows": 200, "columns": 3}})
    x, y = (each.tolist() for each in chosen.grid.edges)
    column, row = bisect_right(x, longitude) - 1, bisect_right(y, latitude) - 1
    inside = 0 <= column < 3 and 0 <= row < 200
    assert placed(chosen, [longitude], [latitude]) == [row * 3 + column if inside else -1]


WORLD = plan({"grid": {"box": ["-180", "-90", "180", "90"], "rows": 2, "columns": 4}})
BEYOND = float(np.nextafter(90, np.inf))


def test_the_poles_and_the_antimeridian_lie_in_a_box_of_the_world() -> None:
    assert placed(WORLD, [0.0, 0.0, 0.0, 0.0], [90, -90, BEYOND, -BEYOND]) == [6, 2, -1, -1]
    assert placed(WORLD, [180.0, -180.0, near(180, -1), near(180, 1), near(-180, -1)], [1.0] * 5) == [4, 4, 7, -1, -1]
    cap = plan({"grid": {"box": ["-180", "60", "180", "90"], "rows": 1, "columns": 2}})
    assert placed(cap, [180.0, 179.0, 0.0], [90.0, 90.0, 60.0]) == [0, 1, 1]
    metres = ["-20000000", "0", "20000000", "6371007.2"]
    equal = plan({"grid": {"crs": "equal-area", "box": metres, "rows": 2, "columns": 3}})
    assert placed(equal, [0.0, 0.0], [90.0, BEYOND]) == [4, -1]


def test_other_edges_stay_half_open() -> None:
    for box in (["0", "0", "180", "89"], ["-179", "0", "180", "89"]):
        assert placed(plan({"grid": {"box": box}}), [180.0, 10.0, -180.0], [1.0, 89.0, 1.0]) == [-1, -1, -1]
    plain = {"crs": "plain", "crs_name": "EPSG:2263", "box": ["-180", "0", "180", "90"]}
    assert placed(plan({"grid": plain}), [180.0, 0.0], [1.0, 90.0]) == [-1, -1]


@pytest.mark.parametrize(
    ("slices", "times"),
    [
        (SLICED, [b"2020-01-05", b"2020-02-01", b"2020-03-01", None]),
        ({"input": {"time": "time"}, "slices": {"names": ["1", "2"]}}, [b"1", b'"2"', b"3", None]),
    ],
)
def test_slices_come_one_after_the_other(slices: dict[str, Any], times: list[bytes | None]) -> None:
    table = pa.table({"lon": [0.0] * 4, "lat": [1.0] * 4, "time": pa.array(times, pa.binary())})
    assert cells_of(plan(slices), table).tolist() == [5, 13, -1, -1]
