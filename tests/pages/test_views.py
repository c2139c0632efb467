"""A page of views has all of them with their numbers, under a policy of its own."""

import gzip
import json
import re
from base64 import b64decode
from math import isqrt
from typing import Any

import pytest

from starling.pages.marks import Sheet
from starling.pages.parts import Headline, Picture
from starling.pages.views import MOST_COMPARED, View, Views


def sheet(text: str) -> Sheet:
    drawn = Sheet(10, 0, 10)
    drawn.lines([[(0, 0), (10, 10)]], "accent", says=("<A> to B", text))
    return drawn


def make(one: int, other: int | None) -> View:
    text = f"{one} less {other}"
    return View(Picture(lambda: sheet(text), f"What is seen: {text}.", "view"), Headline("All", text, "0 to 1"))


def views(many: int, *, differences: bool = True, several: int = 1) -> Views:
    names = [f"slice {at}" for at in range(many)]
    kinds = dict.fromkeys(("points", "sums")[:several], make)
    return Views("A <title>", "about", names, kinds, ("How.",), "the command", differences)


def stated(page: str) -> dict[str, Any]:
    (data,) = re.findall(r'id="view-data">([^<]*)<', page)
    plain = gzip.decompress(b64decode(data))
    facts: dict[str, Any] = json.loads(plain[4 : 4 + int.from_bytes(plain[:4], "little")])
    return facts


def test_each_slice_and_each_difference_has_a_view() -> None:
    page = views(3).page()
    shown = stated(page)["views"]
    assert sorted(shown) == [f"0 {key}" for key in ("0", "0 1", "0 2", "1", "1 0", "1 2", "2", "2 0", "2 1")]
    assert shown["0 2 0"]["number"] == "2 less 0"
    assert "<title>&lt;A&gt; to B\n2 less 0</title>" in shown["0 2 0"]["svg"]
    assert "'SCRIPT'" not in page
    assert page.count("'sha256-") == 2


@pytest.mark.parametrize(("many", "differences"), [(1, True), (isqrt(MOST_COMPARED) + 1, True), (3, False)])
def test_without_differences_no_slice_is_taken_away(many: int, differences: bool) -> None:
    page = views(many, differences=differences).page()
    assert sorted(stated(page)["views"]) == sorted(f"0 {at}" for at in range(many))
    assert "view-other" not in page.partition("<script")[0]
    assert ("the command says: this page has too many" in page) == (differences and many > 1)
    assert ("view-slice" in page.partition("<script")[0]) == (many > 1)


def test_every_kind_has_its_views_as_long_as_a_page_is_not_too_long() -> None:
    page = views(2, several=2).page()
    assert sorted(stated(page)["views"]) == ["0 0", "0 0 1", "0 1", "0 1 0", "1 0", "1 0 1", "1 1", "1 1 0"]
    assert '<option value="1">sums</option>' in page.partition('id="view-kind"')[2].partition("</select>")[0]
    most = isqrt(MOST_COMPARED)
    assert (views(most).compared, views(most, several=2).compared) == (True, False)
    assert views(most, several=2).comparable
    assert "view-kind" not in views(2).page().partition("<script")[0]
    assert views(1, several=2).make(0, kind="sums").headline.number == "0 less None"


def test_in_a_session_it_is_a_title_and_a_still_picture() -> None:
    shown = views(2)
    assert repr(shown) == "A <title>: about"
    page = shown._repr_html_()
    assert "All: 0 less None (0 to 1)" in page
    assert "<svg" in page
    assert "<script" not in page
    assert "A &lt;title&gt;" in page
