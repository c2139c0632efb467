"""What a comparison says in its text it says for programs and in a notebook, too."""

import html
import json
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from starling.tables.earlier.differences import SHOWN, Comparison, Family, OnlyIn, SignificantDifference

HOSTILE = '"><script>x</script>'


def earlier(title: str, dataset: str | None) -> Any:
    plan = SimpleNamespace(title=title, cost="rho = 1", aggregates=())
    population = None if dataset is None else "people"
    return SimpleNamespace(path="folder", plan=plan, request_id="r", population=population, dataset=dataset)


def comparison(count: int) -> Comparison:
    differences = tuple(SignificantDifference(f"group {at}", 1000 + at, 5, -1200, -900, 0.01) for at in range(count))
    families = Family("total", 50, count, 0.02), Family("cell", 70, 0, 0.0)
    only = (OnlyIn("County, detailed", 1234, 0, 5678, 0),)
    return Comparison(earlier(HOSTILE, "a"), earlier("second", "b"), Fraction(19, 20), families, only, differences)


@pytest.mark.parametrize("count", [0, 3, SHOWN + 4])
def test_text_json_and_notebook_say_the_same(count: int) -> None:
    value = comparison(count)
    document: Any = value.as_json()
    text, notebook = str(value), value._repr_html_()
    json.dumps(document)
    assert "<script>" not in notebook
    assert [each["number"] for each in document["differ"]] == [f"group {at}" for at in range(count)]
    for at in range(count):
        assert (f"{1000 + at:,}" in text) == (at < SHOWN)
    assert ("and 4 more" in text) == (count > SHOWN)
    for shown in (text, html.unescape(notebook)):
        assert {"1,234", "5,678", "County, detailed", HOSTILE, f"{count:,} of 50"} == {
            each for each in ("1,234", "5,678", "County, detailed", HOSTILE, f"{count:,} of 50") if each in shown
        }
    assert document["in_one_alone"][0]["first_suppressed_in_second"] == 1234
    assert document["people"] == value.people in text
