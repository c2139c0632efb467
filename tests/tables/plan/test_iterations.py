"""Which iterations are tabulated where."""

import pytest

from starling.tables.plan import GeographyLevel, Iteration


@pytest.mark.parametrize(
    ("total_only", "coarse_only", "level", "state", "county"),
    [
        (False, False, 2, True, True),
        (True, False, 2, True, False),
        (False, True, 2, False, True),
        (False, False, 1, False, False),
        (False, False, 0, False, False),
    ],
)
def test_flags_decide_where_an_iteration_is_tabulated(
    total_only: bool, coarse_only: bool, level: int, state: bool, county: bool
) -> None:
    iteration = Iteration("1001", "Waders", "race", level, False, total_only, coarse_only, ("1000",))
    assert iteration.tabulated(GeographyLevel.STATE, 2) is state
    assert iteration.tabulated(GeographyLevel.COUNTY, 2) is county
    assert not iteration.tabulated(GeographyLevel.STATE, 0)
