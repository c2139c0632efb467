"""Pictures stand in a page by themselves: no script, no reference outside, no name used twice, the same bytes each time."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from starling.release.report.pictures import STEPS, Interval, Tile, intervals, shares, tiles

MAKERS: list[Callable[[str], str]] = [
    lambda name: tiles(
        ("a", "b"), ("x", "y"), [[Tile("± 3", 0.1), None], [Tile("± 9", 2.0), Tile("", -1.0)]], "axis", name
    ),
    lambda name: shares(("a", "b"), ("k", "l"), [[1, 3], [0, 0]], name),
    lambda name: intervals([Interval("a", "note", 5, 3), Interval("b", "note", 0, 0)], "axis", name),
    lambda name: intervals([Interval("only", "note", 0, 0)], "axis", name),
]


@pytest.mark.parametrize("make", MAKERS)
def test_a_picture_is_self_contained_and_repeats(make: Callable[[str], str]) -> None:
    text = make("p")
    ET.fromstring(text)  # well formed
    assert text == make("p")
    assert "<script" not in text
    assert "<!--" not in text
    assert not [url for url in re.findall(r"""(?:href|src)=["']([^"']*)""", text) if not url.startswith("#")]
    references = set(re.findall(r'href="#([^"]*)', text)) | set(re.findall(r"url\(#([^)]*)", text))
    assert references <= set(re.findall(r'\bid="([^"]*)', text)), "every reference was renamed with its target"


def test_two_pictures_of_a_page_share_no_name() -> None:
    one, two = (set(re.findall(r'\bid="([^"]*)', MAKERS[0](name))) for name in ("one", "two"))
    assert one
    assert not one & two


def test_labels_are_drawn_as_they_are() -> None:
    for label in ("$1 & <b>2</b> $x^2$ --> end", "a_b {c} \\d", r"$\nosuch$"):
        text = intervals([Interval(label, label, 1, 1)], "axis", "p")
        ET.fromstring(text)
        assert "<b>" not in text


def test_every_kind_has_a_colour() -> None:
    text = shares(("a",), tuple("12345"), [[1, 1, 1, 1, 1]], "p")
    assert all(colour in text for colour in STEPS)
