"""What every plan file says alike is read with its stand-ins, and refused at its key."""

from fractions import Fraction
from typing import Any

import pytest

from starling.planfile.grammar import Key
from starling.planfile.toml import Section
from starling.tables.plan.grammar import PUBLICATION, privacy

PRIVACY = {"unit": "person", "neighbours": "add-remove", "measure": "rho", "stage-1-share": "0.1"}


def read(key: Key, values: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What the table under a key states, and the fields of its problems."""
    top = Section("plan.toml", "", {"part": values}, (), [])
    fields = key.kind.read(top, "part", {"staged": True})
    return fields, [each.field for each in top.problems]


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({}, ("rho", Fraction(1, 10))),
        ({"measure": "epsilon"}, ("epsilon", Fraction(1, 10))),
        ({"stage-1-share": "cheapest"}, ("rho", None)),
    ],
)
def test_privacy(change: dict[str, str], wanted: tuple[str, Fraction | None]) -> None:
    fields, problems = read(privacy(("person",)), {**PRIVACY, **change})
    assert (fields["measure"], fields["gamma"]) == wanted
    assert not problems


@pytest.mark.parametrize(
    "change",
    [{"unit": "household"}, {"neighbours": "replace"}, {"measure": "delta"}, {"stage-1-share": "1"}, {"gamma": "1"}],
)
def test_privacy_that_is_none_is_refused(change: dict[str, str]) -> None:
    _, problems = read(privacy(("person",)), {**PRIVACY, **change})
    assert problems == [f"part.{next(iter(change))}"]


def test_publication() -> None:
    fields, problems = read(
        PUBLICATION,
        {
            "negative-counts": True,
            "suppression": "0.99",
            "totals": "both stages",
            "intervals": "all groups",
            "add-up": True,
            "data-structure": "OFFICE:MEMBERS(1.0)",
        },
    )
    assert fields == {
        "allow_negative": True,
        "suppression": Fraction(99, 100),
        "both_stages": True,
        "given_published": False,
        "add_up": True,
        "data_structure": "OFFICE:MEMBERS(1.0)",
    }
    assert not problems
    _, problems = read(PUBLICATION, {"suppression": "1", "more": 1, "data-structure": "MEMBERS"})
    assert problems == ["part.more", "part.negative-counts", "part.suppression", "part.data-structure"]
    assert read(PUBLICATION, {"negative-counts": False})[0]["data_structure"] == ""
