"""What every plan file says alike is read with its stand-ins, and refused at its key."""

from fractions import Fraction
from typing import Any

import pytest

from starling.planfile.toml import Section
from starling.tables.plan.readable_choices import read_privacy, read_publication, read_structure, read_variants
from starling.tables.plan.variants import Variants

PRIVACY = {"unit": "person", "neighbours": "add-remove", "measure": "rho", "stage-1-share": "0.1"}


def section(values: dict[str, Any]) -> Section:
    """A table of a plan file."""
    return Section("plan.toml", "part", values, (), [])


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({}, ("rho", Fraction(1, 10))),
        ({"measure": "epsilon"}, ("epsilon", Fraction(1, 10))),
        ({"stage-1-share": "cheapest"}, ("rho", None)),
    ],
)
def test_privacy(change: dict[str, str], wanted: tuple[str, Fraction | None]) -> None:
    text = section({**PRIVACY, **change})
    assert read_privacy(text) == wanted
    assert not text.problems


@pytest.mark.parametrize(
    "change",
    [{"unit": "household"}, {"neighbours": "replace"}, {"measure": "delta"}, {"stage-1-share": "1"}, {"gamma": "1"}],
)
def test_privacy_that_is_none_is_refused(change: dict[str, str]) -> None:
    text = section({**PRIVACY, **change})
    read_privacy(text)
    assert len(text.problems) == 1
    assert next(iter(change)) in text.problems[0].field


def test_publication() -> None:
    text = section(
        {
            "negative-counts": True,
            "suppression": "0.99",
            "totals": "both stages",
            "intervals": "all groups",
            "add-up": True,
            "data-structure": "OFFICE:MEMBERS(1.0)",
        }
    )
    assert read_structure(text) == "OFFICE:MEMBERS(1.0)"
    assert read_publication(text) == (Fraction(99, 100), True)
    assert read_variants(text) == Variants(both_stages=True, add_up=True, given_published=False)
    assert not text.problems
    read_publication(wrong := section({"suppression": "1", "more": 1}))
    assert [each.field for each in wrong.problems] == ["part.more", "part.suppression", "part.negative-counts"]
    read_structure(wrong := section({"data-structure": "MEMBERS"}))
    assert [each.field for each in wrong.problems] == ["part.data-structure"]
    assert read_structure(section({})) == ""
