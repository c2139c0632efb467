"""A sheet that is drawn on in points: the few marks of which pictures are made, and names beside points, none over another."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from starling.genome.arrays import Flags, Float64
from starling.release.report.pictures import GREY, INK, svg

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


Point: TypeAlias = tuple[float, float]
"""A place on the sheet, in points."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, x: float, y: float) -> "Box":
        """A sign."""
        return cls(x - SIGN, y - SIGN, x + SIGN, y + SIGN)


@dataclass(frozen=True, slots=True)
class Named:
    """A point that wants a name.

    Attributes:
        x: Horizontally, in points.
        y: Vertically, in points.
        text: Its name.
        weight: Of its letters.
    """

    x: float
    y: float
    text: str
    weight: str = "normal"


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
    away = np.repeat(_RINGS, len(_DIRECTIONS)) + 0.2 * np.tile(np.arange(len(_DIRECTIONS)), len(_RINGS))
    places: list[Box | None] = []
    for point in points:
        boxes = _candidates(point, width(point.text, size), size)
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


if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL: Final = 6.5
"""Points: names, and what is said at an axis."""
LETTERS: Final = 7.5
"""Points: numbers at an axis, legend."""
FACE: Final = "#f1f4f7"
"""Every other chromosome stands on this."""
NICE: Final = (1, 2, 5, 10)
_KEY: Final = 10.0
"""Points that the sign of a legend takes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend.

    Attributes:
        sign: A marker of Matplotlib, "box" for a filled one, "|" for a bar, "+" for a bar that goes
            through an axis, "-" for a line, "absent" for an empty cell.
        colour: The colour of the sign.
        words: What it says.
        hollow: Whether the marker is.
    """

    sign: str
    colour: str
    words: str
    hollow: bool = False


