"""Plain aligned text for a terminal or a pipe: the same letters in both."""

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


def brief(text: str, most: int) -> str:
    """One line of at most so many letters.

    >>> brief(" Sex by   age of small groups", 40), brief("Sex by age of small groups", 12)
    ('Sex by age of small groups', 'Sex by age …')
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def rounded(number: float) -> str:
    """A number to four significant digits.

    >>> rounded(1234.56), rounded(0.123456), rounded(20.0)
    ('1,235', '0.1235', '20')
    """
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"
