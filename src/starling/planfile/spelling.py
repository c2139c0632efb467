"""Near misses: what an unknown key was probably meant to be."""

import difflib
from collections.abc import Iterable


def did_you_mean(key: str, known: Iterable[str]) -> str:
    """The fix for an unknown key.

    >>> did_you_mean("allow_negativ_counts", ["allow_negative_counts", "run_us"])
    'did you mean allow_negative_counts?'
    >>> did_you_mean("colour", ["allow_negative_counts", "run_us"])
    'remove it'
    """
    close = difflib.get_close_matches(key[:200], list(known), n=1)
    return f"did you mean {close[0]}?" if close else "remove it"
