"""Records of areas have coordinates or the id of an area, and not both."""

from typing import Any

import pytest

from starling.errors import PlanError
from starling.places.areas.plan.columns import AreaColumns


def test_columns_are_read_in_their_order() -> None:
    assert AreaColumns(area="zone", time="when").names == ("when", "zone")
    assert AreaColumns(x="lon", y="lat", person="who").names == ("lon", "lat", "who")


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({}, "input"),
        ({"x": "lon"}, "input"),
        ({"area": "zone", "x": "lon", "y": "lat"}, "input.area stands beside where points are"),
        ({"area": "zone", "h3": "cell"}, "input.area stands beside where points are"),
        ({"area": "zone", "person": "zone"}, "input names a column twice"),
    ],
)
def test_other_columns_are_refused(columns: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        AreaColumns(**columns)
