"""What a plan says of records of the Census: several race codes, one ethnicity code, regions nested by their ids."""

import pytest

from starling.errors import PlanError
from starling.tables.plan import CENSUS_REGIONS, GeographyLevel
from starling.tables.plan.census_records import CensusRecords
from starling.tables.plan.iterations import Attribute
from tests.tables.inference.test_consistency import COUNTY, REGIONS, STATE, TRACT, USA

RECORDS = CensusRecords(5, frozenset({"01"}), puerto_rico=False)


def test_a_census_record_has_race_codes_and_one_ethnicity_code() -> None:
    assert RECORDS.attributes == (Attribute("race", 5), Attribute("ethnicity", 1, separate=True))


@pytest.mark.parametrize("most", [0, 9, -1, 10**30])
def test_unbounded_race_codes_are_refused(most: int) -> None:
    with pytest.raises(PlanError, match="max_race_codes is not between 1 and 8"):
        CensusRecords(most, frozenset({"01"}), puerto_rico=False)


def test_a_region_lies_in_the_one_whose_id_begins_its_own() -> None:
    assert RECORDS.parents(CENSUS_REGIONS, USA, STATE, REGIONS) == [0, 0]
    assert RECORDS.parents(CENSUS_REGIONS, COUNTY, TRACT, REGIONS) == [0, 0, 1, 2, 2]
    island, municipios = GeographyLevel.PR_STATE, GeographyLevel.PR_COUNTY
    regions: dict[str, tuple[str, ...]] = {island: ("72",), municipios: ("72001", "72003")}
    assert RECORDS.parents(CENSUS_REGIONS, island, municipios, regions) == [0, 0]
    assert RECORDS.parents(CENSUS_REGIONS, island, municipios, {**regions, municipios: ("71001",)}) is None
