"""Words of a plan in a message: how they are shown, and what an unknown one was probably meant to be."""

import difflib
from collections.abc import Iterable
from typing import Final

LONGEST_WORD: Final = 200
"""Characters of a word in a message."""


def did_you_mean(key: str, known: Iterable[str]) -> str:
    """The fix for an unknown key.

    >>> did_you_mean("allow_negativ_counts", ["allow_negative_counts", "run_us"])
    'did you mean allow_negative_counts?'
    >>> did_you_mean("colour", ["allow_negative_counts", "run_us"])
    'remove it'
    """
    close = difflib.get_close_matches(key[:200], list(known), n=1)
    return f"did you mean {close[0]}?" if close else "remove it"


def shown(text: str) -> str:
    r"""A word that somebody else wrote, fit for one line of a message.

    >>> shown("rs12"), shown("rs\x1b[0m"), len(shown("x" * 1000))
    ('rs12', 'rs\\x1b[0m', 200)
    """
    return (text if text.isprintable() and text else ascii(text)[1:-1])[:LONGEST_WORD]
