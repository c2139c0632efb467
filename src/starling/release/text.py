"""Plain aligned text, the same letters in a terminal, in a pipe and in a session."""

from collections.abc import Sequence


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
    """A number to four significant digits.

    >>> rounded(1234.56), rounded(0.123456), rounded(20.0)
    ('1,235', '0.1235', '20')
    >>> rounded(-0.0)
    '0'
    """
    number = number or 0.0  # a zero has no sign
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"
