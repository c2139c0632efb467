"""Plain aligned text, the same letters in a terminal, in a pipe and in a session."""

from collections.abc import Sequence
from typing import Final

LEAST: Final = 5e-10
"""Half of the ninth decimal, the last that a column of numbers can have."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns two spaces apart; the first `left` of them set to the left, the others to the right.

    >>> print(table(("level", "cost"), [("state", "0.5"), ("county", "12")]))
    level   cost
    state    0.5
    county    12
    """
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, one pair a line.

    >>> print(facts([("cost", "rho 0.5"), ("protects", "one person")]))
    cost      rho 0.5
    protects  one person
    """
    return table(pairs[0], pairs[1:], left=2) if pairs else ""


def rounded(number: float) -> str:
    """A number to four significant digits, without an exponent; what is smaller than any unit that is published is 0.

    >>> rounded(1234.56), rounded(0.123456), rounded(20.0), rounded(0.00001234), rounded(2.96e-18), rounded(-0.0)
    ('1,235', '0.1235', '20', '0.00001234', '0', '0')
    """
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    if abs(number) < LEAST:
        return "0"
    return f"{number:.4g}" if abs(number) >= 1e-4 else f"{number:.13f}".rstrip("0")
