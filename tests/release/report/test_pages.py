"""A page stands alone and warns above all; its words are the same with and without pictures."""

from starling.release.report import Picture, Section, page
from starling.release.report.pages import undrawn, words


def test_a_page_of_another_kind_warns_above_all_and_stands_alone() -> None:
    text = page("A <title>", "An evaluation", (Section("Errors", "One.\n\nTwo."),), warning="NOT PRIVATE")
    assert text.index("NOT PRIVATE") < text.index("<h2>Errors</h2>")
    assert "A &lt;title&gt;: An evaluation" in text
    assert "default-src 'none'" in text
    assert "<p>Two.</p>" in text
    assert 'class="warning"' not in page("Title", "A page", ())


def test_a_page_without_what_is_drawn_is_the_page_of_sections_that_draw_nothing() -> None:
    section = Section("Errors", "One.", (Picture(lambda: '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>', "Seen."),))
    drawn, plain = page("T", "k", (section,)), page("T", "k", (undrawn(section),))
    assert drawn != plain
    assert words(drawn) == plain
