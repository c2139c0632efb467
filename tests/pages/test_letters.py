"""Texts are cut to their room, and hold letters alone."""

import pytest

from starling.pages.letters import LETTERS, printable, shortened, text_width
from tests.genome.pictures.studies import HOSTILE


@pytest.mark.parametrize("text", [*HOSTILE, "", "a", "W" * 50, "…", "a…", "…b…" * 9, "i" * 300 + "…"])
def test_a_text_is_cut_to_its_room(text: str) -> None:
    assert text_width(shortened(text, 60), LETTERS) <= 60
    assert shortened(text, 1e9) == text
    assert shortened(text, 60) == one_by_one(text, 60)


@pytest.mark.parametrize("text", HOSTILE)
def test_controls_are_no_letters(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)


def one_by_one(text: str, room: float) -> str:
    """A text from which one letter after the other is cut."""
    while text_width(text, LETTERS) > room and len(text) > 1:
        text = f"{text.removesuffix('…')[:-1]}…"
    return text
