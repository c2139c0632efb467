"""Pictures of released values as SVG text to stand in a page: no script, no font, no outside reference.

Letters are drawn as outlines, so that a picture looks the same everywhere; the page beside it says the same in words and tables.
One blue, one grey, and steps of the blue: legible in print and for colour-blind readers.
"""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Final

from starling.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

INK: Final = "#1b2733"
GREY: Final = "#8a97a5"
LINE: Final = "#d9dfe5"
BLUE: Final = "#1f5f99"
RED: Final = "#a3222c"
STEPS: Final = ("#c9d2da", "#d3e4f3", "#94c1e3", "#4a90c8", "#1b4f82")
"""Light to dark; the first, grey, is for what has no order."""

WIDTH: Final = 6.4
"""Inches of a chart without its labels."""

NARROW: Final = 3.2
"""Inches of a chart without its labels, where long labels stand beside the chart."""

ROW: Final = 0.36
"""Inches of a row of a chart."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One square of a grid of tiles.

    Attributes:
        label: Shown in it.
        shade: 0 (light) to 1 (dark).
    """

    label: str
    shade: float


def relative_shade(part: float) -> float:
    """Shade of an error that is this part of the size it stands beside: three decades from light to dark, 0.1 % to 100 %.

    >>> relative_shade(0.0001), round(relative_shade(0.01), 3), relative_shade(7.0)
    (0.0, 0.333, 1.0)
    """
    return min(max((log10(max(part, 1e-3)) + 3) / 3, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """One line of a chart of intervals.

    Attributes:
        label: At the left.
        note: At the right.
        below: Distance from the value to the lower end, in the unit of the axis.
        above: The distance to the upper end.
    """

    label: str
    note: str
    below: float
    above: float


@contextmanager
def drawing() -> Iterator[None]:
    """Matplotlib as it comes, whatever the program around has set, and such that a picture has the same bytes each time."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.hashsalt": "starling", "svg.fonttype": "path", "font.family": "DejaVu Sans"})
        yield


def check() -> None:
    """Draw something, before a charge: what Matplotlib reads and keeps (settings, a list of fonts) is opened then.

    Raises:
        OutputError: it cannot draw here.
    """
    try:
        tiles([""], [""], [[Tile("1", 1)]], "", "check")
    except (OSError, ValueError, RuntimeError, ImportError):
        fix = "see that Matplotlib starts here: its settings (matplotlibrc), its folder (MPLCONFIGDIR)"
        raise OutputError("report", "cannot have pictures here", fix) from None


@drawing()
def tiles(
    rows: Sequence[str],
    columns: Sequence[str],
    grid: Sequence[Sequence[Tile | None]],
    axis: str,
    name: str,
    mark: str = "",
) -> str:
    """A table whose squares are shaded; None is an empty square.

    Args:
        rows: Labels, top to bottom.
        columns: Labels, left to right.
        grid: One sequence for each row, as long as `columns`.
        axis: What the columns are.
        name: Letters that set the picture's inner names apart from those of other pictures of a page.
        mark: Stands in the picture itself, above it, so that it goes wherever the picture goes.
    """
    figure, axes = _chart(rows, axis)
    axes.set_title(mark, loc="left", color=RED, fontsize=8.5, fontweight="bold")
    for row, line in enumerate(grid):
        for column, tile in enumerate(line):
            if tile is not None:
                # The square is blended from near white to the blue; its text turns white where it is dark.
                axes.add_patch(_rectangle(column + 0.02, row + 0.06, 0.96, 0.88, blend(tile.shade)))
                _write(axes, column + 0.5, row, _plain(tile.label), on_dark=tile.shade > 0.55)
    axes.set_xlim(0, len(columns))
    axes.set_xticks([column + 0.5 for column in range(len(columns))], columns)
    return svg(figure, name)


@drawing()
def shares(rows: Sequence[str], kinds: Sequence[str], counts: Sequence[Sequence[int]], name: str) -> str:
    """Bars of equal length, split by kind, with the shares written where there is room.

    Args:
        rows: Labels, top to bottom.
        kinds: Names of the parts, left to right; at most as many as STEPS.
        counts: One sequence for each row, as long as `kinds`; a row of zeros is left empty.
        name: As for `tiles`.
    """
    figure, axes = _chart(rows, "percent of the groups of a level")
    for row, line in enumerate(counts):
        left, whole = 0.0, max(sum(line), 1)
        for colour, count in zip(STEPS, line, strict=False):
            share = 100 * count / whole
            axes.barh(row + 0.5, share, left=left, height=0.76, color=colour, linewidth=0)
            if share >= 6:
                _write(axes, left + share / 2, row, f"{share:.0f} %", on_dark=colour in STEPS[3:])
            left += share
    axes.set_xlim(0, 100)
    handles = [_rectangle(0, 0, 1, 1, colour) for colour, _ in zip(STEPS, kinds, strict=False)]
    place = (0, 1)
    axes.legend(
        handles,
        kinds,
        ncols=len(kinds),
        loc="lower left",
        bbox_to_anchor=place,
        frameon=False,
        fontsize=8.5,
        handlelength=1,
    )
    return svg(figure, name)


@drawing()
def intervals(lines: Sequence[Interval], axis: str, name: str) -> str:
    """A dot with whiskers for each line, all dots at 0.

    Args:
        lines: Top to bottom.
        axis: What the whiskers measure.
        name: As for `tiles`.
    """
    figure, axes = _chart([line.label for line in lines], axis, NARROW)
    reach = max((max(line.below, line.above) for line in lines), default=1.0) * 1.08 or 1.0
    for row, line in enumerate(lines):
        ends, middle = [-line.below, line.above], row + 0.5
        axes.plot(ends, [middle, middle], color=BLUE, linewidth=5, solid_capstyle="butt", alpha=0.45)
        axes.plot([0], [middle], marker="o", markersize=5, color=BLUE)
        place = (1.015, middle)
        axes.annotate(
            _plain(line.note), place, xycoords=("axes fraction", "data"), va="center", fontsize=8.5, color=INK
        )
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    axes.set_xlim(-reach, reach)
    return svg(figure, name)


def _plain(label: str) -> str:
    """A label whose dollar signs are dollar signs; between two of them Matplotlib would read a formula."""
    return label.replace("$", r"\$")


def _chart(labels: Sequence[str], axis: str, width: float = WIDTH) -> "tuple[Figure, Axes]":
    """An empty chart with a row for each label, top to bottom."""
    from matplotlib.figure import Figure

    # The chart fills the figure; its labels lie outside, and the picture is cut around them when it is written.
    figure = Figure(figsize=(width, ROW * max(len(labels), 1)))
    axes = figure.add_axes((0, 0, 1, 1))
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0, labelsize=8.5, colors=INK)
    axes.xaxis.label.set(color=GREY, fontsize=8.5)
    axes.set_ylim(len(labels), 0)
    axes.set_yticks([row + 0.5 for row in range(len(labels))], [_plain(label) for label in labels])
    axes.set_xlabel(axis)
    return figure, axes


def _write(axes: "Axes", x: float, row: int, text: str, *, on_dark: bool) -> None:
    """Centred text in a row of a chart."""
    axes.text(x, row + 0.5, text, ha="center", va="center", color="white" if on_dark else INK, fontsize=8.5)


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> "Rectangle":
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, facecolor=colour, linewidth=0)


def blend(shade: float) -> str:
    """A colour between near white and the darkest blue."""
    light, dark = (0xEC, 0xF3, 0xF9), (0x1B, 0x4F, 0x82)
    parts = [round(a + (b - a) * min(max(shade, 0.0), 1.0)) for a, b in zip(light, dark, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def svg(figure: "Figure", name: str) -> str:
    """The picture alone: no XML head, date or comments, and the same text for the same picture made within `drawing`."""
    buffer = io.StringIO()
    with drawing():
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # An id may stand once in a page; glyphs and clips are referred to by theirs.
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    return re.sub(r"\n\s*", "\n", text)
