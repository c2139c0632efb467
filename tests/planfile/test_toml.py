"""TOML that keeps floats apart and knows its lines."""

import os
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.planfile import toml
from starling.planfile.toml import LONGEST_PLAN, Section, parse, read_file

TEXT = """title = "Waders"
number = "0.1"
float = 0.1

[area]
states = ["01"]  # a comment
'quoted' = 3

[[levels]]
size = 1

[[levels]]
size = 12
name = "x"
"""


def problems(section: Section) -> list[str]:
    return [str(problem) for problem in section.problems]


def test_values_are_read_by_kind() -> None:
    top = parse(TEXT, "p.toml")
    assert top.text("title", "") == "Waders"
    assert top.number("number", "") == Fraction(1, 10)
    area = top.table("area")
    assert area.texts("states", "") == ["01"]
    assert area.whole("quoted", 1, 3) == 3
    assert [level.whole("size", 1, 12) for level in top.tables("levels")] == [1, 12]
    assert top.problems == []


def test_a_float_is_refused_with_the_reason() -> None:
    top = parse(TEXT, "p.toml")
    assert top.number("float", "") is None
    (problem,) = problems(top)
    assert problem.startswith("p.toml:3: float is a float, and a binary float is not the decimal it looks like")
    assert problem.endswith('put it in quotes: float = "0.1"')


def test_a_problem_stands_at_the_line_of_its_key_or_table() -> None:
    top = parse(TEXT, "p.toml")
    top.table("area").flag("quoted", "x")
    top.tables("levels")[1].whole("size", 1, 2)
    top.tables("levels")[0].text("name", "x")
    top.tables("absent")
    found = [(problem.field, problem.line) for problem in top.problems]
    assert found == [("area.quoted", 7), ("levels[2].size", 13), ("levels[1].name", 9), ("absent", None)]


@pytest.mark.parametrize(
    ("method", "arguments", "wrong"),
    [
        ("text", ("fix",), ["1", "true", '""', '"a\\u0007"', "[]", "1979-05-27"]),
        ("choice", (("a", "b"), "fix"), ['"c"', "1", '["a"]']),
        ("flag", ("fix",), ["1", '"true"']),
        ("number", ("fix",), ['"x"', "true", "[]", "nan", "inf", '"1e999"', "1979-05-27", "{}"]),
        ("whole", (1, 5), ["0", "6", "1.0", '"1"', "true"]),
        ("texts", ("fix",), ['"a"', "[1]", '["a", 1]']),
        ("table", (), ["1", "[]"]),
        ("tables", (), ["1", "[]", "[1]", "{}"]),
    ],
)
def test_a_value_of_another_kind_is_refused(method: str, arguments: tuple[Any, ...], wrong: list[str]) -> None:
    for value in wrong:
        top = parse(f"key = {value}", "p.toml")
        getattr(top, method)("key", *arguments)
        assert [(problem.field, problem.line) for problem in top.problems] == [("key", 1)], value
    absent = parse("", "p.toml")
    getattr(absent, method)("key", *arguments)
    assert "key is missing" in problems(absent)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"1e3"', 'p.toml:1: budget is written with an exponent; write budget = "1000"'),
        ('"1e-99"', "p.toml:1: budget is written with an exponent; fix"),
        (
            "1e3",
            (
                "p.toml:1: budget is a float, and a binary float is not the decimal it looks like (0.1 is not 1/10);"
                ' put it in quotes: budget = "1000"'
            ),
        ),
    ],
)
def test_an_amount_with_an_exponent_is_refused_and_spelled_out(text: str, said: str) -> None:
    top = parse(f"budget = {text}", "p.toml")
    assert top.number("budget", "fix") is None
    assert problems(top) == [said]


def test_an_unknown_key_is_refused_with_a_near_miss() -> None:
    top = parse(TEXT, "p.toml")
    top.only(["titel", "number", "float", "area", "levels"])
    assert problems(top) == ["p.toml:1: title is an unknown key; did you mean titel?"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = \n", 1),
        ("a = 1\nb = '", 2),
        ("a = 1\na = 2", 2),
        ("a = " + "[" * 50_000, None),
        ("a = " + "9" * 5000, None),
        ("\0", 1),
    ],
)
def test_what_is_not_toml_is_a_plan_error(text: str, line: int | None) -> None:
    with pytest.raises(PlanError) as refused:
        parse(text, "p.toml")
    assert refused.value.problems[0].line == line
    assert str(refused.value).isprintable()


@pytest.mark.examples(30)
@settings(max_examples=300)
@given(st.text(max_size=40), st.integers(0, len(TEXT)), st.integers(0, 8))
def test_a_mutated_text_is_toml_or_a_plan_error(put: str, at: int, drop: int) -> None:
    text = TEXT[:at] + put + TEXT[at + drop :]
    top = read_or_none(text)
    if top is not None:
        top.only(["title"])
        top.table("area").only([])
        for level in top.tables("levels"):
            level.only(["size"])
        assert "".join(problems(top)).isprintable()


def read_or_none(text: str) -> Section | None:
    try:
        return parse(text, "p.toml")
    except PlanError:
        return None


def test_unknown_keys_beyond_a_hundred_are_counted() -> None:
    top = parse("".join(f"k{number} = 1\n" for number in range(20_000)), "p.toml")
    top.only(["title"])
    assert len(top.problems) == 101
    assert "has 19900 more unknown keys" in problems(top)[-1]


def test_a_plan_file_is_read_up_to_its_longest(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('title = "Waders"\n'.ljust(LONGEST_PLAN))
    assert read_file(path).text("title", "") == "Waders"
    path.write_text('title = "Waders"\n'.ljust(LONGEST_PLAN + 1))
    with pytest.raises(PlanError, match=rf"plan.toml: file cannot be read \(Longer than {LONGEST_PLAN:,} bytes\)"):
        read_file(path)
    with pytest.raises(PlanError, match="cannot be read"):
        read_file(tmp_path / "absent.toml")
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(PlanError, match="is not UTF-8"):
        read_file(path)


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 100_000 + " = 1",
        "[a" + ".a" * 100_000 + "]",
        "[[a" + " . a" * 100_000 + "]]",
        "x = {a" + '."a"' * 100_000 + " = 1}",
        "'a'" + ".'a'" * 100_000 + " = 1",
    ],
)
def test_a_key_of_many_parts_is_refused_before_it_is_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The parser takes time that grows with the square of the parts: minutes for these.
    monkeypatch.setattr(tomllib, "loads", lambda *_, **__: pytest.fail("parsed"))
    with pytest.raises(PlanError, match="has a key of more than 16 parts"):
        parse(text, "plan.toml")


@pytest.mark.parametrize(
    "text", ["a" * LONGEST_PLAN, '"' * 100_000, "." * 100_000, "a." * 8, "x = [" + '"a.b", ' * 10_000 + "]"]
)
def test_other_texts_are_the_parsers(text: str) -> None:
    assert not toml._DEEP.search(text)


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plan.toml")
    for path in (tmp_path / "plan.toml", Path("/dev/zero")):
        with pytest.raises(PlanError, match="Not a regular file"):
            read_file(path)
    with (tmp_path / "sparse.toml").open("wb") as file:
        file.truncate(200 << 30)
    with pytest.raises(PlanError, match="Longer than"):
        read_file(tmp_path / "sparse.toml")
