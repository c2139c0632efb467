"""A panel of p-values along a view of the genome: points, intervals, threshold, names, and the lanes below."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log10
from typing import Final

from starling.genome.pictures.answers import Answers, PValue, SnpRange
from starling.genome.pictures.sheet import FACE, SMALL, Box, Named, Sheet, placed, short, ticks
from starling.genome.pictures.view import View
from starling.release.report.pictures import BLUE, GREY, INK, RED, STEPS

LANE: Final = 11.0
"""Points from one lane to the next."""
NAMED: Final = 20
"""So many points are all named; of more only those at or beyond the threshold, and at least the FEWEST smallest p-values."""
FEWEST: Final = 3
MOST_NAMED: Final = 60
"""Even then."""
SHADES: Final = (BLUE, STEPS[3])
"""The colours of chromosomes in turn."""
BLOCK: Final = "#b7791f"
SIGNS: Final = {"g": "o", "chi2": "s", "fisher": "D", "logistic": "p", "wald": "h"}
"""The sign of each test, where there are several."""
_AXIS: Final = 5.0
"""Points from the axis to the first lane: an interval that reaches p = 1 goes on a little below the axis."""
_THROUGH: Final = 3.5
_RUN: Final = 0.75
"""Points; SNPs of the list that stand closer are one run of its lane."""
_HALF: Final = 2.6
"""Points; half of a sign."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Where it lies on the sheet, and what it shows.

    Attributes:
        answers: All of them; what is outside of the view is left out.
        view: The part of the genome that is shown.
        x: Its left edge, in points.
        y: Where p = 1 is.
        high: Points from there to its upper edge.
        top: -log10 p at the upper edge; 0 for a panel without p-values.
        name: Begins the names of its groups.
    """

    answers: Answers
    view: View
    x: float
    y: float
    high: float
    top: float
    name: str

    @property
    def right(self) -> float:
        """The right edge of the panel."""
        return self.x + self.view.width

    @property
    def floor(self) -> float:
        """Below its lowest lane."""
        return self.y - _AXIS - LANE * len(lanes(self.answers))

    def lane(self, title: str) -> float:
        """The middle of one of its lanes."""
        return self.y - _AXIS - LANE * (list(lanes(self.answers)).index(title) + 0.5)

    def height(self, log10_p: float) -> float:
        """The height of a p-value; what is beyond the top stands at the top."""
        return self.y + self.high * min(-log10_p, self.top) / self.top

    def at(self, snp: str) -> float | None:
        """Where a SNP stands; None outside of the view."""
        place = self.view.of(snp)
        return None if place is None else self.x + place

    def points(self) -> list[tuple[PValue, float, float]]:
        """The p-values of the view with x and y, in the order of the answers; those of one SNP stand beside one another."""
        points = []
        before: dict[str, int] = {}
        for each in self.answers.p_values:
            if (x := self.at(each.snp)) is not None:
                count = before.setdefault(each.snp, 0)
                points.append((each, x + 3.2 * count, self.height(each.log10_p)))
                before[each.snp] += 1
        return points

    def located(self) -> list[tuple[str, float]]:
        """The SNPs of the view that have no p-value, with x."""
        return [(snp, x) for snp in self.answers.only_located if (x := self.at(snp)) is not None]

    def _ends(self) -> list[tuple[SnpRange, float, float]]:
        """The blocks of the view with the x of their first and last SNP."""
        return [
            (block, first, last)
            for block in self.answers.blocks
            if (first := self.at(block.first)) is not None and (last := self.at(block.last)) is not None
        ]

    def blocks(self) -> list[tuple[str, float]]:
        """The blocks of the view by their ends, with the x of the middle."""
        return [
            (" to ".join(dict.fromkeys((short(block.first), short(block.last)))), (first + last) / 2)
            for block, first, last in self._ends()
        ]

    def spans(self, least: float = 2.0) -> list[tuple[float, float]]:
        """Left and right end of each block in the view, at least so many points apart."""
        spare = [(first, last, max(0.0, least - (last - first)) / 2) for _, first, last in self._ends()]
        return [(first - room, last + room) for first, last, room in spare]


def sure(answers: Answers, each: PValue) -> bool:
    """Whether the whole interval lies at or below alpha/m."""
    return each.high <= log10(float(answers.threshold))


def beyond(answers: Answers, each: PValue) -> bool:
    """Whether the estimate does."""
    return each.log10_p <= log10(float(answers.threshold))


def lanes(answers: Answers) -> dict[str, Callable[[Sheet, Panel, float], None]]:
    """What stands below the axis, downwards: its name, and how it is drawn at a height."""
    drawn_by: dict[str, Callable[[Sheet, Panel, float], None]] = {}
    if answers.only_located:
        drawn_by["located"] = _located
    if answers.blocks:
        drawn_by["blocks"] = _blocks
    return drawn_by | {"SNP list": _listed}


def draw(sheet: Sheet, panel: Panel, letters: Mapping[str, str], *, titled: bool) -> None:
    """A panel with its lanes.

    Args:
        sheet: On which.
        panel: What and where.
        letters: The letters of the SNPs that are shown once more.
        titled: With numbers and titles at its left.
    """
    grey = [
        Box(panel.x + part.left, panel.floor, panel.x + part.right, panel.y + panel.high)
        for number, part in enumerate(panel.view.parts)
        if number % 2
    ]
    sheet.bars(grey, FACE, f"{panel.name}-shades", order=0)
    spans = [Box(left, panel.y, right, panel.y + panel.high) for left, right in panel.spans()]
    sheet.bars(spans, BLOCK, f"{panel.name}-spans", alpha=0.16, order=0.5)
    sheet.lines([[(panel.x, panel.y), (panel.right, panel.y)]], GREY, f"{panel.name}-one")
    for title, lane in lanes(panel.answers).items():
        middle = panel.lane(title)
        lane(sheet, panel, middle)
        if titled:
            sheet.text(panel.x - 5, middle, title, ha="right", va="center_baseline", fontsize=SMALL, color=GREY)
    bars = _axis(sheet, panel, titled=titled) + _points(sheet, panel) if panel.top else []
    _names(sheet, panel, letters, bars)


def _axis(sheet: Sheet, panel: Panel, *, titled: bool) -> list[Box]:
    """Threshold and left edge; the box of the threshold."""
    limit = panel.height(log10(float(panel.answers.threshold)))
    sheet.lines([[(panel.x, limit), (panel.right, limit)]], RED, f"{panel.name}-threshold", dashed=True, thick=0.9)
    sheet.lines([[(panel.x, panel.y), (panel.x, panel.y + panel.high)]], GREY, f"{panel.name}-edge")
    if titled:
        heights = [(panel.height(-value), f"{value:g}") for value in ticks(0, panel.top, 6)]
        sheet.steps(panel.x, heights, "−log₁₀ p", panel.y + panel.high / 2)
    return [Box(panel.x, limit - 0.5, panel.right, limit + 0.5)]


def _points(sheet: Sheet, panel: Panel) -> list[Box]:
    """P-values with their intervals; the boxes of the intervals."""
    several = len({each.test for each in panel.answers.p_values}) > 1

    def kind(item: tuple[PValue, float, float]) -> tuple[int, str, bool]:
        return panel.view.number(item[0].snp) % 2, item[0].test, sure(panel.answers, item[0])

    bars: list[Box] = []
    for (shade, test, whole), group in groupby(sorted(panel.points(), key=kind), key=kind):
        items, colour = list(group), SHADES[shade]
        mark = f"{panel.name}-{shade}-{test}-{'sure' if whole else 'open'}"
        ends = [
            (x, panel.height(each.high) - (_THROUGH if each.high >= 0 else 0), panel.height(each.low))
            for each, x, _ in items
        ]
        sheet.lines([[(x, low), (x, high)] for x, low, high in ends], colour, f"bars-{mark}", thick=0.8)
        dots = [(x, y) for _, x, y in items]
        sheet.dots(dots, SIGNS[test] if several else "o", colour, f"points-{mark}", hollow=not whole)
        off = [(x, panel.y + panel.high) for each, x, _ in items if -each.low > panel.top]
        sheet.dots(off, "^", colour, f"beyond-{mark}", size=3.6)
        bars += [Box(x - 1, low, x + 1, high) for x, low, high in ends]
    return bars


def _names(sheet: Sheet, panel: Panel, letters: Mapping[str, str], bars: Sequence[Box]) -> None:
    """Names of the points that matter most; SNPs that are shown once more have one letter together."""
    points = panel.points() if panel.top else []
    located = [(snp, x, panel.lane("located")) for snp, x in panel.located()]
    ordered = sorted(points, key=lambda point: point[0].log10_p)
    far = sum(beyond(panel.answers, each) for each, _, _ in ordered)
    rest = NAMED if len(points) <= NAMED else max(FEWEST, far)
    wanted: dict[str, Named] = {}
    for snp, x, y in (
        *((each.snp, x, y) for each, x, y in ordered[:far]),
        *located,
        *((each.snp, x, y) for each, x, y in ordered[far:rest]),
    ):
        text = letters.get(snp, short(snp))
        wanted.setdefault(letters.get(snp, f"name {snp}"), Named(x, y, text, _HALF))
    if not panel.top:
        wanted |= {f"block {text}": Named(x, panel.lane("blocks"), text, _HALF) for text, x in panel.blocks()}
    signs = [_sign(x, y) for _, x, y in (*points, *located)]
    room = Box(panel.x + 1, panel.y + 2, panel.right, panel.y + panel.high + 4)
    named = list(wanted.items())[:MOST_NAMED]
    for (key, point), box in zip(named, placed([point for _, point in named], signs, bars, room, SMALL), strict=True):
        if box is not None:
            sheet.name(point, box, f"{panel.name}-name", "bold" if key == point.text else "normal")


def _sign(x: float, y: float) -> Box:
    return Box(x - _HALF, y - _HALF, x + _HALF, y + _HALF)


def _located(sheet: Sheet, panel: Panel, y: float) -> None:
    places = [(x, y) for _, x in panel.located()]
    sheet.dots(places, "d", INK, f"{panel.name}-located", size=4.6, hollow=True)


def _blocks(sheet: Sheet, panel: Panel, y: float) -> None:
    boxes = [Box(left, y - _HALF, right, y + _HALF) for left, right in panel.spans()]
    sheet.bars(boxes, BLOCK, f"{panel.name}-blocks", order=3)


def _listed(sheet: Sheet, panel: Panel, y: float) -> None:
    boxes = [
        Box(panel.x + left - 0.3, y - _HALF, panel.x + left + length + 0.3, y + _HALF)
        for left, length in panel.view.runs(_RUN)
    ]
    sheet.bars(boxes, GREY, f"{panel.name}-list", order=1)
