"""Whole numbers of areas are the released ones rounded up or down, and keep the sums of every level."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.places.areas.answers.whole_numbers import whole_areas
from starling.places.areas.plan.polygons import areas_of
from tests.places.areas.worlds import areas_of_shapes, hard_shapes

SHAPES = areas_of_shapes(hard_shapes()).geometries
NUMBERS = st.lists(st.floats(-50, 50), min_size=6, max_size=6)


@given(points=NUMBERS, sides=st.lists(st.sampled_from("nse"), min_size=6, max_size=6))
def test_every_number_and_every_sum_is_off_by_less_than_one(points: list[float], sides: list[str]) -> None:
    rows = [{"id": str(at), "half": side in "ns", "side": side} for at, side in enumerate(sides)]
    areas = areas_of(("id", "", ("half", "side")), [{k: str(v) for k, v in row.items()} for row in rows], SHAPES)
    released = np.array(points)
    whole = whole_areas(areas, released)
    at = np.arange(6)
    for nodes, parent in zip(areas.nodes[::-1], (None, *areas.parents[::-1]), strict=True):
        at = at if parent is None else parent[at]
        for node in range(len(nodes)):
            assert abs(whole[at == node].sum() - released[at == node].sum()) < 1 + 1e-9
