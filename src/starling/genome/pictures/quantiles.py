"""A QQ plot of released p-values: sorted, against what independent uniform p-values would give.

Which SNPs were asked for was a choice. Where the study itself made it, by naming its most significant SNPs, their p-values are small by
that choice, whatever is true; the picture says so in itself. A noisy p-value is not uniform either when nothing is associated:
noise moves the counts apart, so small p-values become more frequent.

Of k independent uniform numbers the j-th smallest has the distribution Beta(j, k + 1 - j).
"""

from collections.abc import Sequence
from math import log10
from typing import Final, TypeVar

import numpy as np

from starling.genome.arrays import Int64
from starling.genome.pictures.answers import SURE, Answers, shortest
from starling.genome.pictures.naming import Named, short, write_names
from starling.genome.postprocess.p_values import PValue
from starling.genome.postprocess.wording import TESTS
from starling.pages.axes import labelled, top_of
from starling.pages.marks import Box, Entry, Sheet

Ranks = TypeVar("Ranks", int, Int64)


def expected(rank: int, count: int) -> float:
    """The mean of the `rank`-th smallest of `count` uniform numbers."""
    return rank / (count + 1)


def quantile(probability: float, rank: Ranks, count: int) -> Ranks:
    """The value that the `rank`-th smallest of `count` uniform numbers is below with a probability in (0, 1).

    >>> float(quantile(0.95, 1, 1)), round(float(quantile(0.5, 1, 2)), 6)
    (0.95, 0.292893)
    """
    # It takes half a second to import, which only this picture should wait for.
    from scipy.special import betaincinv

    value: Ranks = betaincinv(rank, count + 1 - rank, probability)
    return value


SIDE: Final = 220.0
"""Points of a panel."""
ABREAST: Final = 2
"""Panels of a row."""
LEAST: Final = 2
"""SNPs of a panel; fewer have no order to compare."""
NAMED: Final = 10
"""Points that are named at most, those above the band."""
BAND: Final = 0.95
RANKS: Final = 150
"""Ranks at which the band is computed at most."""
MARK: Final = "Selected SNPs: no test of inflation"
"""Stands in the picture itself, so that it goes wherever the picture goes."""
_ROOM: Final = 52.0


def shown(answers: Answers) -> bool:
    """Whether a test has p-values of LEAST SNPs: the order of a single one says nothing."""
    return bool(tests(answers))


def tests(answers: Answers) -> tuple[str, ...]:
    """The tests by which LEAST SNPs or more have a p-value, in the order in which they were asked."""
    tested = dict.fromkeys(each.test for each in answers.p_values)
    return tuple(test for test in tested if len(best(answers, test)) >= LEAST)


def quantiles(answers: Answers) -> Sheet:
    """The picture, one panel a test.

    Args:
        answers: With p-values of LEAST SNPs by one test.
    """
    panels = tests(answers)
    drawn = [each for each in answers.p_values if each.test in panels]
    sheet = Sheet(SIDE, 0, SIDE)
    for number, test in enumerate(panels):
        row, column = divmod(number, ABREAST)
        _Panel(answers, test, (SIDE + _ROOM) * column, -(SIDE + _ROOM + 8) * row).draw(sheet)
    rows = (len(panels) - 1) // ABREAST
    selected = any(answers.selected(each) for each in drawn)
    entries = _legend(answers, drawn)
    wide = SIDE if len(panels) == 1 else SIDE * 2 + _ROOM
    sheet.legend(0, -(SIDE + _ROOM + 8) * rows - 38, wide, entries, upwards=False)
    if selected:
        sheet.text(0, SIDE + 24, MARK, "mark", anchor="start", colour="warn", size=8.5, bold=True)
    return sheet


def best(answers: Answers, test: str) -> list[PValue]:
    """The p-values by one test, sorted; of a SNP that was asked for more than once the one with the shortest interval."""
    tested = [each for each in answers.p_values if each.test == test]
    chosen = shortest(tested, lambda each: each.snp, lambda each: each.log10)
    return sorted(chosen.values(), key=lambda each: each.log10.estimate)


