"""What was drawn cannot be written to on its way to what is published."""

import numpy as np
import pytest

from starling.tables.measurements import Measured
from starling.tables.plan.detail import TOTAL_ONLY


def test_measured_values_are_read_only() -> None:
    measured = Measured(np.array([3, 0]), np.array([0, TOTAL_ONLY], dtype=np.int8), np.array([4, 5]))
    for array in (measured.stage1, measured.branch, measured.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
