"""Charts of released numbers, drawn by the marks: intervals, shares, bars, band and heat cells.

Each is as narrow as a phone, so that its letters stay legible there, and is shown larger where there is room.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starling.pages.axes import labelled
from starling.pages.letters import LETTERS, shortened, text_width
from starling.pages.marks import Box, Entry, Sheet, heat, on

WIDTH: Final = 336.0
"""The width of a chart."""
_ROW: Final = 27.0
"""What a line of a chart takes: its label, and its bar below."""
_CUT: Final = "; longer intervals end above"
"""Stands beside an axis that does not reach the ends of all intervals."""
PARTS: Final = ("faint", "soft", "second", "accent", "ink")
"""Colours of the parts of a whole, light to dark."""


@dataclass(frozen=True, slots=True)
class Interval:
    """One line of a chart of intervals.

    Attributes:
        label: At the left.
        note: At the right.
        value: Where its dot is.
        low: The lower end.
        high: The upper end.
    """

    label: str
    note: str
    value: float
    low: float
    high: float


def _labelled(sheet: Sheet, row: int, label: str, note: str) -> float:
    """Label and note of a line; the middle of its bar."""
    y = -_ROW * row
    note = shortened(note, WIDTH * 0.6)
    sheet.text(0, y - 6, shortened(label, WIDTH - 8 - text_width(note, LETTERS)), anchor="start")
    if note:
        sheet.text(WIDTH, y - 6, note, anchor="end", colour="muted")
    return y - 17


def intervals(lines: Sequence[Interval], axis: str, *, around: float | None = 0.0) -> Sheet:
    """A dot with its interval for each line, on one axis.

    Args:
        lines: Top to bottom; at least one.
        axis: What the axis measures.
        around: A number that the axis holds and that is marked; None where none is meant.
    """
    ends = [end for line in lines for end in (line.low, line.high)] + ([] if around is None else [around])
    low, high = min(ends), max(ends)
    room = (high - low) * 0.04 or 1.0
    low, high = low - room, high + room
    bottom = -_ROW * len(lines)
    sheet = Sheet(WIDTH, bottom, 0)

    def at(value: float) -> float:
        return WIDTH * (value - low) / (high - low)

    if around is not None:
        sheet.lines([[(at(around), bottom), (at(around), 0)]], "faint", "around", thick=1.0, order=0)
    for row, line in enumerate(lines):
        middle = _labelled(sheet, row, line.label, line.note)
        sheet.bars([Box(at(line.low), middle - 2.5, at(line.high), middle + 2.5)], "soft", "interval")
        sheet.dots([(at(line.value), middle)], "o", "accent", "value")
    sheet.lines([[(0, bottom), (WIDTH, bottom)]], "muted", "axis")
    sheet.numbers_below(bottom, [(at(each), text) for each, text in labelled(low, high, 5)], axis, WIDTH / 2)
    return sheet


def shares(rows: Sequence[str], kinds: Sequence[str], counts: Sequence[Sequence[int]]) -> Sheet:
    """Bars of equal length, split by kind, with the shares written where there is room.

    Args:
        rows: Labels, top to bottom.
        kinds: Names of the parts, left to right; at most as many as PARTS.
        counts: One sequence for each row, as long as `kinds`; a row of zeros is left empty.
    """
    sheet = Sheet(WIDTH, -_ROW * len(rows), 0)
    sheet.legend(0, 14, WIDTH, [Entry("box", colour, kind) for kind, colour in zip(kinds, PARTS, strict=False)])
    for row, (label, line) in enumerate(zip(rows, counts, strict=True)):
        middle = _labelled(sheet, row, label, f"{sum(line):,}")
        left = 0.0
        for colour, count in zip(PARTS, line, strict=False):
            wide = WIDTH * count / max(sum(line), 1)
            if wide:
                sheet.bars([Box(left, middle - 6, left + wide, middle + 6)], colour, "share")
            if wide >= 26:
                words = f"{100 * count / sum(line):z.0f} %"
                sheet.text(left + wide / 2, middle, words, colour=on(colour))
            left += wide
    return sheet


def bars(
    values: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
    axis: str,
    counted: str,
    labels: Sequence[str] | None = None,
) -> Sheet:
    """A bar with its interval for each number, side by side.

    Args:
        values: At least one; the labels of the bars are their numbers from 0, unless others are given.
        lower: The lower end of the interval of each.
        upper: The upper ends.
        axis: What stands along the axis.
        counted: What the bars count.
        labels: Names of the bars.
    """
    high = 130.0
    top = (
        1.08 * max(*values, min(max(upper), 2 * max(*values, 0.0)), 1.0) if len(values) > 1 else 1.08 * max(upper[0], 1)
    )
    step = WIDTH / len(values)
    sheet = Sheet(WIDTH, 0, high)

    def at(value: float) -> float:
        return high * min(max(value, 0.0), top) / top

    sheet.bars(
        [Box((at_ + 0.15) * step, 0, (at_ + 0.85) * step, at(value)) for at_, value in enumerate(values)],
        "soft",
        "bars",
    )
    ends = [((number + 0.5) * step, at(low), at(up)) for number, (low, up) in enumerate(zip(lower, upper, strict=True))]
    sheet.whiskers(ends, "accent", "intervals", thick=min(2.4, max(step / 3, 0.8)))
    sheet.lines([[(0, 0), (WIDTH, 0)]], "muted", "axis")
    names = labels or [f"{number:,}" for number in range(len(values))]
    room = max(text_width(name, LETTERS) for name in names) + 8
    every = max(1, -(-int(room) // max(int(step), 1)))
    below = [((number + 0.5) * step, name) for number, name in enumerate(names) if number % every == 0]
    sheet.numbers_below(0, below, axis, WIDTH / 2)
    counted += _CUT if max(upper) > top else ""
    sheet.numbers_left(0, [(at(each), text) for each, text in labelled(0, top, 5)], counted, high / 2)
    return sheet


def band(
    at: Sequence[float],
    values: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
    axis: str,
    counted: str,
) -> Sheet:
    """A line through numbers within the band of their intervals; arguments as of `bars`, at the places `at` of the axis."""
    high = 130.0
    top = 1.05 * max(*values, 1.0)
    first, last = at[0], max(at[-1], at[0] + 1)
    sheet = Sheet(WIDTH, 0, high)

    def place(x: float, value: float) -> tuple[float, float]:
        return WIDTH * (x - first) / (last - first), high * min(max(value, 0.0), top) / top

    edge = [place(x, low) for x, low in zip(at, lower, strict=True)]
    edge += [place(x, up) for x, up in zip(reversed(at), reversed(upper), strict=True)]
    sheet.shapes([edge], "soft", mark="band")
    sheet.lines([[place(x, value) for x, value in zip(at, values, strict=True)]], "accent", "values", thick=1.2)
    sheet.lines([[(0, 0), (WIDTH, 0)]], "muted", "axis")
    sheet.numbers_below(0, [(place(each, 0)[0], text) for each, text in labelled(first, last, 6)], axis, WIDTH / 2)
    counted += _CUT if max(upper) > top else ""
    sheet.numbers_left(0, [(place(first, each)[1], text) for each, text in labelled(0, top, 5)], counted, high / 2)
    return sheet


def cells(
    grid: Sequence[Sequence[float]],
    top: float,
    box: tuple[float, float, float, float],
    aspect: float,
    words: tuple[str, str, str],
    hatched: Sequence[tuple[int, int]] | None = None,
) -> Sheet:
    """A grid of shaded cells within its axes, the first row at the bottom.

    Args:
        grid: Numbers of the cells, by rows.
        top: The number from which on cells are darkest.
        box: West, south, east and north end.
        aspect: How wide a cell is for its height.
        words: What stands at the axes to the right and upwards, and what the cells count.
        hatched: Rows and columns of cells of which nothing can be said; None where that is not known.
    """
    wide = 280.0
    step = wide / len(grid[0])
    rise = min(step / aspect, 400.0 / len(grid))
    step = rise * aspect
    wide, high = step * len(grid[0]), rise * len(grid)
    sheet = Sheet(wide, 0, high)
    by_colour: dict[str, list[Box]] = {}
    for row, line in enumerate(grid):
        begin = 0
        for column in range(1, len(line) + 1):
            colour = heat(line[begin] / top)
            if column == len(line) or heat(line[column] / top) != colour:
                run = Box(begin * step, row * rise, column * step, (row + 1) * rise)
                by_colour.setdefault(colour, []).append(run)
                begin = column
    for colour in sorted(by_colour):
        sheet.bars(by_colour[colour], colour, "cells")
    frame(sheet, box, words[:2])
    middle, most = (f"{each:z,.0f}" if each >= 1000 else f"{each:z.4g}" for each in (top / 2, top))
    least = "0 or less" if min(map(min, grid)) < 0 else "0"
    keys = (("heat-0", least), (heat(0.5), middle), ("heat-9", f"{most} or more {words[2]}"))
    entries = [Entry("box", colour, text) for colour, text in keys]
    if hatched:
        runs = _diagonals(hatched)
        sheet.lines(
            [[(x0 * step, y0 * rise), (x1 * step, y1 * rise)] for x0, y0, x1, y1 in runs], "muted", "hatched", thick=0.4
        )
        entries.append(Entry("/", "muted", "there may be none"))
    sheet.legend(0, high + 12, wide, entries)
    return sheet


def frame(sheet: Sheet, box: tuple[float, float, float, float], words: tuple[str, str]) -> None:
    """An edge around a sheet that begins at 0, with the numbers of a map at its axes.

    Args:
        sheet: Is drawn on.
        box: West, south, east and north end.
        words: What stands at the axes to the right and upwards.
    """
    west, south, east, north = box
    wide, high = sheet.wide, sheet.high
    sheet.shapes([Box(0, 0, wide, high).corners], line="muted", mark="edge", thick=0.7)
    across = [(wide * (each - west) / (east - west), text) for each, text in labelled(west, east, 4)]
    sheet.numbers_below(0, across, words[0], wide / 2)
    up = [(high * (each - south) / (north - south), text) for each, text in labelled(south, north, 4)]
    sheet.numbers_left(0, up, words[1], high / 2)


def _diagonals(cells: Sequence[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """A line from the lower left to the upper right corner of each cell, those that follow each other as one: x0, y0, x1, y1.

    >>> _diagonals([(0, 0), (1, 1), (1, 0)])
    [(0, 0, 2, 2), (0, 1, 1, 2)]
    """
    left = set(cells)
    lines = []
    for row, column in sorted(cells):
        if (row - 1, column - 1) not in left:
            many = 1
            while (row + many, column + many) in left:
                many += 1
            lines.append((column, row, column + many, row + many))
    return lines
