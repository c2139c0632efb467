"""Shares by the neighbourhood against plain formulas."""

from math import exp

import numpy as np
import pytest

from starling.places.arrays import Float64
from starling.places.postprocess.neighbourhood import guides


def one(value: float) -> Float64:
    """One box."""
    return np.full((1, 1), value)


def test_shares_are_a_geometric_mean_of_the_box_and_its_neighbours() -> None:
    field = np.array([[3.0, 0.0], [15.0, 7.0]])
    result = guides(field, np.ones(4), np.ones(4))
    logs = np.log(field + 1)
    # The box in the south west: its north-east quarter has all three neighbours, its south-west quarter is clamped to itself.
    raw = [exp(logs[0, 0]), exp((12 * logs[0, 0] + 4 * logs[0, 1]) / 16), exp((12 * logs[0, 0] + 4 * logs[1, 0]) / 16)]
    raw.append(exp((9 * logs[0, 0] + 3 * logs[1, 0] + 3 * logs[0, 1] + logs[1, 1]) / 16))
    assert result[0, 0] == pytest.approx(np.array(raw) / sum(raw))


def test_shares_follow_the_size_of_quarters_and_quarters_without_cells_have_none() -> None:
    result = guides(one(5.0), np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    assert result[0, 0] == pytest.approx([0, 0, 1 / 3, 2 / 3])
    assert not guides(one(0.0), np.zeros(2), np.ones(2)).any()
