"""Figures of Matplotlib as SVG text to stand in a page of the docs, the same bytes each time; and their colours."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from starling.pages.marks import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK: Final = COLOURS["ink"]
LINE: Final = COLOURS["faint"]
BLUE: Final = COLOURS["accent"]
RED: Final = COLOURS["warn"]
GREY: Final = "#8a97a5"


@contextmanager
def drawing() -> Iterator[None]:
    """Matplotlib as it comes, whatever the program around has set, and such that a picture has the same bytes each time."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.hashsalt": "starling", "svg.fonttype": "path", "font.family": "DejaVu Sans"})
        yield


def svg(figure: "Figure", name: str) -> str:
    """The picture alone: no XML head, date or comments, and the same text for the same picture."""
    buffer = io.StringIO()
    with drawing():
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # An id may stand once in a page; glyphs and clips are referred to by theirs.
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    return re.sub(r"\n\s*", "\n", text)
