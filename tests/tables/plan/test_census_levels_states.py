"""The states a plan can name."""

import pytest

from starling.tables.plan.census_levels import PUERTO_RICO, REGION_NAMES, STATES, state_problem


def test_states_are_fifty_and_the_district() -> None:
    assert set(STATES) == {f"{code:02d}" for code in range(1, 57)} - {"03", "07", "14", "43", "52"}
    assert len(set(STATES.values())) == 51
    assert PUERTO_RICO not in STATES
    assert REGION_NAMES["STATE"]["11"] == "District of Columbia"


@pytest.mark.parametrize("codes", [["72"], ["1"], [""], ["60"], ["01", "01"]])
def test_what_is_no_list_of_states(codes: list[str]) -> None:
    assert state_problem(codes)
    assert state_problem(["01", "56"]) is None
