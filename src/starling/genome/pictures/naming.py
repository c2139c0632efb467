"""Names beside points: short, drawn as they are, and none over another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

LONGEST: Final = 24
"""Letters of a name in a picture."""
_RINGS: Final = (0.0, 5.0, 11.0, 18.0, 27.0)
"""Points that a name stands away from its marker."""
_DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (-1, 0), (-1, 1), (1, -1), (-1, -1), (0, -1), (1, 0.5), (-1, 0.5))
"""Where a name may stand: to the right first, then above; below last."""
_CROSSING: Final = 9.0
"""Points that a name goes out of its way not to cross a bar."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Named:
    """A point that wants a name.

    Attributes:
        x: Horizontally, in points.
        y: Vertically, in points.
        text: Its name.
        reach: Half the size of its marker, in points.
    """

    x: float
    y: float
    text: str
    reach: float


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


def width(text: str, size: float) -> float:
    """The width of a text in points, as the pictures draw it."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


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
    found: list[Box | None] = []
    for point in points:
        boxes = _candidates(point, width(point.text, size), size)
        inside = (
            (boxes[:, 0] >= bounds.left)
            & (boxes[:, 1] >= bounds.bottom)
            & (boxes[:, 2] <= bounds.right)
            & (boxes[:, 3] <= bounds.top)
        )
        free = inside & ~_overlap(boxes, hard).any(axis=1)
        if not free.any():
            found.append(None)
            continue
        away = np.repeat(_RINGS, len(_DIRECTIONS)) + 0.2 * np.tile(np.arange(len(_DIRECTIONS)), len(_RINGS))
        cost = away + _CROSSING * _overlap(boxes, soft).sum(axis=1)
        best = boxes[int(np.argmin(np.where(free, cost, np.inf)))]
        found.append(Box(*(float(edge) for edge in best)))
        hard = np.vstack([hard, best])
    return found


def _candidates(point: Named, wide: float, size: float) -> npt.NDArray[np.float64]:
    """Left, bottom, right and top of the boxes in which the name may stand, by ring and then by direction."""
    # Letters are about as high as 0.75 of their size, and need a little air.
    high = 0.95 * size
    rows = []
    for ring in _RINGS:
        for across, up in _DIRECTIONS:
            x = point.x + across * (point.reach + 1.5 + ring + wide / 2)
            y = point.y + up * (point.reach + 0.8 + ring + high / 2)
            rows.append((x - wide / 2, y - high / 2, x + wide / 2, y + high / 2))
    return np.array(rows)


def _array(boxes: Sequence[Box]) -> npt.NDArray[np.float64]:
    return np.array([(box.left, box.bottom, box.right, box.top) for box in boxes]).reshape(-1, 4)


def _overlap(some: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which of some boxes overlap which others, bool (some, others)."""
    one, two = some[:, None, :], others[None, :, :]
    apart = (
        (one[..., 0] >= two[..., 2])
        | (two[..., 0] >= one[..., 2])
        | (one[..., 1] >= two[..., 3])
        | (two[..., 1] >= one[..., 3])
    )
    return np.asarray(~apart)
