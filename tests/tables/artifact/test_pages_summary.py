"""What the report shows, gathered piece by piece, is what the whole tables give."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.artifact.pages import LADDER, Summary, _median
from starling.tables.mechanism import SafeTab
from starling.tables.postprocess import tabulate
from tests.tables.small import joined, small_geography, small_plan, written


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_any_pieces_give_what_the_whole_tables_give(most: int) -> None:
    plan = small_plan(suppression=small_plan().gamma, allow_negative=False)
    geography = small_geography(plan, counties=20)
    totals = [1, 7, 2, 3000, 29, 31, *range(34)]
    safetab = SafeTab(plan, geography, most_groups=most)
    exact = written(plan, geography)
    exact.detail[1][:, 0] = totals
    drawn = safetab.draw(exact)
    parts = list(tabulate(plan, geography, drawn))
    tables = joined(parts)
    result = Summary(plan, geography, Path())
    for part in parts:
        result.add(part)
    assert result.rows == {"t1": len(tables.t1), "t2": len(tables.t2)}
    assert result.branches.sum(axis=1).tolist() == [3, 40]
    rows = tables.t1.to_pylist()
    for number, kind in enumerate(("STATE", "COUNTY")):
        widths = result.widths(number)
        second = sorted(
            (size, width)
            for size, width, times in zip(*(column.tolist() for column in widths), strict=True)
            for _ in range(times)
        )
        assert second == sorted(
            (row["count"], row["upper"] - row["lower"]) for row in rows if row["region_type"] == kind
        )
    counts = np.array([row["count"] for row in rows])
    positive = np.flatnonzero(counts > 0)
    nearest = [int(positive[np.argmin(np.abs(np.log(counts[positive]) - np.log(step)))]) for step in LADDER]
    wanted = [row for row, step in zip(nearest, LADDER, strict=True) if step <= 2 * counts.max()]
    assert result.ladder() == [rows[row] for row in dict.fromkeys(wanted)]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=9))
def test_median_of_repeated_values(pairs: list[tuple[int, int]]) -> None:
    values: npt.NDArray[np.float64] = np.array([value for value, _ in pairs], dtype=np.float64)
    times = np.array([each for _, each in pairs])
    assert _median(values, times) == np.median(np.repeat(values, times))
