"""Texts are cut to their room, and hold letters alone."""

import pytest

from starling.pages.letters import LETTERS, printable, shortened, text_width
from tests.genome.pictures.studies import HOSTILE


@pytest.mark.parametrize("text", [*HOSTILE, "", "a", "W" * 50])
def test_a_text_is_cut_to_its_room(text: str) -> None:
    assert text_width(shortened(text, 60), LETTERS) <= 60
    assert shortened(text, 1e9) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_controls_are_no_letters(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)
