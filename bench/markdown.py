"""How figures are written in the tables of the benchmark pages."""

from collections.abc import Iterable, Mapping
from typing import Any


def number(value: float) -> str:
    """Three digits; thousands with commas.

    >>> number(31234.5), number(0.0123456), number(290.04)
    ('31,200', '0.0123', '290')
    """
    kept = float(f"{value:.3g}")
    return f"{kept:,.0f}" if abs(kept) >= 100 else f"{kept:.3g}"


def spread(found: Mapping[str, Any]) -> str:
    """A median with the least and the most.

    >>> spread({"median": 3, "min": 2.5, "max": 4, "runs": 5})
    '3 (2.5 to 4)'
    """
    if found["runs"] == 1:
        return number(found["median"])
    return f"{number(found['median'])} ({number(found['min'])} to {number(found['max'])})"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    names = list(head)
    lines = [names, ["---", *["--:"] * (len(names) - 1)], *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
