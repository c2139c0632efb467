"""Names beside the points of a picture, none over another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from starling.genome.arrays import Flags, Float64
from starling.pages.letters import SMALL, text_width
from starling.pages.marks import Box, Sheet
from starling.pages.signs import Point

LONGEST: Final = 24
"""Letters of a name in a picture."""
_RINGS: Final = (0.0, 5.0, 11.0, 18.0, 27.0)
"""Points that a name stands away from its marker."""
_DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (-1, 0), (-1, 1), (1, -1), (-1, -1), (0, -1), (1, 0.5), (-1, 0.5))
"""Where a name may stand: to the right first, then above; below last."""
SIGN: Final = 2.6
"""Points; half of a sign."""
_CROSSING: Final = 9.0
"""Points that a name goes out of its way not to cross a bar."""


@dataclass(frozen=True, slots=True)
class Named:
    """A point that wants a name.

    Attributes:
        x: Horizontally, in points.
        y: Vertically, in points.
        text: Its name.
        bold: Whether its letters are.
    """

    x: float
    y: float
    text: str
    bold: bool = False


def short(name: str) -> str:
    r"""A name as a picture shows it: one line of printable ASCII, cut in the middle where it is long.

    >>> short("rs4111409"), short("rs\n<b>ä")
    ('rs4111409', 'rs\\n<b>\\xe4')
    >>> short("chr20:1000000:ACGTACGTACGTACGT:A")
    'chr20:1000000:…TACGTACGT:A'
    """
    plain = name if name.isascii() and name.isprintable() else ascii(name)[1:-1]
    half = LONGEST // 2
    return plain if len(plain) <= LONGEST + 2 else f"{plain[: half + 2]}…{plain[-half + 1 :]}"


def placed(
    points: Sequence[Named], markers: Sequence[Box], bars: Sequence[Box], bounds: Box, size: float
) -> list[Box | None]:
    """Where the name of each point stands; None where there is no room for it.

    Earlier points choose first. A name never covers a marker or another name and stays within `bounds`; it covers a bar only where
    the way around is longer than it is worth.

    Args:
        points: That want a name.
        markers: The signs of all points.
        bars: That had better stay free.
        bounds: The edges of the picture.
        size: The size of the letters, in points.
    """
    hard, soft = _array(markers), _array(bars)
    away = np.repeat(_RINGS, len(_DIRECTIONS)) + 0.2 * np.tile(np.arange(len(_DIRECTIONS)), len(_RINGS))
    places: list[Box | None] = []
    for point in points:
        boxes = _candidates(point, text_width(point.text, size), size)
        inside = (boxes[:, :2] >= (bounds.left, bounds.bottom)) & (boxes[:, 2:] <= (bounds.right, bounds.top))
        free = inside.all(axis=1) & ~_overlap(boxes, hard).any(axis=1)
        if not free.any():
            places.append(None)
            continue
        cost = away + _CROSSING * _overlap(boxes, soft).sum(axis=1)
        best = boxes[int(np.argmin(np.where(free, cost, np.inf)))]
        places.append(Box(*(float(edge) for edge in best)))
        hard = np.vstack([hard, best])
    return places


def _candidates(point: Named, wide: float, size: float) -> Float64:
    """Left, bottom, right and top of the boxes in which the name may stand, by ring and then by direction."""
    # Letters are about as high as 0.75 of their size, and need a little air.
    high = 0.95 * size
    rows = []
    for ring in _RINGS:
        for across, up in _DIRECTIONS:
            x = point.x + across * (SIGN + 1.5 + ring + wide / 2)
            y = point.y + up * (SIGN + 0.8 + ring + high / 2)
            rows.append((x - wide / 2, y - high / 2, x + wide / 2, y + high / 2))
    return np.array(rows)


def _array(boxes: Sequence[Box]) -> Float64:
    return np.array([(box.left, box.bottom, box.right, box.top) for box in boxes]).reshape(-1, 4)


def _overlap(some: Float64, others: Float64) -> Flags:
    """Which of some boxes overlap which others, bool (some, others)."""
    one, two = some[:, None, :], others[None, :, :]
    return np.asarray(((one[..., :2] < two[..., 2:]) & (two[..., :2] < one[..., 2:])).all(axis=-1))


def write_names(
    sheet: Sheet, points: Sequence[Named], signs: Sequence[Point], bars: Sequence[Box], bounds: Box, mark: str
) -> None:
    """Names beside points where there is room, see `placed`; a thin line leads to the point from a name that stands away from it."""
    markers = [Box(x - SIGN, y - SIGN, x + SIGN, y + SIGN) for x, y in signs]
    for point, box in zip(points, placed(points, markers, bars, bounds, SMALL), strict=True):
        if box is None:
            continue
        near = (min(max(point.x, box.left), box.right), min(max(point.y, box.bottom), box.top))
        if abs(near[0] - point.x) + abs(near[1] - point.y) > SIGN + 4:
            sheet.lines([[(point.x, point.y), near]], "muted", "leader", thick=0.4, order=1.5)
        x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        sheet.text(x, y, point.text, mark, size=SMALL, bold=point.bold)
