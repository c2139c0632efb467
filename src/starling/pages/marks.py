"""Pictures as text: a sheet that is drawn on by a few marks, and written as SVG or as a figure of Matplotlib.

An SVG has letters, its title for those who do not see it, and no script, style or outside reference. Every mark has its colour twice: in
itself, for a picture that stands alone, and as the name of a class, by which the stylesheet follows light, dark and print.
The same values give the same bytes on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from starling.pages.letters import LETTERS, printable, text_width
from starling.pages.signs import Point, sign

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAT: Final = tuple(
    f"#{''.join(f'{round(a + (b - a) * step / 9):02x}' for a, b in ((0xEC, 0x1B), (0xF3, 0x4F), (0xF9, 0x82)))}"
    for step in range(10)
)
"""Steps of shade, light to dark."""
COLOURS: Final = {
    "ink": "#1b2733",
    "muted": "#515d69",
    "faint": "#d5dbe1",
    "panel": "#f4f6f8",
    "accent": "#1f5f99",
    "second": "#4a90c8",
    "soft": "#c3d6e8",
    "warn": "#a3222c",
    "mark": "#9a5b00",
    "paper": "#ffffff",
    "none": "none",
    **{f"heat-{step}": colour for step, colour in enumerate(HEAT)},
}
"""Every colour by its name, which the stylesheet knows too."""

WIDE: Final = 380.0
"""A picture that is no wider is as wide as a phone at most, and need not scroll."""


def heat(share: float) -> str:
    """The colour of a share from 0 (light) to 1 (dark).

    >>> heat(-1.0), heat(0.5), heat(2.0)
    ('heat-0', 'heat-4', 'heat-9')
    """
    return f"heat-{round(9 * min(max(share, 0.0), 1.0))}"


def on(colour: str) -> str:
    """The colour of letters on a colour."""
    return "paper" if colour in ("accent", "ink", "heat-5", "heat-6", "heat-7", "heat-8", "heat-9") else "ink"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def corners(self) -> list[Point]:
        """Its four corners."""
        return [(self.left, self.bottom), (self.right, self.bottom), (self.right, self.top), (self.left, self.top)]


@dataclass(frozen=True, slots=True)
class Shapes:
    """Lines or polygons of one look; a pointer over them shows the lines that they say."""

    paths: Sequence[Sequence[Point]]
    fill: str = "none"
    line: str = "none"
    thick: float = 0.0
    dashed: bool = False
    alpha: float = 1.0
    closed: bool = True
    says: Sequence[str] = ()

    def svg(self, high: float) -> str:
        """One path, its y down from `high`."""
        end = "z" if self.closed else ""
        text = "".join(f"M{'L'.join(f'{_number(x)} {_number(high - y)}' for x, y in path)}{end}" for path in self.paths)
        look = _look(self.fill, self.line, self.thick, self.alpha, dashed=self.dashed)
        return f'<path d="{text}"{look}{_end(self.says)}'


@dataclass(frozen=True, slots=True)
class Circles:
    """Circles of one look."""

    places: Sequence[Point]
    radius: float
    fill: str
    line: str
    says: Sequence[str] = ()

    def svg(self, high: float) -> str:
        """One path, of arcs around each place, its y down from `high`."""
        r = _number(self.radius)
        around = f"m-{r} 0a{r} {r} 0 1 0 {_number(2 * self.radius)} 0a{r} {r} 0 1 0 -{_number(2 * self.radius)} 0"
        text = "".join(f"M{_number(x)} {_number(high - y)}{around}" for x, y in self.places)
        return f'<path d="{text}"{_look(self.fill, self.line, _EDGE)}{_end(self.says)}'


@dataclass(frozen=True, slots=True)
class Text:
    """Words at a place; `anchor` is "start", "middle" or "end"."""

    x: float
    y: float
    words: str
    size: float = LETTERS
    colour: str = "ink"
    anchor: str = "middle"
    bold: bool = False
    upright: bool = False

    def box(self) -> Box:
        """About where it lies."""
        wide, high = text_width(self.words, self.size) * (1.08 if self.bold else 1.0), self.size
        if self.upright:
            back = {"start": 0.0, "middle": wide / 2, "end": wide}[self.anchor]
            return Box(self.x - high / 2, self.y - back, self.x + high / 2, self.y - back + wide)
        left = self.x - {"start": 0.0, "middle": wide / 2, "end": wide}[self.anchor]
        return Box(left, self.y - high / 2, left + wide, self.y + high / 2)

    def svg(self, high: float) -> str:
        """One element; letters stand around its y."""
        x, y = _number(self.x), _number(high - self.y)
        turned = f' transform="rotate(-90 {x} {y})"' if self.upright else ""
        bold = ' font-weight="bold"' if self.bold else ""
        place = f'x="{x}" y="{y}" dy="0.35em" text-anchor="{self.anchor}" font-size="{_number(self.size)}"'
        return f"<text {place}{bold}{turned}{_look(self.colour)}>{escape(printable(self.words))}</text>"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend.

    Attributes:
        sign: A sign of `Sheet.dots`, "box" for a filled one, "|" for a bar, "+" for a bar that goes through an axis, "-" for a line,
            "/" for a hatched cell, "absent" for an empty one.
        colour: The colour of the sign.
        words: What it says.
        hollow: Whether the sign is.
    """

    sign: str
    colour: str
    words: str
    hollow: bool = False


