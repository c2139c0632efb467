"""Each kind of values: what it reads, what it refuses with which words, and what it writes."""

from fractions import Fraction
from typing import Any

import jsonschema
import pytest

from starling.planfile import kinds
from starling.planfile.grammar import Key, Kind, Table
from starling.planfile.values import section_of, toml_of

INNER = Table({"low": Key("The least.", kinds.whole(0, 9))})
KINDS: dict[str, tuple[Kind, Any, Any, Any, str]] = {
    "text": (kinds.text("say it"), "a", "a", 1, "key is not a text; say it"),
    "flag": (kinds.flag(), True, True, "yes", "key is not true or false; write true or false"),
    "whole": (kinds.whole(1, 9), 3, 3, 10, "key is not an integer from 1 to 9"),
    "whole of a field": (kinds.whole(1, "most"), 3, 3, 6, "key is not an integer from 1 to 5"),
    "exact": (
        kinds.exact('write "1"', lambda value: value <= 0, "is not above 0", "give more"),
        "1/3",
        Fraction(1, 3),
        "0",
        "key is not above 0; give more",
    ),
    "choice": (kinds.choice(("red", "green")), "red", "red", "grene", "key is not red or green; did you mean green?"),
    "texts": (kinds.texts("list them"), ["a", "b"], ("a", "b"), "a", "key is not a list of strings; list them"),
    "numbers": (
        kinds.numbers(2, "is not a pair", "give two"),
        ["0.5", "1"],
        (Fraction(1, 2), Fraction(1)),
        ["0.5"],
        "key is not a pair; give two",
    ),
    "tables": (kinds.tables(INNER), [{"low": 1}], ({"low": 1},), {"low": 1}, "key is not a list of tables"),
    "inline": (kinds.tables(INNER, "key = [{ low = 1 }]"), [{"low": 1}], ({"low": 1},), [], "write it like key = "),
}

WRONG: list[Any] = [
    0,
    1,
    9,
    10,
    -1,
    0.5,
    True,
    "1",
    "0,5",
    "x",
    "",
    "red",
    [],
    ["x"],
    [1],
    ["1", "1/3"],
    {"low": 1},
    [{"low": 10}],
]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_reads_what_it_takes_and_refuses_what_it_does_not(name: str) -> None:
    kind, stated, value, wrong, problem = KINDS[name]
    section = section_of({"key": stated})
    assert kind.read(section, "key", {"most": 5}) == value
    assert section.problems == []
    section = section_of({"key": wrong})
    kind.read(section, "key", {"most": 5})
    assert [problem in str(each) for each in section.problems] == [True], section.problems


@pytest.mark.parametrize("name", sorted(KINDS.keys() - {"tables", "inline"}))
def test_a_kind_writes_what_it_reads(name: str) -> None:
    kind, stated, value, *_ = KINDS[name]
    assert kind.write(value) == stated


def test_what_stands_in_a_list_is_refused_with_its_number() -> None:
    section = section_of({"key": [{"low": 1}, {"low": 10}, {"lov": 1}]})
    kinds.tables(INNER).read(section, "key", {})
    assert [each.field for each in section.problems] == ["key[2].low", "key[3].lov", "key[3].low"]


def test_a_text_that_is_written_out_is_no_field_and_a_misplaced_key_is_refused() -> None:
    table = Table(
        {"unit": Key("", kinds.fixed("person", "write it")), "weight": Key("", kinds.misplaced("is odd", "go"), {})}
    )
    assert table.parse(section_of({"unit": "person"})) == {}
    assert table.values("") == {"unit": "person"}
    assert toml_of(table.values("")) == 'unit = "person"\n'
    section = section_of({"unit": "point", "weight": 1})
    table.parse(section)
    assert [str(each) for each in section.problems] == [
        "plan: unit is not person; write it",
        "plan: weight is odd; go",
    ]
    assert table.schema()["properties"].keys() == {"unit"}


@pytest.mark.parametrize("name", KINDS)
def test_the_schema_of_a_kind_takes_what_its_reader_takes(name: str) -> None:
    """What a schema refuses, the reader refuses; of whole numbers, names and truth values the other way round, too."""
    kind = KINDS[name][0]
    schema = jsonschema.Draft202012Validator(kind.schema)
    for value in (KINDS[name][1], *WRONG):
        section = section_of({"key": value})
        kind.read(section, "key", {"most": 5})
        if name in ("flag", "whole", "choice"):
            assert schema.is_valid(value) == (not section.problems), value
        else:
            assert section.problems or schema.is_valid(value), value
