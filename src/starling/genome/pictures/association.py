"""A panel of p-values along a view of the genome: points, intervals, threshold, names, and the lanes below."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from starling.genome.pictures.answers import Answers
from starling.genome.pictures.naming import SIGN, Named, short, write_names
from starling.genome.pictures.view import View
from starling.genome.postprocess.p_values import PValue
from starling.pages.axes import labelled
from starling.pages.letters import SMALL
from starling.pages.marks import Box, Sheet

LANE: Final = 11.0
"""Points from one lane to the next."""
NAMED: Final = 20
"""So many points are all named; of more only those at or beyond the threshold, and at least the FEWEST smallest p-values."""
FEWEST: Final = 3
MOST_NAMED: Final = 60
"""Even then."""
SHADES: Final = ("accent", "second")
"""The colours of chromosomes in turn."""
SIGNS: Final = {"g": "o", "chi2": "s", "fisher": "D", "logistic": "p", "wald": "h"}
"""The sign of each test, where there are several."""
_AXIS: Final = 5.0
"""Points from the axis to the first lane: an interval that reaches p = 1 goes on a little below the axis."""
_THROUGH: Final = 3.5
_RUN: Final = 0.75
"""Points; SNPs of the list that stand closer are one run of its lane."""


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
        return self.y - _AXIS - LANE * (lanes(self.answers).index(title) + 0.5)

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
                points.append((each, x + 3.2 * count, self.height(each.log10.estimate)))
                before[each.snp] += 1
        return points

    def located(self) -> list[tuple[str, float]]:
        """The SNPs of the view that have no p-value, with x."""
        return [(snp, x) for snp in self.answers.only_located if (x := self.at(snp)) is not None]

    def _ends(self) -> list[tuple[str, str, float, float]]:
        """First and last SNP of the blocks of the view, and where these stand."""
        return [
            (first, last, left, right)
            for first, last in self.answers.blocks
            if (left := self.at(first)) is not None and (right := self.at(last)) is not None
        ]

    def blocks(self) -> list[tuple[str, float]]:
        """The blocks of the view by their ends, with the x of the middle."""
        return [
            (" to ".join(dict.fromkeys((short(first), short(last)))), (left + right) / 2)
            for first, last, left, right in self._ends()
        ]

    def spans(self) -> list[tuple[float, float]]:
        """Left and right end of each block in the view, at least two points apart."""
        spare = [(left, right, max(0.0, 2.0 - (right - left)) / 2) for _, _, left, right in self._ends()]
        return [(left - room, right + room) for left, right, room in spare]


def lanes(answers: Answers) -> list[str]:
    """What stands below the axis, downwards."""
    return ["located"] * bool(answers.only_located) + ["blocks"] * bool(answers.blocks) + ["SNP list"]


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
    sheet.bars(grey, "panel", f"{panel.name}-shades", order=0)
    spans = [Box(left, panel.y, right, panel.y + panel.high) for left, right in panel.spans()]
    sheet.bars(spans, "mark", f"{panel.name}-spans", alpha=0.16, order=0.5)
    sheet.lines([[(panel.x, panel.y), (panel.right, panel.y)]], "muted", f"{panel.name}-one")
    for title in lanes(panel.answers):
        y = panel.lane(title)
        if title == "located":
            sheet.dots([(x, y) for _, x in panel.located()], "d", "ink", f"{panel.name}-located", size=4.6, hollow=True)
        elif title == "blocks":
            boxes = [Box(left, y - SIGN, right, y + SIGN) for left, right in panel.spans()]
            sheet.bars(boxes, "mark", f"{panel.name}-blocks", order=3)
        else:
            runs = [(panel.x + left, length) for left, length in panel.view.runs(_RUN)]
            boxes = [Box(left - 0.3, y - SIGN, left + length + 0.3, y + SIGN) for left, length in runs]
            sheet.bars(boxes, "muted", f"{panel.name}-list", order=1)
        if titled:
            sheet.text(panel.x - 5, y, title, anchor="end", size=SMALL, colour="muted")
    bars = []
    if panel.top:
        limit = panel.height(panel.answers.limit)
        ends = [(panel.x, limit), (panel.right, limit)]
        sheet.lines([ends], "warn", f"{panel.name}-threshold", dashed=True, thick=0.9)
        sheet.lines([[(panel.x, panel.y), (panel.x, panel.y + panel.high)]], "muted", f"{panel.name}-edge")
        if titled:
            heights = [(panel.height(-value), text) for value, text in labelled(0, panel.top, 6)]
            sheet.numbers_left(panel.x, heights, "−log₁₀ p", panel.y + panel.high / 2)
        bars = [Box(panel.x, limit - 0.5, panel.right, limit + 0.5), *_points(sheet, panel)]
    _names(sheet, panel, letters, bars)


def _points(sheet: Sheet, panel: Panel) -> list[Box]:
    """P-values with their intervals; the boxes of the intervals."""
    several = len({each.test for each in panel.answers.p_values}) > 1

    def kind(item: tuple[PValue, float, float]) -> tuple[int, str, bool]:
        each = item[0]
        return panel.view.number(each.snp) % 2, each.test, each.log10.high <= panel.answers.limit

    bars: list[Box] = []
    for (shade, test, whole), group in groupby(sorted(panel.points(), key=kind), key=kind):
        items, colour = list(group), SHADES[shade]
        mark = f"{panel.name}-{shade}-{test}-{'sure' if whole else 'open'}"
        ends = [
            (x, panel.height(each.log10.high) - (_THROUGH if each.log10.high >= 0 else 0), panel.height(each.log10.low))
            for each, x, _ in items
        ]
        bars += sheet.whiskers(ends, colour, f"bars-{mark}", thick=0.8)
        dots = [(x, y) for _, x, y in items]
        sheet.dots(dots, SIGNS[test] if several else "o", colour, f"points-{mark}", hollow=not whole)
        off = [(x, panel.y + panel.high) for each, x, _ in items if -each.log10.low > panel.top]
        sheet.dots(off, "^", colour, f"beyond-{mark}", size=3.6)
    return bars


def _names(sheet: Sheet, panel: Panel, letters: Mapping[str, str], bars: Sequence[Box]) -> None:
    """Names of the points that matter most; SNPs that are shown once more have one letter together."""
    points = panel.points() if panel.top else []
    located = [(snp, x, panel.lane("located")) for snp, x in panel.located()]
    ordered = sorted(points, key=lambda point: point[0].log10.estimate)
    far = sum(each.log10.estimate <= panel.answers.limit for each, _, _ in ordered)
    rest = NAMED if len(points) <= NAMED else max(FEWEST, far)
    wanted: dict[str, Named] = {}
    for snp, x, y in (
        *((each.snp, x, y) for each, x, y in ordered[:far]),
        *located,
        *((each.snp, x, y) for each, x, y in ordered[far:rest]),
    ):
        letter = letters.get(snp)
        named = Named(x, y, letter, bold=True) if letter else Named(x, y, short(snp))
        wanted.setdefault(letter or f"name {snp}", named)
    if not panel.top:
        wanted |= {f"block {text}": Named(x, panel.lane("blocks"), text) for text, x in panel.blocks()}
    signs = [(x, y) for _, x, y in (*points, *located)]
    room = Box(panel.x + 1, panel.y + 2, panel.right, panel.y + panel.high + 4)
    write_names(sheet, [*wanted.values()][:MOST_NAMED], signs, bars, room, f"{panel.name}-name")
