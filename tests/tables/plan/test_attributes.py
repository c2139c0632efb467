"""What a record of the Census has: several race codes, one ethnicity code."""

import pytest

from starling.errors import PlanError
from starling.tables.plan.attributes import Attribute, census_attributes


def test_a_census_record_has_race_codes_and_one_ethnicity_code() -> None:
    assert census_attributes(5) == (Attribute("race", 5), Attribute("ethnicity", 1, beside=True))


@pytest.mark.parametrize("most", [0, 9, -1, 10**30])
def test_unbounded_race_codes_are_refused(most: int) -> None:
    with pytest.raises(PlanError, match="max_race_codes is not between 1 and 8"):
        census_attributes(most)
