"""A heat map: the released points where they lie, the south at the bottom."""

from math import cos, radians

import numpy as np
import pytest

from starling.places.pictures.heat_map import heat_map
from tests.places.plans import plan


def test_cells_are_drawn_in_the_box_of_the_plan() -> None:
    grid = np.array([[1.0, 0, 0, 2], [0, 3, 0, 0]])
    figure = heat_map(plan().grid, "points (pickup)", "Pickups", grid)
    (picture,) = figure.axes[0].images
    assert np.array_equal(np.asarray(picture.get_array()), grid)
    assert list(picture.get_extent()) == [-1, 3, 0, 2]
    assert picture.origin == "lower"
    assert figure.axes[0].get_aspect() == pytest.approx(1 / cos(radians(1))), "a degree east is shorter than one north"
    assert figure.axes[0].get_title(loc="left") == "Pickups"
