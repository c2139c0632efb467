"""The same public choices are the same request; any other choice is another."""

from dataclasses import replace
from fractions import Fraction

from starling.tables.plan import GeographyLevel
from starling.tables.publication import request_body
from tests.tables.small import small_geography, small_plan


def test_the_title_is_no_part_of_a_request_and_every_choice_is() -> None:
    plan = small_plan()
    geography = small_geography(plan)
    body = request_body(plan, geography)
    assert request_body(replace(plan, title="another title"), small_geography(plan)) == body
    others = [
        small_plan("rho"),
        small_plan(budget=Fraction(3)),
        small_plan(thresholds=(5, 10, 21)),
        small_plan(suppression=Fraction(1, 2)),
        small_plan(allow_negative=False),
        replace(plan, gamma=Fraction(1, 5)),
    ]
    county = GeographyLevel.COUNTY
    named = replace(geography, names={**geography.names, county: ("Fern County", *geography.names[county][1:])})
    bodies = {request_body(each, geography) for each in others} | {body, request_body(plan, named)}
    bodies.add(request_body(plan, small_geography(plan, 3)))
    assert len(bodies) == len(others) + 3
