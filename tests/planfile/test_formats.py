"""`[format]` of a plan file: marks by name or as they are, every fault with its key."""

import pytest

from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Table
from starling.planfile.toml import parse
from starling.text_format import PLAIN, TextFormat

PLAN = Table({"format": FORMAT_KEY})


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
        assert PLAN.read(parse(text, "plan.toml")) == {"format": wanted}
    assert PLAN.read(parse("", "plan.toml")) == {"format": PLAIN}


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
    assert PLAN.parse(top) == {"format": None}
    assert [f"{each.field} {each.problem}; {each.fix}".startswith(problem) for each in top.problems] == [True]
