"""JSON that keeps decimals as they are written, and knows the line of a key."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.planfile.json_object import parse_object
from starling.planfile.toml import Float

TEXT = """{
 "small": 1, "exact": 0.10,
 "long": 1234567890123456789,
 "inside": {
  "(A, 1)": [1, 2e3]},
 "last": "x: y"
}"""


def test_numbers_that_a_float_would_change_stay_as_they_are_written() -> None:
    top = parse_object(TEXT, "p.json")
    assert top.values["small"] == 1
    assert top.values["exact"] == Float("0.10")
    assert top.values["long"] == Float("1234567890123456789")
    assert top.values["inside"] == {"(A, 1)": [1, Float("2e3")]}


@pytest.mark.parametrize(("key", "line"), [("small", 2), ("exact", 2), ("long", 3), ("inside", 4), ("last", 6)])
def test_a_fault_stands_at_the_line_of_its_key(key: str, line: int) -> None:
    top = parse_object(TEXT, "p.json")
    top.refuse(key, "is wrong", "correct it")
    assert top.problems[0].line == line


def test_a_fault_inside_stands_at_its_own_line() -> None:
    top = parse_object(TEXT, "p.json")
    top.table("inside").refuse("(A, 1)", "is wrong", "correct it")
    top.table("inside").refuse("(B, 1)", "is missing", "add it")
    assert [(problem.field, problem.line) for problem in top.problems] == [("inside.(A, 1)", 5), ("inside.(B, 1)", 4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "key a is there twice"),
        ("[1]", "is not a JSON object"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_object_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        parse_object(text, "p.json")


@pytest.mark.examples(20)
@given(st.dictionaries(st.text(), st.integers(-(10**9), 10**9) | st.text() | st.dictionaries(st.text(), st.booleans())))
@example({"": "", ":": 0})
def test_an_object_is_read_as_json_says_it_and_every_key_has_a_line(values: dict[str, object]) -> None:
    top = parse_object(json.dumps(values, indent=1, ensure_ascii=False), "p.json")
    assert top.values == values
    for key in values:
        if key.isprintable() and not set(key) & set('"\\\\') and key.strip():
            top.refuse(key, "is wrong", "correct it")
    assert all(problem.line for problem in top.problems)
