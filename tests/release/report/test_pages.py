"""A page stands alone and warns above all; its words are the same with and without pictures."""

import re
from pathlib import Path

from starling.release.report import Picture, Section, Table, page, pages
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


def test_nothing_wide_is_cut_off_on_a_phone() -> None:
    """Tables, formulas and pictures scroll within themselves; what explains them does not scroll away with them."""
    wide = Table(tuple("abcdefghij"), (("1" * 20,) * 10,), "What it holds")
    drawn = Picture(lambda: '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>', "Seen.")
    text = page("Title", "A page", (Section("Errors", "One.", (drawn,), (wide,)),))
    assert 'name="viewport" content="width=device-width' in text
    assert re.search(r"\.wide, \.formula, \.picture \{[^}]*overflow-x: auto", text)
    assert text.count("<table") == text.count('<div class="wide"><table') == 1
    assert re.search(r"<figcaption>What it holds</figcaption>\s*<div class=\"wide\">", text), "above what scrolls"
    assert text.count("<svg") == len(re.findall(r'<div class="picture"[^>]*><svg', text)) == 1
    templates = "".join(path.read_text() for path in Path(pages.__file__).parent.glob("*.html"))
    formulas = "".join(re.findall(r'<div class="formula">.*?</div>', templates, re.DOTALL))
    assert templates.count("<math") == formulas.count("<math") > 0
    assert templates.count("<table") == templates.count('<div class="wide"><table')
