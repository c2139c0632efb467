"""What commands write: plain aligned text, and lines that are cut to a width."""

from starling.release.text import facts, rounded, table

__all__ = ["brief", "facts", "rounded", "table"]


def brief(text: str, most: int) -> str:
    """One line of at most so many letters.

    >>> brief(" Sex by   age of small groups", 40), brief("Sex by age of small groups", 12)
    ('Sex by age of small groups', 'Sex by age …')
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
