"""What a release says in words fits the records that its plan is about."""

from dataclasses import fields

from starling.tables.plan import Plan, read_regions
from starling.tables.plan.wording import CENSUS, CUSTOM, WITHOUT_REGIONS
from tests.tables.plan.test_custom_grammar import LEAST
from tests.tables.plan.test_geography_regions import custom_plan
from tests.tables.small import small_plan

OF_THE_CENSUS = ("race", "ethnicity", "state", "count" + "y", "Census", "AIANNH", "block")


def test_words_of_other_plans_say_nothing_of_the_census() -> None:
    text = " ".join(str(getattr(CUSTOM, field.name)) for field in fields(CUSTOM)).replace("stated", "")
    assert not [word for word in OF_THE_CENSUS if word in text]


def test_the_words_are_those_of_the_levels() -> None:
    assert small_plan().wording is CENSUS
    assert custom_plan().wording is CUSTOM
    assert Plan.of(LEAST).wording is WITHOUT_REGIONS
    assert CENSUS.columns.keys() == CUSTOM.columns.keys()
    assert read_regions(custom_plan()).regions.keys() == set(custom_plan().regions.names)
