"""What a release says in words fits the records that its plan is about."""

from dataclasses import fields

from starling.tables.plan import CENSUS_REGIONS, read_regions
from starling.tables.plan.wording import CENSUS, CUSTOM, wording
from tests.tables.plan.test_regions import own

OF_THE_CENSUS = ("race", "ethnicity", "state", "count" + "y", "Census", "AIANNH", "block")


def test_words_of_other_plans_say_nothing_of_the_census() -> None:
    said = " ".join(str(getattr(CUSTOM, field.name)) for field in fields(CUSTOM)).replace("stated", "")
    assert not [word for word in OF_THE_CENSUS if word in said]


def test_the_words_are_those_of_the_levels() -> None:
    assert wording(CENSUS_REGIONS) is CENSUS
    assert wording(own().regions) is CUSTOM
    assert CENSUS.columns.keys() == CUSTOM.columns.keys()
    assert read_regions(own()).regions.keys() == set(own().regions.names)
