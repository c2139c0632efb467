"""A tally keeps what is added to it, of records and of each kind of aggregates."""

from pathlib import Path

import numpy as np

from starling.engine.spill import Spill
from starling.tables.counts.contributions import kind_of
from starling.tables.counts.custom_tally import Tally
from tests.tables.plan.test_aggregates import SUMS

UNITS = np.array([0, 1, 2])


def test_what_is_added_is_kept(tmp_path: Path) -> None:
    tally = Tally({kind_of(SUMS): SUMS}, 3, Spill(tmp_path))
    unit, groups = np.array([2, 0], np.int32), np.array([0, 1], np.int32)
    tally.add(unit, groups, np.array([0, 3], np.uint8), np.array([5, 1]))
    [spread] = tally.spread.values()
    spread.add(unit, groups, np.array([4, 1]), np.array([1, 0]))
    tally.put_away()
    assert sum(tally.counted.read(part).stops[-1] for part in tally.counted.parts(UNITS)) == 2
    # Low and high limb of what the number lacks of the largest one, then of what it is above the least; those of 0 are left out.
    parts = [spread.read(part).records.tolist() for part in spread.parts(UNITS)]
    assert parts == [[0, SUMS.width - 4, 2, 4]]