class _Panel:
    """One test, its lower left corner at (x, y)."""

    def __init__(self, answers: Answers, test: str, x: float, y: float) -> None:
        self.answers, self.test, self.x, self.y = answers, test, x, y
        self.values = best(answers, test)
        self.count = len(self.values)
        self.band = band(self.count)
        self.across = -1.1 * log10(expected(1, self.count))
        needed = max(self.across, *(-each.log10.estimate for each in self.values), *(up for _, _, up in self.band))
        self.top = top_of(needed, max(-each.log10.low for each in self.values))

    def _at(self, across: float, up: float) -> tuple[float, float]:
        """Of two values of -log10 p on the sheet; what is beyond an edge stands at it."""
        x, y = min(across, self.across) / self.across, min(up, self.top) / self.top
        return self.x + SIDE * x, self.y + SIDE * y

    def draw(self, sheet: Sheet) -> None:
        """Band, line, axes and points."""
        edge = [self._at(at, low) for at, low, _ in self.band] + [self._at(at, up) for at, _, up in self.band[::-1]]
        sheet.shapes([edge], "faint", "none", f"band-{self.test}")
        least = min(self.across, self.top)
        sheet.lines([[self._at(0, 0), self._at(least, least)]], "warn", f"even-{self.test}", thick=0.9, dashed=True)
        x, y = self.x, self.y
        sheet.lines([[(x, y + SIDE), (x, y), (x + SIDE, y)]], "muted", f"edge-{self.test}")
        heights = [(self._at(0, value)[1], text) for value, text in labelled(0, self.top, 6)]
        sheet.numbers_left(x, heights, "released −log₁₀ p", y + SIDE / 2)
        sheet.numbers_below(y, [(self._at(value, 0)[0], text) for value, text in labelled(0, self.across, 6)])
        sheet.text(x + SIDE / 2, y - 21, "expected −log₁₀ p if uniform")
        title = f"{TESTS[self.test]} test, {self.count:,} SNPs"
        sheet.text(x, y + SIDE + 9, title, f"title-{self.test}", anchor="start", bold=True)
        self._points(sheet)

    def _points(self, sheet: Sheet) -> None:
        ranks = range(1, self.count + 1)
        spots = [
            self._at(-log10(expected(rank, self.count)), -each.log10.estimate)
            for rank, each in zip(ranks, self.values, strict=True)
        ]
        rows = list(zip(spots, self.values, strict=True))
        ends = [(x, self._at(0, -each.log10.high)[1], self._at(0, -each.log10.low)[1]) for (x, _), each in rows]
        boxes = sheet.whiskers(ends, "accent", f"bars-{self.test}")
        for selected in (False, True):
            chosen = [spot for spot, each in rows if self.answers.selected(each) == selected]
            mark = f"{'selected' if selected else 'points'}-{self.test}"
            sheet.dots(chosen, "o", "accent", mark, hollow=selected)
        off = [(x, self.y + SIDE) for (x, _), each in rows if -each.log10.low > self.top]
        sheet.dots(off, "^", "accent", f"beyond-{self.test}", size=3.6)
        lowest = quantile((1 - BAND) / 2, np.array(ranks[:NAMED]), self.count).tolist()
        named = [
            Named(*spot, short(each.snp))
            for (spot, each), least in zip(rows, lowest, strict=False)
            if -each.log10.estimate > -log10(least)
        ]
        room = Box(self.x + 1, self.y + 2, self.x + SIDE, self.y + SIDE + 2)
        write_names(sheet, named, spots, boxes, room, f"name-{self.test}")


def band(count: int) -> list[tuple[float, float, float]]:
    """-log10 of the expected p-value and of the two ends of its 95 % range, at no more than RANKS ranks from the last to the first."""
    ranks = np.array(sorted({round(count ** (step / RANKS)) for step in range(RANKS + 1)}, reverse=True))
    tail = (1 - BAND) / 2
    columns = [ranks / (count + 1), quantile(1 - tail, ranks, count), quantile(tail, ranks, count)]
    return [(mean, high, low) for mean, high, low in (-np.log10(columns).T).tolist()]


def _legend(answers: Answers, drawn: Sequence[PValue]) -> list[Entry]:
    selected = [answers.selected(each) for each in drawn]
    return [
        *([] if all(selected) else [Entry("o", "accent", "SNP that was asked for")]),
        *([Entry("o", "accent", "SNP that the study itself named", hollow=True)] if any(selected) else []),
        Entry("|", "accent", f"{SURE} interval of the noise"),
        Entry("box", "faint", "95 % of each uniform order statistic"),
    ]


def caption(answers: Answers) -> str:
    """What the picture says, in words."""
    drawn = [each for test in tests(answers) for each in best(answers, test)]
    chosen = sum(answers.selected(each) for each in drawn)
    text = (
        "Released p-values, sorted, against those that independent SNPs without any association would have on average (dashed); the"
        " grey band holds each of these with a probability of 95 % by itself, the bar of a point what the noise leaves open. Noise moves"
        " p-values away from uniform even where nothing is associated."
    )
    if not chosen:
        return f"{text} Which SNPs were asked for was a choice; only a choice that knew nothing of the study makes a test of inflation."
    return (
        f"{text} {chosen:,} of {len(drawn):,} are of SNPs that the study itself named as most significant. Their p-values"
        " are small by that selection: this is no test of inflation."
    )
