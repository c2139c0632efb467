"""A forest plot of noisy effects: of each SNP its odds ratio, or its slope, with the interval of sampling and noise together."""

from typing import Final

import numpy as np

from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.pictures.answers import SURE, Answers
from starling.genome.pictures.naming import short
from starling.pages.axes import labelled
from starling.pages.marks import Sheet

WIDTH: Final = 220.0
"""Points: with names it fits a narrow screen."""
ROW: Final = 16.0
"""Points from one SNP to the next."""
MOST: Final = 40
"""SNPs that are drawn, the smallest p-values first."""


def shown(answers: Answers) -> bool:
    """Whether there is an effect."""
    return bool(answers.effects)


def _drawn(answers: Answers) -> tuple[list[tuple[str, Interval]], bool]:
    """SNPs with their intervals, in the order of the list, and whether they are of odds ratios, which is so where all have one."""
    chosen: list[SnpEffect] = sorted(answers.effects, key=lambda each: each.log10_p)[:MOST]
    chosen.sort(key=lambda each: answers.plan.snps.index(each.snp))
    ratios = [(each.snp, each.odds_ratio) for each in chosen if each.odds_ratio is not None]
    if len(ratios) == len(chosen):
        return ratios, True
    return [(each.snp, each.slope) for each in chosen], False


def forest(answers: Answers) -> Sheet:
    """A row for each SNP; odds ratios by their logarithms, and a dashed line where there is no effect."""
    rows, ratios = _drawn(answers)
    values = np.array([[value.low, value.estimate, value.high] for _, value in rows])
    values = np.log(values) if ratios else values
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    wide = (high - low) or 1.0
    low, high = low - 0.04 * wide, high + 0.04 * wide
    scale, top = WIDTH / (high - low), ROW * len(rows)
    sheet = Sheet(WIDTH, 0.0, top)
    none = -low * scale
    sheet.lines([[(none, 0), (none, top)]], "warn", "none", dashed=True)
    ends = (values - low) * scale
    heights = [top - ROW * (row + 0.5) for row in range(len(rows))]
    for (snp, _), (left, middle, right), up in zip(rows, ends.tolist(), heights, strict=True):
        sheet.lines([[(left, up), (right, up)]], "accent", "intervals", thick=1.2)
        sheet.dots([(middle, up)], "o", "accent", "points", size=4.5)
        sheet.text(-6, up, short(snp), "names", anchor="end")
    sheet.lines([[(0, 0), (WIDTH, 0)]], "muted", "edge")
    if ratios:
        steps = [(value, f"{value:g}") for value in _ratios(float(np.exp(low)), float(np.exp(high)))]
        ticks = [(float(np.log(value) - low) * scale, text) for value, text in steps]
    else:
        ticks = [((value - low) * scale, text) for value, text in labelled(low, high, 5)]
    sheet.numbers_below(0, ticks, "odds ratio" if ratios else "slope", WIDTH / 2)
    return sheet


def _ratios(low: float, high: float) -> list[float]:
    """Round odds ratios between two, 1 among them."""
    if high < 10 * low:
        return sorted({1.0, *(value for value, _ in labelled(low, high, 5) if low <= value <= high)})
    digits = (1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)
    values = [digit * 10.0**power for power in range(-7, 8) for digit in digits]
    return [value for value in values if low <= value <= high]


def caption(answers: Answers) -> str:
    """What the picture says, in words."""
    rows, ratios = _drawn(answers)
    left = len(answers.effects) - len(rows)
    what = "Odds ratios" if ratios else "Slopes"
    more = f" {left:,} with larger p-values are left out." if left else ""
    return (
        f"{what} of {len(rows):,} SNP{'' if len(rows) == 1 else 's'}, each with its {SURE} interval of sampling and noise together."
        f" At the dashed line there is no effect.{more}"
    )
