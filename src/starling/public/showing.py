"""What a page shows of a release, as JSON: its headline, facts, first rows and pictures. Everything is of the released files."""

from starling.release.codec import Json
from starling.release.reading import Release
from starling.screens.release import pages_of


def shown(release: Release) -> dict[str, Json]:
    """A release as `headline` (null or label, number, interval and note), `facts` (pairs), `tables`, `pictures`, and `links`: word
    and path of each page that its domain adds.
    """
    pages = pages_of(release)
    table = pages.summary()
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
        # Where it lies is the server's own.
        "facts": [[name, value] for name, value in facts if value != str(release.path)],
        "tables": [
            {
                "caption": table.caption,
                "header": list(table.header),
                "rows": [list(row) for row in table.rows],
                "words": table.words,
            }
        ],
        "pictures": [{"svg": svg, "caption": caption} for svg, caption in pages.drawn()],
        "links": [[word, path] for word, path in pages.links],
    }
