"""Counts of rectangles from boxes: equal to those from a table of all cells, whatever the boxes; sums and differences add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.answers.leaf_table import Boxed, LeafTable
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.arrays import Float64
from starling.places.postprocess.leaves import spread


def world(seed: int, cuts: int) -> tuple[Boxed, Float64]:
    """Boxes that tile a grid of 40 x 60 cells, and points of its cells."""
    rng = np.random.default_rng(seed)
    boxes = [[0, 40, 0, 60]]
    for _ in range(cuts):
        south, north, west, east = boxes.pop(int(rng.integers(len(boxes))))
        if north - south > 1:
            middle = int(rng.integers(south + 1, north))
            boxes += [[south, middle, west, east], [middle, north, west, east]]
        elif east - west > 1:
            middle = int(rng.integers(west + 1, east))
            boxes += [[south, north, west, middle], [south, north, middle, east]]
        else:
            boxes.append([south, north, west, east])
    result, counts = np.array(boxes, dtype=np.int32), rng.normal(50, 100, len(boxes))
    return Boxed((40, 60), result, counts), spread((40, 60), result, counts)


def rectangles(seed: int) -> Float64:
    ends = np.random.default_rng(seed).uniform(-5, 65, (40, 2, 2)).round(1)
    ends.sort(axis=1)
    whole = np.array([[0.0, 0.0, 60.0, 40.0], [-1.0, -1.0, 61.0, 41.0], [3.0, 3.0, 3.0, 9.0]])
    return np.concatenate([ends.reshape(-1, 4), whole])


@pytest.mark.examples(33)
@given(st.integers(0, 10**6), st.integers(0, 600))
def test_counts_equal_those_of_all_cells(seed: int, cuts: int) -> None:
    boxed, grid = world(seed, cuts)
    result, wanted = LeafTable(boxed).count(rectangles(seed)), CumulativeGrid(grid).count(rectangles(seed))
    assert result.counts == pytest.approx(wanted.counts, abs=1e-6)
    assert result.clipped.tolist() == wanted.clipped.tolist()


@pytest.mark.examples(30)
@given(st.integers(0, 10**6), st.sampled_from([1, -1]))
def test_sums_and_differences_are_those_of_the_counts(seed: int, sign: int) -> None:
    one, two = LeafTable(world(seed, 50)[0]), LeafTable(world(seed + 1, 9)[0])
    query = rectangles(seed)
    wanted = one.count(query).counts + sign * two.count(query).counts
    assert one.plus(two, sign).count(query).counts == pytest.approx(wanted, abs=1e-6)


def test_a_count_that_is_no_number_is_refused() -> None:
    box = np.array([[0, 1, 0, 1]], dtype=np.int32)
    with pytest.raises(ParameterError, match="no finite number"):
        LeafTable(Boxed((1, 1), box, np.array([np.nan])))


def test_rectangles_are_checked() -> None:
    with pytest.raises(ParameterError, match="rectangle 1"):
        LeafTable(world(1, 3)[0]).count(np.array([[1.0, 0.0, 0.0, 1.0]]))
