"""A pyramid of ages: a band for each number, on one side or on two, each with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from starling.screens.domain_pages import AgeCell
from starling.screens.tables.page import Bar, bar


@dataclass(frozen=True, slots=True)
class Band:
    """An age band, on an axis from 0 to 100.

    Attributes:
        ages: In words.
        sides: The interval of each side, the first to the left of two.
    """

    ages: str
    sides: tuple[Bar | None, ...]


@dataclass(frozen=True, slots=True)
class Pyramid:
    """Ages of one group.

    Attributes:
        group: Of whom, in words.
        sides: What is to the left and to the right; one where there is one alone.
        bands: The oldest first.
        most: The number at the end of the axis.
    """

    group: str
    sides: tuple[str, ...]
    bands: tuple[Band, ...]
    most: int


def pyramid(group: str, cells: Sequence[AgeCell]) -> Pyramid | None:
    """The ages of one group; None where there are none, or of more than two sides."""
    sides = tuple(dict.fromkeys(each.side for each in cells))
    if not cells or len(sides) > 2:
        return None
    bands: dict[tuple[int, int], dict[str, AgeCell]] = {}
    for each in cells:
        bands.setdefault((each.start, each.end), {})[each.side] = each
    most = max(1, *(each.row["upper"] for each in cells))
    drawn = [
        Band(
            next(iter(of.values())).text,
            tuple(bar(of[side].row, 0, most) if side in of else None for side in sides),
        )
        for _, of in sorted(bands.items(), reverse=True)
    ]
    return Pyramid(group, sides, tuple(drawn), most)