_EDGE: Final = 0.9
"""How thick the edge of a sign is."""
_KEY: Final = 11.0
"""What the sign of a legend takes."""


class Sheet:
    """An empty sheet; nothing that is drawn outside of it is cut off.

    Args:
        wide: It goes from 0 to here.
        low: Its lower edge.
        high: Its upper edge.

    Attributes:
        wide: Where its right edge was laid out.
        high: Where its upper edge was.
    """

    def __init__(self, wide: float, low: float, high: float) -> None:
        self.wide, self.high = wide, high
        self._box = Box(0.0, low, wide, high)
        self._marks: list[tuple[float, str, Shapes | Circles | Text]] = []

    def _add(self, drawn: Shapes | Circles | Text, box: Box, mark: str, order: float) -> None:
        self._marks.append((order, mark, drawn))
        now = self._box
        ends = (min(now.left, box.left), min(now.bottom, box.bottom), max(now.right, box.right), max(now.top, box.top))
        self._box = Box(*ends)

    def shapes(
        self,
        paths: Sequence[Sequence[Point]],
        fill: str = "none",
        line: str = "none",
        mark: str = "",
        *,
        thick: float = 0.5,
        order: float = 1.0,
        **look: Any,
    ) -> None:
        """Polygons, filled, with an edge, or both; in one element that is called `mark`; `look` as further fields of `Shapes`."""
        if paths := [path for path in paths if path]:
            box = _around([point for path in paths for point in path], thick / 2)
            self._add(Shapes(paths, fill, line, thick, **look), box, mark, order)

    def bars(self, boxes: Sequence[Box], fill: str, mark: str = "", *, alpha: float = 1.0, order: float = 1.0) -> None:
        """Filled rectangles."""
        self.shapes([box.corners for box in boxes], fill, mark=mark, alpha=alpha, thick=0.0, order=order)

    def lines(
        self,
        lines: Sequence[Sequence[Point]],
        line: str,
        mark: str = "",
        *,
        thick: float = 0.7,
        order: float = 2.0,
        **look: Any,
    ) -> None:
        """Lines through points; `look` as of `shapes`."""
        self.shapes(lines, "none", line, mark, thick=thick, order=order, closed=False, **look)

    def dots(
        self,
        places: Sequence[Point],
        kind: str,
        colour: str,
        mark: str = "",
        *,
        size: float = 4.6,
        hollow: bool = False,
        says: Sequence[str] = (),
    ) -> None:
        """Signs of one kind: "o", or as of `sign`."""
        fill = "none" if kind == "x" else "paper" if hollow else colour
        if kind == "o" and places:
            self._add(Circles(places, size / 2, fill, colour, says), _around(places, size / 2), mark, 4.0)
        else:
            signs = [sign(kind, x, y, size) for x, y in places]
            self.shapes(signs, fill, colour, mark, thick=_EDGE, order=4.0, says=says)

    def text(self, x: float, y: float, words: str, mark: str = "", **look: Any) -> None:
        """Words as they are; `look` as the fields of `Text`."""
        written = Text(x, y, words, **look)
        self._add(written, written.box(), mark, 5.0)

    def legend(self, x: float, y: float, wide: float, entries: Sequence[Entry], *, upwards: bool = True) -> None:
        """Signs with their words, in rows; the last of them at y, or the first when they go down."""
        rows: list[list[tuple[float, Entry]]] = [[]]
        left = x
        for entry in entries:
            room = _KEY + text_width(entry.words, LETTERS) + 10
            if rows[-1] and left + room > x + wide:
                rows.append([])
                left = x
            rows[-1].append((left, entry))
            left += room
        highest = y + 13 * (len(rows) - 1) if upwards else y
        for number, row in enumerate(rows):
            for left, entry in row:
                self._key(left, highest - 13 * number, entry)
                self.text(left + _KEY, highest - 13 * number, entry.words, anchor="start")

    def _key(self, x: float, y: float, entry: Entry) -> None:
        middle = x + 3.5
        if entry.sign == "box":
            self.dots([(middle, y)], "s", entry.colour, "key", size=8.4)
        elif entry.sign == "absent":
            self.shapes([sign("D", middle, y, 7)], "paper", entry.colour, "key")
            self.dots([(middle, y)], "x", entry.colour, "key", size=2)
        elif entry.sign in "|+":
            self.lines([[(middle, y - 4), (middle, y + 4)]], entry.colour, "key", thick=1.0)
            if entry.sign == "+":
                self.lines([[(x - 0.5, y - 2), (x + 7.5, y - 2)]], "muted", "key")
        elif entry.sign in "-/":
            rise = 3.5 if entry.sign == "/" else 0.0
            self.lines([[(x, y - rise), (x + 7, y + rise)]], entry.colour, "key", thick=1.0)
        else:
            self.dots([(middle, y)], entry.sign, entry.colour, "key", hollow=entry.hollow)

    def whiskers(
        self, bars: Sequence[tuple[float, float, float]], colour: str, mark: str = "", *, thick: float = 0.7
    ) -> list[Box]:
        """Intervals at x from low to high; the boxes around them."""
        self.lines([[(x, low), (x, high)] for x, low, high in bars], colour, mark, thick=thick)
        return [Box(x - 1, low, x + 1, high) for x, low, high in bars]

    def numbers_below(self, y: float, ticks: Sequence[tuple[float, str]], words: str = "", middle: float = 0.0) -> None:
        """Numbers at an axis below a panel, and what they are."""
        self.lines([[(x, y), (x, y - 3)] for x, _ in ticks], "muted", "ticks", thick=0.6)
        for x, number in ticks:
            self.text(x, y - 9, number)
        if words:
            self.text(middle, y - 22, words, colour="muted")

    def numbers_left(self, x: float, ticks: Sequence[tuple[float, str]], words: str, middle: float) -> None:
        """Numbers at heights of an axis at the left, and what they are."""
        self.lines([[(x - 3, height), (x, height)] for height, _ in ticks], "muted", "ticks", thick=0.6)
        for height, number in ticks:
            self.text(x - 5, height, number, anchor="end")
        room = max((text_width(number, LETTERS) for _, number in ticks), default=0.0)
        self.text(x - 14 - room, middle, words, upright=True, colour="muted")

    def _ordered(self) -> list[tuple[str, Shapes | Circles | Text]]:
        return [(mark, drawn) for _, mark, drawn in sorted(self._marks, key=lambda one: one[0])]

    def svg(self, name: str, title: str, *, scrolls: bool = False) -> str:
        """The picture, cut around what was drawn.

        Args:
            name: Letters that set the picture's inner names apart from those of other pictures of a page.
            title: What it is, for those who do not see it.
            scrolls: Whether it keeps its size on a narrow screen, and scrolls.
        """
        box, written, counts = self._box, [], dict[str, int]()
        for mark, drawn in self._ordered():
            text = drawn.svg(box.top)
            if mark:
                counts[mark] = count = counts.get(mark, 0) + 1
                called = mark if count == 1 else f"{mark}.{count}"
                text = text.replace(" ", f' id="{f"{name}-{called}"}" ', 1)
            written.append(text)
        edges = (box.left - 2, -2.0, box.right - box.left + 4, box.top - box.bottom + 4)
        size = f'viewBox="{" ".join(map(_number, edges))}" width="{_number(edges[2] * 1.35)}"'
        kind = ' class="fixed"' if scrolls and edges[2] > WIDE else ""
        family = 'font-family="system-ui, DejaVu Sans, sans-serif"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"{kind} {family}>'
        return "\n".join((head, f"<title>{escape(printable(' '.join(title.split())))}</title>", *written, "</svg>"))

    def figure(self) -> "Figure":
        """The picture as a figure of Matplotlib, to be changed or saved in another format; its axes are in points."""
        from matplotlib.figure import Figure
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        box = self._box
        figure = Figure(figsize=((box.right - box.left) / 72, (box.top - box.bottom) / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(box.left, box.right)
        axes.set_ylim(box.bottom, box.top)
        look: dict[str, Any]
        for mark, drawn in self._ordered():
            if isinstance(drawn, Text):
                ha: Any = {"start": "left", "middle": "center", "end": "right"}[drawn.anchor]
                look = {"color": COLOURS[drawn.colour], "fontsize": drawn.size, "parse_math": False}
                weight, turned = "bold" if drawn.bold else "normal", 90 if drawn.upright else 0
                axes.text(drawn.x, drawn.y, drawn.words, ha=ha, va="center", weight=weight, rotation=turned, **look)
                continue
            if isinstance(drawn, Circles):
                outlines = [Path.circle(place, drawn.radius) for place in drawn.places]
                look = {"linewidth": _EDGE}
            else:
                closed = drawn.closed
                outlines = [Path([*path, path[0]] if closed else [*path], closed=closed) for path in drawn.paths]
                dashes = (0, (4, 2.5)) if drawn.dashed else "solid"
                look = {"linewidth": drawn.thick, "linestyle": dashes, "alpha": drawn.alpha}
            colours = {"facecolor": COLOURS[drawn.fill], "edgecolor": COLOURS[drawn.line]}
            axes.add_patch(PathPatch(Path.make_compound_path(*outlines), gid=mark, **colours, **look))
        return figure


def _around(points: Sequence[Point], room: float) -> Box:
    xs, ys = zip(*points, strict=True)
    return Box(min(xs) - room, min(ys) - room, max(xs) + room, max(ys) + room)


def _end(says: Sequence[str]) -> str:
    """The end of an element, which has the lines that it says in it."""
    lines = "\n".join(escape(printable(each)) for each in says)
    return f"><title>{lines}</title></path>" if says else "/>"


def _look(fill: str, line: str = "none", thick: float = 0.0, alpha: float = 1.0, *, dashed: bool = False) -> str:
    """The attributes of a mark's look."""
    classes = [f"fill-{fill}"] * (fill != "none") + [f"line-{line}"] * (line != "none")
    text = f' class="{" ".join(classes)}" fill="{COLOURS[fill]}"'
    if line != "none":
        text += f' stroke="{COLOURS[line]}" stroke-width="{_number(thick)}"'
    if dashed:
        text += ' stroke-dasharray="4 2.5"'
    return text + (f' opacity="{_number(alpha)}"' if alpha != 1 else "")


def _number(value: float) -> str:
    """A number with at most three decimals.

    >>> _number(1.0), _number(-0.0001), _number(12.3456)
    ('1', '0', '12.346')
    """
    return f"{value:z.3f}".rstrip("0").rstrip(".")
