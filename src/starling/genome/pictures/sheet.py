"""A sheet that is drawn on in points: the few marks of which the pictures of a study are made."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Final

from starling.genome.pictures.naming import Box, Named, width
from starling.release.report.pictures import GREY, INK, svg

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
        from matplotlib.collections import PolyCollection

        if boxes:
            corners = [
                [(box.left, box.bottom), (box.right, box.bottom), (box.right, box.top), (box.left, box.top)]
                for box in boxes
            ]
            drawn = PolyCollection(corners, facecolors=colour, alpha=alpha, linewidths=0, zorder=order, clip_on=False)
            drawn.set_gid(self._id(mark))
            self.axes.add_collection(drawn, autolim=False)

    def shapes(
        self, corners: Sequence[Sequence[tuple[float, float]]], face: str, edge: str, mark: str, *, thick: float = 0.5
    ) -> None:
        """Filled polygons with an edge, in one group; "none" for no filling."""
        from matplotlib.collections import PolyCollection

        if corners:
            drawn = PolyCollection(
                corners, facecolors=face, edgecolors=edge, linewidths=thick, joinstyle="miter", clip_on=False
            )
            drawn.set_gid(self._id(mark))
            self.axes.add_collection(drawn, autolim=False)

    def lines(
        self,
        lines: Sequence[Sequence[tuple[float, float]]],
        colour: str,
        mark: str,
        *,
        thick: float = 0.7,
        order: float = 2.0,
        dashed: bool = False,
    ) -> None:
        """Lines through points, in one group."""
        from matplotlib.collections import LineCollection

        if lines:
            style = (0, (4, 2.5)) if dashed else "solid"
            drawn = LineCollection(
                lines, colors=colour, linewidths=thick, linestyles=[style], zorder=order, clip_on=False
            )
            drawn.set_gid(self._id(mark))
            self.axes.add_collection(drawn, autolim=False)

    def dots(
        self,
        places: Sequence[tuple[float, float]],
        sign: str,
        colour: str,
        mark: str,
        *,
        size: float = 4.2,
        hollow: bool = False,
        order: float = 4.0,
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
                zorder=order,
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

    def name(self, point: Named, box: Box, mark: str, weight: str = "normal") -> None:
        """A name in the place that was found for it, and a thin line to its point where it stands away from it."""
        near = (min(max(point.x, box.left), box.right), min(max(point.y, box.bottom), box.top))
        if abs(near[0] - point.x) + abs(near[1] - point.y) > point.reach + 4:
            self.lines([[(point.x, point.y), near]], GREY, "leader", thick=0.4, order=1.5)
        x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        self.text(x, y, point.text, mark, va="center_baseline", fontsize=SMALL, fontweight=weight)

    def _id(self, mark: str) -> str:
        """An id may stand once: the second group of a name is called NAME.2."""
        self._marks[mark] += 1
        count = self._marks[mark]
        return mark if count == 1 else f"{mark}.{count}"

    def drawn(self, name: str) -> str:
        """The picture as SVG, cut around what was drawn."""
        return svg(self.figure, name)

    def steps(self, x: float, ticks: Sequence[tuple[float, str]], words: str, middle: float) -> None:
        """An axis at the left: numbers at heights, and what they are."""
        for height, number in ticks:
            self.lines([[(x - 3, height), (x, height)]], GREY, "tick", thick=0.6)
            self.text(x - 5, height, number, ha="right", va="center_baseline")
        self.text(x - 26, middle, words, rotation=90, color=INK)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, at most so many, at even steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power: float = 10.0 ** floor(log10(rough))
    step = next(nice * power for nice in NICE if nice * power >= rough * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]
