"""How wide letters are, about, and what of a text is letters."""

from bisect import bisect_right
from typing import Final

SMALL: Final = 8.0
"""Size of letters of names."""
LETTERS: Final = 9.0
"""Size of letters at an axis and in a legend."""
_WIDTHS: Final = {
    **dict.fromkeys("iljI.,:;'|!` ", 0.32),
    **dict.fromkeys('ft()[]{}r-/\\"*', 0.43),
    **dict.fromkeys("mwMW@%—…", 0.98),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ&+=<>~#±×−≤≥", 0.76),
}


def text_width(text: str, size: float) -> float:
    """About the width of a text; that of a wide typeface, so that there is room in others."""
    return size * sum(_WIDTHS.get(letter, 0.64 if letter < "\u2e80" else 1.0) for letter in text)


def printable(text: str) -> str:
    """A text without what no letter shows: controls, which XML has not, and marks that turn the direction of letters."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def shortened(text: str, room: float, size: float = LETTERS) -> str:
    """A text that is no wider than there is room, cut at its end.

    >>> shortened("abcdef", 20.0), shortened("abc", 20.0)
    ('a…', 'abc')
    """
    if text_width(text, size) <= room or len(text) <= 1:
        return text
    whole = text.removesuffix("…")
    fitting = bisect_right(range(1, len(whole)), room, key=lambda length: text_width(f"{whole[:length]}…", size))
    return f"{whole[:fitting]}…"
