"""An evaluation is marked as not private, in text and for machines, and adds up."""

import json

from starling.tables.evaluate.errors import WARNING, Class, Errors, Evaluation, Groups
from starling.tables.plan.sex_by_age import SEX_BY_AGE

FOUND = Evaluation(
    "a plan",
    {"(STATE, 2)": "State, detailed", "(COUNTY, 2)": "County, detailed"},
    (
        Class("(STATE, 2)", 100, 0, "total", Errors(4, 2.0, 6.0, 10.0, 16.0, 3)),
        Class("(STATE, 2)", 1000, 1, "total", Errors(6, -2.0, 4.0, 14.0, 24.0, 6)),
        Class("(COUNTY, 2)", 0, 0, "total", Errors(10, 0.0, 10.0, 10.0, 10.0, 9)),
    ),
    (Groups("(STATE, 2)", 100, 10, 0, 0), Groups("(COUNTY, 2)", 0, 50, 40, 10), Groups("(COUNTY, 2)", 1, 5, 10, 90)),
    SEX_BY_AGE.names,
)


def test_text_warns_first_and_joins_size_classes() -> None:
    lines = str(FOUND).splitlines()
    assert lines[0].replace("  ", ": ", 1) == WARNING
    state = next(line for line in lines if line.startswith("State, detailed")).split()
    assert state[2:] == ["total", "10", "0", "1", "1.549", "2", "90.00", "%"]
    everything = next(line for line in lines if line.startswith("all")).split()
    assert everything[2] == "20"
    assert lines[-1].split() == ["County,", "detailed", "55", "50", "2.00"]


def test_json_is_marked_and_complete() -> None:
    found = json.loads(json.dumps(FOUND.as_json()))
    assert found["not_private"] is True
    assert found["warning"] == WARNING
    assert [each["rows"] for each in found["classes"]] == [4, 6, 10]
    assert found["groups"][1] == {
        "level": "(COUNTY, 2)",
        "size": 0,
        "groups": 50,
        "suppressed": 40,
        "persons_suppressed": 10,
    }


def test_a_release_without_rows_can_be_shown() -> None:
    assert str(Evaluation("empty", {}, (), (), {})).replace("  ", ": ", 1).startswith(WARNING)
