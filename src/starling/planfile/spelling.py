"""Words of a plan in a message: how they are shown, and what an unknown one was probably meant to be."""

import difflib
from collections.abc import Iterable
from typing import Final

from starling.errors import plain

LONGEST_WORD: Final = 200
"""Characters of a word in a message."""
LONGEST_NAME: Final = 1000
"""Characters of a name; the longest of the production definitions has under 150, and long alleles are part of some SNP ids."""


def name_problem(name: str) -> str | None:
    r"""What is wrong with a name that a file brings, or None: the one check before it reaches a terminal, a page or a table.

    Not printable are control characters (an escape that moves the cursor, a tab, the end of a line), marks that turn the direction of
    writing or are not seen, and halves of characters.

    >>> name_problem("rs12"), name_problem("Doña Ana")
    (None, None)
    >>> name_problem("rs\x1b[2J"), name_problem("rs\u202e21")
    ('holds a character that is not printed', 'holds a character that is not printed')
    """
    if not name.strip():
        return "is empty"
    if len(name) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} characters"
    return None if name.isprintable() else "holds a character that is not printed"


def did_you_mean(key: str, known: Iterable[str]) -> str:
    """The fix for an unknown key.

    >>> did_you_mean("allow_negativ_counts", ["allow_negative_counts", "run_us"])
    'did you mean allow_negative_counts?'
    >>> did_you_mean("colour", ["allow_negative_counts", "run_us"])
    'remove it'
    """
    close = difflib.get_close_matches(key[:200], list(known), n=1)
    return f"did you mean {close[0]}?" if close else "remove it"


def plural_of(name: str) -> str:
    """Several of what a name names.

    >>> [plural_of(each) for each in ("age", "sex", "salary", "day", "class", "visits", "branch")]
    ['ages', 'sexes', 'salaries', 'days', 'classes', 'visits', 'branches']
    """
    if name.endswith(("ss", "x", "z", "ch", "sh")):
        return f"{name}es"
    if name.endswith("s"):
        return name
    if name.endswith("y") and name[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return f"{name[:-1]}ies"
    return f"{name}s"


def shown(text: str) -> str:
    r"""A word that somebody else wrote, fit for one line of a message.

    >>> shown("rs12"), shown("rs\x1b[0m"), len(shown("x" * 1000))
    ('rs12', 'rs\\x1b[0m', 200)
    """
    word = plain(text)
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"
