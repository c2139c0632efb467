"""The page of a map: what is in it, that nothing else can run, and that its text is the same again."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest

from starling.pages.rendering import static_files
from starling.places.pictures import map_data
from starling.places.pictures.map_data import encoded
from starling.places.pictures.map_page import page
from tests.places.pictures.worlds import ALONE, SHOWN


def block(text: str, name: str) -> bytes:
    result = re.search(rf'<script type="text/plain" id="{name}"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert result is not None
    return base64.b64decode(result[1])


def test_the_numbers_of_the_release_and_the_coast_are_in_the_page() -> None:
    text = page(SHOWN)
    assert block(text, "map-data") == encoded(SHOWN)
    assert block(text, "map-coast") == static_files()["coast.bin"]
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text
    assert "June &lt;i&gt;" in text


def test_only_the_pages_own_script_and_style_are_allowed() -> None:
    text = page(SHOWN)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for kind, tag in (("script", 'script type="module"'), ("style", "style")):
        (part,) = re.findall(rf"<{tag}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg\")|\bon[a-z]+=\"|eval\(|new Function|\bstyle=", text)
    assert not re.findall(r"\bsrc=", text)
    assert "<svg" in text, "a still picture, for a browser that runs no script"


def test_the_same_release_gives_the_same_page() -> None:
    assert page(ALONE) == page(ALONE)


def test_a_page_without_intervals_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no sure intervals" not in page(ALONE)
    monkeypatch.setattr(map_data, "MOST_BOXES", 5)
    assert "has no sure intervals" in page(ALONE)


def test_large_squares_and_hotspots_stand_in_the_page_without_its_script() -> None:
    text = page(ALONE)
    (table,) = re.findall(r"<figcaption>Points of large squares.*?</table>", text, re.DOTALL)
    answers = ALONE.slices[0].answers
    assert answers.lower is not None
    for points, lower in zip(answers.counts, answers.lower, strict=True):
        assert f"<td>{points:z,.0f}</td><td>{lower:,}</td>" in table
    assert "<td>1,234</td><td>0.97</td><td>surely</td>" in text
    assert "<td>56</td><td>below 0.6</td><td></td>" in text
    assert "Squares with most points" not in page(replace(ALONE, slices=[replace(ALONE.slices[0], experience=None)]))


def test_a_coast_that_is_far_too_coarse_is_hidden_at_first() -> None:
    assert re.search(r'id="map-coastline" type="checkbox" checked', page(ALONE))
    grid = ALONE.grid
    small = replace(grid, box=(grid.box[0], grid.box[1], grid.box[0] + 1, grid.box[1] + 1))
    assert not re.search(r'id="map-coastline" type="checkbox" checked', page(replace(ALONE, grid=small)))


def test_a_notebook_shows_a_map_as_a_still_picture() -> None:
    shown = replace(SHOWN, title="<b>Pickups</b>")
    text = shown._repr_html_()
    assert "&lt;b&gt;Pickups&lt;/b&gt;" in text
    assert "<svg" in text
    assert "<script" not in text
    assert repr(shown) == f"{shown.title}: {shown.about}", "no numbers of cells"
