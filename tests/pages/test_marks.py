"""Marks are sound whatever they say, and follow the stylesheet."""

import re
import xml.etree.ElementTree as ET

from starling.pages.letters import LETTERS, text_width
from starling.pages.marks import COLOURS, Box, Entry, Sheet
from starling.pages.rendering import static_files
from starling.release.report.markup import find_disallowed_markup
from tests.genome.pictures.studies import HOSTILE


def everything() -> Sheet:
    """A sheet with each mark, and hostile words."""
    sheet = Sheet(100, 0, 50)
    for number, kind in enumerate(("o", "s", "D", "d", "p", "h", "^", "x")):
        sheet.dots([(10 * number, 10)], kind, "accent", f"sign-{number}", hollow=bool(number % 2))
    sheet.bars([Box(0, 0, 5, 5)], "soft", "bars", alpha=0.5)
    sheet.lines([[(0, 0), (50, 50)]], "muted", "line", dashed=True)
    for words in HOSTILE:
        sheet.text(50, 25, words, bold=True, upright=True)
    signs = ("box", "|", "+", "-", "absent", "o")
    sheet.legend(0, -10, 100, [Entry(each, "accent", each) for each in signs], upwards=False)
    return sheet


def test_a_picture_is_sound_whatever_its_words_are() -> None:
    text = everything().svg("one", HOSTILE[1], scrolls=True)
    tree = ET.fromstring(text)
    assert find_disallowed_markup(text) is None
    assert 'class="fixed"' not in text, "it is narrow"
    assert 'class="fixed"' in Sheet(500, 0, 9).svg("one", "wide", scrolls=True)
    named = re.findall(r'\bid="([^"]*)', text)
    assert len(named) == len(set(named))
    assert all(each.startswith("one-") for each in named)
    assert next(iter(tree)).tag.endswith("title")


def test_nothing_that_is_drawn_is_cut_off() -> None:
    sheet = Sheet(10, 0, 10)
    sheet.text(10, 5, "a long word beyond the edge", anchor="start")
    sheet.lines([[(-30, -20), (5, 60)]], "ink")
    left, top, wide, high = map(float, re.findall(r'viewBox="([^"]+)"', sheet.svg("a", "b"))[0].split())
    assert left <= -30
    assert left + wide >= 10 + text_width("a long word", LETTERS)
    assert top + high >= 80


def test_every_colour_is_in_the_stylesheet_and_as_light_there() -> None:
    style = static_files()["starling.css"].decode()
    light = style[: style.index("@media")]
    for name, colour in COLOURS.items():
        if name != "none":
            assert f"--{name}: {colour}" in light, name
            assert f".fill-{name} " in style or name == "warn", name


def test_an_outline_is_closed_and_a_line_is_not() -> None:
    for draw, ends in ((Sheet.shapes, "z"), (Sheet.lines, "")):
        sheet = Sheet(9, 0, 9)
        draw(sheet, [[(0, 0), (9, 0), (9, 9)]], line="ink", mark="m", thick=0.0)
        assert f'd="M0 9L9 9L9 0{ends}"' in sheet.svg("one", "a")


def test_the_figure_has_every_mark() -> None:
    (axes,) = everything().figure().axes
    assert {each.get_gid() for each in axes.patches} >= {"sign-0", "sign-7", "bars", "line", "key"}
    assert {each.get_text() for each in axes.texts} >= {*HOSTILE}
