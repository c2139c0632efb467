"""A QQ plot of released p-values: sorted, against what independent uniform p-values would give.

Which SNPs were asked for was a choice. Where the study itself made it, by naming its most significant SNPs, their p-values are small by
that choice, whatever is true; the picture says so in itself. A noisy p-value is not uniform either when nothing is associated:
noise moves the counts apart, so small p-values become more frequent.

Of k independent uniform numbers the j-th smallest has the distribution Beta(j, k + 1 - j); written here, because SciPy is no dependency.
"""

from collections.abc import Sequence
from math import exp, lgamma, log, log1p, log10
from typing import Final

from starling.genome.pictures.answers import SURE, Answers, PValue, shortest
from starling.genome.pictures.sheet import SMALL, Box, Entry, Named, Sheet, placed, short, ticks, top_of
from starling.genome.postprocess.wording import TESTS
from starling.release.report.pictures import BLUE, GREY, LINE, RED, drawing

_STEPS: Final = 60
"""Halvings of the range of ln x; with the first range of 800 they leave less than 1e-15."""
_TERMS: Final = 10_000
_TINY: Final = 1e-300
_CLOSE: Final = 1e-13


def expected(rank: int, count: int) -> float:
    """The mean of the `rank`-th smallest of `count` uniform numbers."""
    return rank / (count + 1)


def quantile(probability: float, rank: int, count: int) -> float:
    """The value that the `rank`-th smallest of `count` uniform numbers is below with a probability.

    Args:
        probability: A probability in (0, 1).
        rank: The rank of the number, from 1 to `count`.
        count: k.

    >>> round(quantile(0.95, 1, 1), 6), round(quantile(0.5, 1, 2), 6)
    (0.95, 0.292893)
    """
    low, high = -800.0, 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _below(exp(middle), float(rank), float(count + 1 - rank)) < probability:
            low = middle
        else:
            high = middle
    return exp(high)


def _below(x: float, a: float, b: float) -> float:
    """The distribution function of Beta(a, b) at x, by the continued fraction that converges there."""
    if x >= 1:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Abramowitz and Stegun 26.5.8, evaluated from the front (Lentz): terms until one changes nothing."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return value


def _away(number: float) -> float:
    """Not 0, so that it can be divided by."""
    return number if abs(number) > _TINY else _TINY


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
_HALF: Final = 2.6


def shown(answers: Answers) -> bool:
    """Whether a test has p-values of LEAST SNPs: the order of a single one says nothing."""
    return bool(tests(answers))


def tests(answers: Answers) -> tuple[str, ...]:
    """The tests by which LEAST SNPs or more have a p-value, in the order in which they were asked."""
    tested = dict.fromkeys(each.test for each in answers.p_values)
    return tuple(test for test in tested if len(best(answers, test)) >= LEAST)


