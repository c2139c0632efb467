"""What a page shows of a release, as JSON: its headline, facts, first rows and pictures. Everything is of the released files."""

from typing import Any, Final

from starling.errors import ParameterError
from starling.release.codec import Json
from starling.release.reading import Release
from starling.release.text import cell

ROWS: Final = 20
"""Rows of the first table that a page shows."""
_MOST: Final = 400_000
"""Letters of a picture: a longer one is left out of the page."""


def shown(release: Release) -> dict[str, Json]:
    """A release as `headline` (null or label, number, interval and note), `facts` (pairs), `tables` and `pictures`."""
    facts = release._facts()  # noqa: SLF001 - a page shows of it what a session does
    headline = release.headline()
    return {
        "headline": None
        if headline is None
        else {
            "label": headline.label,
            "number": headline.number,
            "interval": headline.interval,
            "note": headline.note,
        },
        "facts": [[name, value] for name, value in facts],
        "tables": [_table(release)],
        "pictures": _pictures(release),
    }


def _table(release: Release) -> Json:
    name = release.main or next(each for each in release.names if "/" not in each)
    rows: Any = release.tell({"kind": "rows", "table": name, "most": ROWS})
    size, _ = release.size(name)
    return {
        "caption": f"{name}: the first {len(rows['rows'])} of {size:,} rows",
        "header": rows["columns"],
        "rows": [[cell(each, name) for name, each in zip(rows["columns"], row, strict=True)] for row in rows["rows"]],
    }


def _pictures(release: Release) -> list[Json]:
    drawn_by: Any = release  # each domain's release draws itself
    try:
        plots = drawn_by.plot()
    except (ParameterError, AttributeError):
        # It has several slices, or nothing to draw.
        return []
    pictures = [picture for section in plots.pictures.values() for picture in section.pictures]
    drawn = [(picture.draw(), " ".join(picture.caption.split())) for picture in pictures]
    return [{"svg": svg, "caption": caption} for svg, caption in drawn if len(svg) <= _MOST]