class Sheet:
    """An empty sheet; x runs to the right and y up, both in points. Letters outside of it are not cut off.

    Args:
        wide: It goes from 0 to here.
        low: Its lower edge.
        high: Its upper edge.
    """

    def __init__(self, wide: float, low: float, high: float) -> None:
        from matplotlib.figure import Figure

        self._marks: Counter[str] = Counter()
        self.figure = Figure(figsize=(wide / 72, (high - low) / 72))
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self.axes.set_xlim(0, wide)
        self.axes.set_ylim(low, high)

    def bars(self, boxes: Sequence[Box], colour: str, mark: str, *, alpha: float = 1.0, order: float = 1.0) -> None:
        """Filled rectangles, in one group that is called `mark`."""
        corners = [
            [(box.left, box.bottom), (box.right, box.bottom), (box.right, box.top), (box.left, box.top)]
            for box in boxes
        ]
        self._add("PolyCollection", corners, mark, facecolors=colour, alpha=alpha, linewidths=0, zorder=order)

    def shapes(
        self, corners: Sequence[Sequence[Point]], face: str, edge: str, mark: str, *, thick: float = 0.5
    ) -> None:
        """Filled polygons with an edge, in one group; "none" for no filling."""
        style = {"facecolors": face, "edgecolors": edge, "linewidths": thick, "joinstyle": "miter"}
        self._add("PolyCollection", corners, mark, **style)

    def lines(
        self,
        lines: Sequence[Sequence[Point]],
        colour: str,
        mark: str,
        *,
        thick: float = 0.7,
        order: float = 2.0,
        dashed: bool = False,
    ) -> None:
        """Lines through points, in one group."""
        style: Any = {"colors": colour, "linewidths": thick, "zorder": order}
        self._add("LineCollection", lines, mark, linestyles=[(0, (4, 2.5)) if dashed else "solid"], **style)

    def _add(self, kind: str, paths: Sequence[Sequence[Point]], mark: str, **style: Any) -> None:
        from matplotlib import collections

        if paths:
            drawn = getattr(collections, kind)(paths, clip_on=False, **style)
            drawn.set_gid(self._id(mark))
            self.axes.add_collection(drawn, autolim=False)

    def dots(
        self,
        places: Sequence[Point],
        sign: str,
        colour: str,
        mark: str,
        *,
        size: float = 4.2,
        hollow: bool = False,
    ) -> None:
        """Signs of one kind, in one group."""
        if places:
            self.axes.plot(
                [x for x, _ in places],
                [y for _, y in places],
                linestyle="none",
                marker=sign,
                markersize=size,
                markerfacecolor="white" if hollow else colour,
                markeredgecolor=colour,
                markeredgewidth=0.9,
                zorder=4.0,
                clip_on=False,
                gid=self._id(mark),
            )

    def text(self, x: float, y: float, words: str, mark: str = "", **style: Any) -> None:
        """Words as they are; nothing in them is read as a formula."""
        settings = {"fontsize": LETTERS, "color": INK, "ha": "center", "va": "center", "zorder": 5, **style}
        drawn = self.axes.text(x, y, words, parse_math=False, **settings)
        if mark:
            drawn.set_gid(self._id(mark))

    def legend(self, x: float, y: float, wide: float, entries: Sequence[Entry], *, upwards: bool = True) -> None:
        """Signs with their words, in rows; the last of them at y, or the first when they go down."""
        rows: list[list[tuple[float, Entry]]] = [[]]
        left = x
        for entry in entries:
            room = _KEY + width(entry.words, LETTERS) + 12
            if rows[-1] and left + room > x + wide:
                rows.append([])
                left = x
            rows[-1].append((left, entry))
            left += room
        highest = y + 12 * (len(rows) - 1) if upwards else y
        for number, row in enumerate(rows):
            for left, entry in row:
                at = highest - 12 * number
                self._key(left, at, entry)
                self.text(left + _KEY, at, entry.words, ha="left", va="center_baseline")

    def _key(self, x: float, y: float, entry: Entry) -> None:
        middle = x + 3.5
        if entry.sign == "box":
            self.bars([Box(x, y - 3, x + 7, y + 3)], entry.colour, "key")
        elif entry.sign == "absent":
            diamond = [(x, y), (middle, y + 3.5), (x + 7, y), (middle, y - 3.5)]
            self.shapes([diamond], "white", entry.colour, "key")
            self.dots([(middle, y)], "x", entry.colour, "key", size=2)
        elif entry.sign in "|+":
            self.lines([[(middle, y - 4), (middle, y + 4)]], entry.colour, "key", thick=1.0)
            if entry.sign == "+":
                self.lines([[(x - 0.5, y - 2), (x + 7.5, y - 2)]], GREY, "key")
        elif entry.sign == "-":
            self.lines([[(x, y), (x + 7, y)]], entry.colour, "key", thick=1.0)
        else:
            self.dots([(middle, y)], entry.sign, entry.colour, "key", hollow=entry.hollow)

    def whiskers(
        self, bars: Sequence[tuple[float, float, float]], colour: str, mark: str, *, thick: float = 0.7
    ) -> list[Box]:
        """Intervals at x from low to high, in one group; the boxes around them."""
        self.lines([[(x, low), (x, high)] for x, low, high in bars], colour, mark, thick=thick)
        return [Box(x - 1, low, x + 1, high) for x, low, high in bars]

    def names(
        self, points: Sequence[Named], signs: Sequence[Point], bars: Sequence[Box], bounds: Box, mark: str
    ) -> None:
        """Names beside points where there is room; see `placed`."""
        boxes = placed(points, [Box.around(*sign) for sign in signs], bars, bounds, SMALL)
        for point, box in zip(points, boxes, strict=True):
            if box is not None:
                self._name(point, box, mark)

    def _name(self, point: Named, box: Box, mark: str) -> None:
        """A name in its place, and a thin line to its point where it stands away from it."""
        near = (min(max(point.x, box.left), box.right), min(max(point.y, box.bottom), box.top))
        if abs(near[0] - point.x) + abs(near[1] - point.y) > SIGN + 4:
            self.lines([[(point.x, point.y), near]], GREY, "leader", thick=0.4, order=1.5)
        x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        self.text(x, y, point.text, mark, va="center_baseline", fontsize=SMALL, fontweight=point.weight)

    def _id(self, mark: str) -> str:
        """An id may stand once: the second group of a name is called NAME.2."""
        self._marks[mark] += 1
        count = self._marks[mark]
        return mark if count == 1 else f"{mark}.{count}"

    def drawn(self, name: str) -> str:
        """The picture as SVG, cut around what was drawn."""
        return svg(self.figure, name)

    def numbers_below(self, y: float, ticks: Sequence[tuple[float, str]]) -> None:
        """Numbers at an axis below a panel."""
        for x, number in ticks:
            self.lines([[(x, y), (x, y - 3)]], GREY, "tick", thick=0.6)
            self.text(x, y - 9, number, va="center_baseline")

    def numbers_left(self, x: float, ticks: Sequence[tuple[float, str]], words: str, middle: float) -> None:
        """Numbers at heights of an axis at the left, and what they are."""
        for height, number in ticks:
            self.lines([[(x - 3, height), (x, height)]], GREY, "tick", thick=0.6)
            self.text(x - 5, height, number, ha="right", va="center_baseline")
        self.text(x - 26, middle, words, rotation=90, color=INK)


def top_of(needed: float, longest: float) -> float:
    """The upper end of an axis that holds what is needed, and all intervals that are not much longer."""
    return 1.06 * max(needed, min(longest, 1.7 * needed))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, at most so many, at even steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power: float = 10.0 ** floor(log10(rough))
    step = next(nice * power for nice in NICE if nice * power >= rough * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]