@drawing()
def quantiles(answers: Answers, name: str = "qq") -> str:
    """The picture as SVG, one panel a test, the same bytes for the same answers.

    Args:
        answers: With p-values of LEAST SNPs by one test.
        name: Letters that set the picture's inner names apart from those of other pictures of a page.
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
        sheet.text(0, SIDE + 24, MARK, "mark", ha="left", color=RED, fontsize=8.5, fontweight="bold")
    return sheet.drawn(name)


def best(answers: Answers, test: str) -> list[PValue]:
    """The p-values by one test, sorted; of a SNP that was asked for more than once the one with the shortest interval."""
    tested = shortest((each for each in answers.p_values if each.test == test), lambda each: each.snp)
    return sorted(tested.values(), key=lambda each: each.log10_p)


class _Panel:
    """One test, its lower left corner at (x, y)."""

    def __init__(self, answers: Answers, test: str, x: float, y: float) -> None:
        self.answers, self.test, self.x, self.y = answers, test, x, y
        self.values = best(answers, test)
        self.count = len(self.values)
        self.band = band(self.count)
        self.across = -1.1 * log10(expected(1, self.count))
        needed = max(self.across, *(-each.log10_p for each in self.values), *(up for _, _, up in self.band))
        self.top = top_of(needed, max(-each.low for each in self.values))

    def _at(self, across: float, up: float) -> tuple[float, float]:
        """Of two values of -log10 p on the sheet; what is beyond an edge stands at it."""
        x, y = min(across, self.across) / self.across, min(up, self.top) / self.top
        return self.x + SIDE * x, self.y + SIDE * y

    def draw(self, sheet: Sheet) -> None:
        """Band, line, axes and points."""
        edge = [self._at(at, low) for at, low, _ in self.band] + [self._at(at, up) for at, _, up in self.band[::-1]]
        sheet.shapes([edge], LINE, "none", f"band-{self.test}")
        least = min(self.across, self.top)
        sheet.lines([[self._at(0, 0), self._at(least, least)]], RED, f"even-{self.test}", thick=0.9, dashed=True)
        x, y = self.x, self.y
        sheet.lines([[(x, y + SIDE), (x, y), (x + SIDE, y)]], GREY, f"edge-{self.test}")
        heights = [(self._at(0, value)[1], f"{value:g}") for value in ticks(0, self.top, 6)]
        sheet.steps(x, heights, "released −log₁₀ p", y + SIDE / 2)
        for value in ticks(0, self.across, 6):
            at = self._at(value, 0)[0]
            sheet.lines([[(at, y), (at, y - 3)]], GREY, "tick", thick=0.6)
            sheet.text(at, y - 9, f"{value:g}", va="center_baseline")
        sheet.text(x + SIDE / 2, y - 21, "expected −log₁₀ p if uniform", va="center_baseline")
        title = f"{TESTS[self.test]} test, {self.count:,} SNPs"
        sheet.text(x, y + SIDE + 9, title, f"title-{self.test}", ha="left", fontweight="bold")
        self._points(sheet)

    def _points(self, sheet: Sheet) -> None:
        spots = [
            self._at(-log10(expected(rank, self.count)), -each.log10_p)
            for rank, each in enumerate(self.values, start=1)
        ]
        bars = [(x, self._at(0, -each.high)[1], self._at(0, -each.low)[1]) for (x, _), each in self._with(spots)]
        sheet.lines([[(x, low), (x, high)] for x, low, high in bars], BLUE, f"bars-{self.test}")
        for selected in (False, True):
            chosen = [spot for spot, each in self._with(spots) if self.answers.selected(each) == selected]
            mark = f"{'selected' if selected else 'points'}-{self.test}"
            sheet.dots(chosen, "o", BLUE, mark, hollow=selected)
        off = [(x, self.y + SIDE) for (x, _), each in self._with(spots) if -each.low > self.top]
        sheet.dots(off, "^", BLUE, f"beyond-{self.test}", size=3.6)
        named = [
            Named(*spot, short(each.snp), _HALF)
            for rank, (spot, each) in enumerate(self._with(spots[:NAMED]), start=1)
            if -each.log10_p > -log10(quantile((1 - BAND) / 2, rank, self.count))
        ]
        signs = [Box(x - _HALF, y - _HALF, x + _HALF, y + _HALF) for x, y in spots]
        room = Box(self.x + 1, self.y + 2, self.x + SIDE, self.y + SIDE + 2)
        boxes = placed(named, signs, [Box(x - 1, low, x + 1, high) for x, low, high in bars], room, SMALL)
        for point, box in zip(named, boxes, strict=True):
            if box is not None:
                sheet.name(point, box, f"name-{self.test}")

    def _with(self, spots: Sequence[tuple[float, float]]) -> list[tuple[tuple[float, float], PValue]]:
        return list(zip(spots, self.values, strict=False))


def band(count: int) -> list[tuple[float, float, float]]:
    """-log10 of the expected p-value and of the two ends of its 95 % range, at no more than RANKS ranks from the last to the first."""
    ranks = sorted({round(count ** (step / RANKS)) for step in range(RANKS + 1)}, reverse=True)
    tail = (1 - BAND) / 2
    ends = [(expected(rank, count), quantile(1 - tail, rank, count), quantile(tail, rank, count)) for rank in ranks]
    return [(-log10(mean), -log10(high), -log10(low)) for mean, high, low in ends]


def _legend(answers: Answers, drawn: Sequence[PValue]) -> list[Entry]:
    entries = []
    selected = [answers.selected(each) for each in drawn]
    if not all(selected):
        entries.append(Entry("o", BLUE, "SNP that was asked for"))
    if any(selected):
        entries.append(Entry("o", BLUE, "SNP that the study itself named", hollow=True))
    entries.append(Entry("|", BLUE, f"{SURE} interval of the noise"))
    entries.append(Entry("box", LINE, "95 % of each uniform order statistic"))
    return entries


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
