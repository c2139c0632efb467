"""What the package index calls Starling: `starling-dp`. The import and the command are `starling`; that name was taken there."""

from importlib.metadata import version
from typing import Final

NAME: Final = "starling-dp"
VERSION: Final = version(NAME)
SOFTWARE: Final = f"Starling {VERSION}"
"""The software, for people."""


def install(extra: str) -> str:
    """The command that installs an extra.

    >>> install("h3")
    "pip install 'starling-dp[h3]'"
    """
    return f"pip install '{NAME}[{extra}]'"
