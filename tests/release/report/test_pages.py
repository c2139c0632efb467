"""The words of a page are the same with and without pictures."""

from starling.pages.parts import Picture, Section
from starling.pages.rendering import page
from starling.release.report.pages import undrawn, words


def test_a_page_without_what_is_drawn_is_the_page_of_sections_that_draw_nothing() -> None:
    section = Section("Errors", "One.", (Picture(lambda: '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>', "Seen."),))
    drawn, plain = page("T", "k", (section,)), page("T", "k", (undrawn(section),))
    assert drawn != plain
    assert words(drawn) == plain
