"""Sections of a page as JSON and as text, for those who read no HTML: what pictures show is left out, their captions too."""

from collections.abc import Mapping, Sequence
from typing import Any

from starling.pages.parts import Section
from starling.release.codec import Json
from starling.release.text import table


def sections_json(sections: Sequence[Section]) -> list[dict[str, Json]]:
    """Each section as an object: `title`, `text` (its paragraphs) and `tables` (each with `caption`, `header` and `rows`)."""
    return [
        {
            "title": each.title,
            "text": list(each.paragraphs),
            "tables": [
                {"caption": one.caption, "header": list(one.header), "rows": [list(row) for row in one.rows]}
                for one in each.tables
            ],
        }
        for each in sections
    ]


def section_text(section: Mapping[str, Any]) -> str:
    """A section of `sections_json` for a terminal.

    >>> print(section_text({"title": "Cost", "text": ["Of all."], "tables": []}))
    Cost
    <BLANKLINE>
    Of all.
    """
    tables = [f"{each['caption']}\n{table(each['header'], each['rows'])}" for each in section["tables"]]
    return "\n\n".join([section["title"], *section["text"], *tables])
