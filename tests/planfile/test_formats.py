"""`[format]` of a plan file: marks by name or as they are, every fault with its key."""

import pytest

from starling.planfile.formats import read_format
from starling.planfile.toml import parse
from starling.text_format import PLAIN, TextFormat


def test_marks_are_read_by_name_and_as_they_are() -> None:
    wanted = TextFormat(
        separator="tab", decimal=",", thousands="space", dates="%d.%m.%Y", encoding="cp1252", sheet="a b"
    )
    for separator, thousands, encoding in (("tab", "space", "cp1252"), (r"\t", " ", "windows-1252")):
        text = f"""[format]
separator = "{separator}"
decimal = ","
thousands = "{thousands}"
dates = "%d.%m.%Y"
encoding = "{encoding}"
sheet = "a b"
"""
        assert read_format(parse(text, "plan.toml")) == wanted
    assert read_format(parse("", "plan.toml")) == PLAIN


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("separator = 1", "format.separator is not a text"),
        ('separator = "ab"', "format.separator is no mark"),
        ('seperator = ";"', "format.seperator is an unknown key; did you mean separator?"),
        ('thousands = "."', "format.thousands is no mark between thousands"),
        ('encoding = "utf-32"', "format.encoding is no encoding"),
        ('sheet = "\\u0000"', "format.sheet is not a text"),
    ],
)
def test_every_fault_is_named_with_its_key(line: str, problem: str) -> None:
    top = parse(f"[format]\n{line}\n", "plan.toml")
    assert read_format(top) == PLAIN
    assert [f"{each.field} {each.problem}; {each.fix}".startswith(problem) for each in top.problems] == [True]
