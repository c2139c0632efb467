"""Every term that a template explains has a definition, in plain words."""

import re
from pathlib import Path

import starling
from starling.pages.terms import TERMS

SOURCE = Path(starling.__file__).parent


def test_every_term_of_a_template_is_defined() -> None:
    templates = [path.read_text() for path in SOURCE.rglob("templates/*.html")]
    used = {word for text in templates for word in re.findall(r"\{\{ *term\(\"([^\"]+)\"", text)}
    assert used <= TERMS.keys()


def test_every_part_of_a_bar_of_a_budget_is_defined() -> None:
    styles = (SOURCE / "pages" / "static" / "starling.css").read_text()
    kinds = set(re.findall(r"\.bar-(\w+)", styles))
    assert len(kinds) == 6
    assert kinds <= TERMS.keys()


def test_definitions_are_short_whole_sentences() -> None:
    for definition in TERMS.values():
        sentences = re.split(r"(?<=[.])\s", definition)
        assert all(each.endswith(".") and len(each.split()) <= 24 for each in sentences), definition
