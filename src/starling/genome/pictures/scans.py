"""Manhattan and QQ plots of a scan: every SNP, those that would lie on each other drawn once.

They are of p-values that hold sampling and coins together; the coins spread phenotypes evenly, so that they hide signals and make none.
"""

from typing import Final

import numpy as np

from starling.genome.arrays import Float64, Int64
from starling.genome.inference.scans import inflation
from starling.genome.pictures.answers import Answers
from starling.genome.pictures.association import SHADES
from starling.genome.pictures.manhattan import HIGH, MANY, WIDTH
from starling.genome.pictures.naming import Named, short, write_names
from starling.genome.pictures.quantiles import SIDE
from starling.genome.pictures.view import View
from starling.pages.axes import labelled, top_of
from starling.pages.letters import SMALL
from starling.pages.marks import Box, Sheet

GRAIN: Final = 1.0
"""Points: of SNPs within so much of each other one is drawn."""
NAMED: Final = 10
"""Regions that are named, the strongest."""


def _heights(answers: Answers) -> tuple[Int64, Float64]:
    """The SNPs with a p-value, and -log10 p of each."""
    assert answers.scan is not None
    values = answers.scan.log10_p
    at = np.flatnonzero(~np.isnan(values))
    return at, -values[at]


def _once(x: Float64, y: Float64) -> Int64:
    """Which of some points are drawn: one of each cell of a grid of GRAIN."""
    cells = np.stack([np.floor(x / GRAIN), np.floor(y / GRAIN)], axis=1)
    return np.sort(np.unique(cells, axis=0, return_index=True)[1])


def manhattan(answers: Answers) -> Sheet:
    """Every SNP at its place in the genome, chromosomes in two shades."""
    view = View.whole(answers.plan.snps, WIDTH)
    at, up = _heights(answers)
    top = top_of(max(-answers.limit, float(up.max(initial=0.0))), 0.0)
    snps, sheet = answers.plan.snps, Sheet(WIDTH, 0.0, HIGH)
    places: dict[str, tuple[float, float]] = {}
    for number, part in enumerate(view.parts):
        start, stop = snps.chromosome_ranges[part.chromosome]
        chosen = (at >= start) & (at < stop)
        x = part.along(snps.positions[at[chosen]].astype(np.float64))
        y = HIGH * up[chosen] / top
        drawn = _once(x, y)
        spots = list(zip(x[drawn].tolist(), y[drawn].tolist(), strict=True))
        sheet.dots(spots, "o", SHADES[number % 2], f"scan-{number}", size=1.8)
        leads = {each.lead for each in answers.regions if each.chromosome == part.chromosome}
        for index, left, high in zip(at[chosen].tolist(), x.tolist(), y.tolist(), strict=True) if leads else ():
            if snps.ids[index] in leads:
                places[snps.ids[index]] = (left, high)
        middle, size = (part.left + part.right) / 2, SMALL if len(view.parts) > MANY else 8.0
        sheet.text(middle, -9, short(part.chromosome), size=size)
    limit = HIGH * -answers.limit / top
    sheet.lines([[(0, limit), (WIDTH, limit)]], "warn", "threshold", dashed=True)
    sheet.text(WIDTH + 4, limit, "α/m", anchor="start", size=SMALL, colour="warn")
    sheet.lines([[(0, HIGH), (0, 0), (WIDTH, 0)]], "muted", "edge")
    sheet.numbers_left(0, [(HIGH * value / top, text) for value, text in labelled(0, top, 6)], "−log₁₀ p", HIGH / 2)
    sheet.text(WIDTH / 2, -22, "chromosome", colour="muted")
    strongest = sorted(answers.regions, key=lambda each: each.log10_p)[:NAMED]
    named = [Named(*places[each.lead], short(each.lead)) for each in strongest if each.lead in places]
    write_names(sheet, named, list(places.values()), [], Box(1, 2, WIDTH, HIGH + 10), "name")
    return sheet


def quantiles(answers: Answers) -> Sheet:
    """Sorted p-values against those of SNPs without any association, with lambda."""
    _, up = _heights(answers)
    up = np.sort(up)[::-1]
    ranks = np.arange(1, len(up) + 1)
    across = -np.log10(ranks / (len(up) + 1))
    right = 1.1 * float(across[0])
    top = top_of(max(right, float(up[0])), 0.0)
    x, y = SIDE * across / right, SIDE * up / top
    drawn = _once(x, y)
    sheet = Sheet(SIDE, 0.0, SIDE)
    least = min(right, top)
    sheet.lines([[(0, 0), (SIDE * least / right, SIDE * least / top)]], "warn", "even", thick=0.9, dashed=True)
    sheet.dots(list(zip(x[drawn].tolist(), y[drawn].tolist(), strict=True)), "o", "accent", "points", size=2.4)
    sheet.lines([[(0, SIDE), (0, 0), (SIDE, 0)]], "muted", "edge")
    sheet.numbers_left(0, [(SIDE * value / top, text) for value, text in labelled(0, top, 6)], "−log₁₀ p", SIDE / 2)
    sheet.numbers_below(0, [(SIDE * value / right, text) for value, text in labelled(0, right, 6)])
    sheet.text(SIDE / 2, -21, "expected −log₁₀ p without any association")
    factor = inflation(answers.scan) if answers.scan is not None else None
    title = f"{len(up):,} SNPs" if factor is None else f"{len(up):,} SNPs, λ = {factor:z.3f}"
    sheet.text(0, SIDE + 9, title, "title", anchor="start", bold=True)
    return sheet


def manhattan_caption(answers: Answers) -> str:
    """What the picture says, in words."""
    at, _ = _heights(answers)
    below = sum(each.snps for each in answers.regions)
    return (
        f"p-values of {len(at):,} SNPs at their places in the genome; points on each other are drawn once. They hold sampling and coins"
        f" together. The dashed line is the threshold α/m; at or below it: {below:,} SNPs, in {len(answers.regions):,} regions."
    )


def quantiles_caption(answers: Answers) -> str:
    """What the picture says, in words."""
    del answers
    return (
        "p-values of all SNPs, sorted, against those that SNPs without any association would have on average (dashed). Where all points lie"
        " above the line and lambda is above 1, something makes many SNPs differ at once, such as ancestry: adjust for more components."
    )
