"""Sections without their pictures, for programs and terminals."""

from starling.pages.marks import Sheet
from starling.pages.parts import Picture, Section, Table
from starling.release.report.plain import section_text, sections_json

SECTION = Section(
    "Cost",
    "Of all\n  levels.\n\nNo more.",
    (Picture(lambda: Sheet(1, 0, 1), "A picture", "one"),),
    (Table(("level", "cost"), (("state", "1"), ("county", "12")), "By level"),),
)


def test_words_and_tables_are_kept_and_pictures_are_not() -> None:
    (said,) = sections_json([SECTION])
    assert said == {
        "title": "Cost",
        "text": ["Of all levels.", "No more."],
        "tables": [{"caption": "By level", "header": ["level", "cost"], "rows": [["state", "1"], ["county", "12"]]}],
    }
    assert section_text(said) == (
        "Cost\n\nOf all levels.\n\nNo more.\n\nBy level\nlevel   cost\nstate      1\ncounty    12"
    )
