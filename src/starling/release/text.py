"""Plain aligned text, the same letters in a terminal, in a pipe and in a session."""

from collections.abc import Iterable, Sequence
from typing import Final

LEAST: Final = 5e-10
"""Half of the ninth decimal, the last that a column of numbers can have."""
COUNTS: Final = ("points", "count", "estimate", "standard_deviation")
"""Columns of numbers of people or points, and of their noise; what is smaller than any such unit is 0."""
OUTSIDE: Final = "The number, made of all measurements together, lies outside its interval: trust the interval, which alone is guaranteed."
"""Beside a number that lies outside its interval, as `outside_note` finds."""


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

    >>> rounded(1234.56), rounded(999.96), rounded(0.123456), rounded(20.0), rounded(0.00001234), rounded(2.96e-18), rounded(-0.0)
    ('1,235', '1,000', '0.1235', '20', '0.00001234', '0', '0')
    """
    if abs(number) >= 1000:
        return f"{number:z,.0f}"
    if abs(number) < LEAST:
        return "0"
    return f"{number:z,.4g}" if abs(number) >= 1e-4 else f"{number:z.13f}".rstrip("0")


def whole(number: float) -> str:
    """A number to the next whole one.

    >>> whole(1234.56), whole(-0.3), whole(-7.0)
    ('1,235', '0', '-7')
    """
    return f"{round(number):,}"


def outside_note(numbers: Iterable[tuple[float | None, float, float]]) -> str:
    """What is said beside numbers of which some lie outside their intervals, and which of both to trust; empty where none does.

    Args:
        numbers: Each as it is shown, with the lower and the upper end of its interval, which are included; None where there is none.

    >>> outside_note([(7, 5, 9), (None, 0, 0)])
    ''
    >>> outside_note([(0, 1, 25)]) == OUTSIDE
    True
    >>> outside_note([(0, 1, 25), (7, 5, 9)])
    '1 of 2 numbers, made of all measurements together, lies outside its interval: trust the interval, which alone is guaranteed.'
    """
    known = [(number, low, high) for number, low, high in numbers if number is not None]
    outside = sum(not low <= number <= high for number, low, high in known)
    if not outside:
        return ""
    if len(known) == 1:
        return OUTSIDE
    words = (
        "lies outside its interval: trust the interval, which alone is"
        if outside == 1
        else "lie outside their intervals: trust the intervals, which alone are"
    )
    return f"{outside:,} of {len(known):,} numbers, made of all measurements together, {words} guaranteed."


def cell(value: object, name: str = "") -> str:
    """A value as a cell of a table on a page shows it; numbers of people and points to four digits, as `rounded`.

    >>> cell(None), cell(True), cell(1234), cell(-0.0), cell(2.5e-12), cell(2.5e-12, "points"), cell("<b>")
    ('', 'yes', '1,234', '0', '2.5e-12', '0', '<b>')
    >>> cell(2.79918, "standard_deviation"), cell([1234, -5])
    ('2.799', '1,234, -5')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return rounded(value) if name in COUNTS else f"{value:z,.6g}"
    if isinstance(value, list):
        return ", ".join(cell(each, name) for each in value)
    return str(value)
