"""What people read of presets and of plans of one's own: no word twice, no wrong plural, no `None`, no exponent, no empty brackets."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.tables.plan import Plan, shipped
from starling.tables.plan.overview import describe
from starling.tables.preview.described import PlanCosts
from tests.tables.plan.test_custom_grammar import LEAST

SLIPS: Final = {
    "a word twice": re.compile(r"\b([a-z]{2,}) \1\b", re.IGNORECASE),
    "people of people": re.compile(r"\b(people|persons|records|points|groups) of \1\b"),
    "one of several": re.compile(
        r"(?<![\d.,:/^%-] )(?<![\w.,:/^%-])1 (?!is\b|was\b|has\b|less\b|minus\b|plus\b|times\b)[a-z]*[a-rt-z]s\b"
    ),
    "a wrong plural": re.compile(r"\b(?:[a-z]+xs|[a-z]+[bcdfghjklmnpqrtvwz]ys|[a-z]*(?:ch|sh)s)\b"),
    "None": re.compile(r"\b(?:None|NaN|nan|inf)\b"),
    "an exponent": re.compile(r"(?<![\w.-])\d+(?:\.\d+)?e[-+]?\d+\b(?<!1e-10)(?!-[0-9a-f]{4}\b)"),
    "empty brackets": re.compile(r"\(\s*\)|\[\s*\]"),
    "a blank before a mark": re.compile(r"[a-z] [,;](?: |$)|,,", re.MULTILINE),
}
"""1e-10 is the delta that everything states, and 0e07-e814-... the fingerprint of a key."""


def slips(where: str, text: str) -> Iterator[str]:
    for name, pattern in SLIPS.items():
        for each in pattern.finditer(text):
            yield f"{where}: {name}: {text[max(each.start() - 60, 0) : each.end() + 40]!r}"


def printed(*words: str) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, (words, result.output)
    return result.output


@pytest.mark.parametrize(
    ("slip", "text"),
    [
        ("a word twice", "of the the plan"),
        ("people of people", "12 people of people"),
        ("one of several", "has 1 records"),
        ("a wrong plural", "3 sexs"),
        ("None", "of None"),
        ("an exponent", "2.96e-18 points"),
        ("empty brackets", "a group ()"),
        ("a blank before a mark", "a group , and"),
    ],
)
def test_each_slip_is_seen(slip: str, text: str) -> None:
    assert slip in next(slips("here", text))
    assert not [
        *slips(
            "here",
            "At δ = 1e-10, 1 record has 1 value, and 21 records of 11 groups (sexes, classes, days) have others, signed by 0e07-e814-de26.",
        )
    ]


@pytest.mark.parametrize("name", shipped())
def test_what_every_preset_says_of_itself(name: str) -> None:
    assert not [*slips(name, printed("tables", "plan", name))]


@pytest.mark.parametrize("name", ["sex", "class", "salary", "day", "visits", "everybody"])
@pytest.mark.parametrize("unit", ["person", "household"])
def test_what_plans_of_ones_own_say_of_themselves(name: str, unit: str) -> None:
    columns = [{"name": name, "values": ["a", "b"]}, {"name": "age", "from": 0, "to": 1}]
    changes: dict[str, Any] = {
        "privacy": LEAST["privacy"] | {"unit": unit, "stage-1-share": "0.1"},
        "records": {f"of-a-{unit}": 1, unit: "id"} if unit == "household" else {"of-a-person": 1},
        "columns": columns,
        "groups": [{"name": f"by {name}", "columns": [name]}],
        "detail": {"columns": [name, "age"], "steps": [{name: True}, {name: True, "age": [0, 1]}]},
        "levels": [{"groups": f"by {name}", "budget": "1", "thresholds": [10, 380]}],
    }
    assert not [*slips(name, str(PlanCosts(describe(Plan.of(LEAST | changes)))))]
