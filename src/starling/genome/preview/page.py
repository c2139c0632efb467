"""Foresight as one page with pictures: for those who decide what to ask, before anything is spent. It can be published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import log, log10
from typing import Final

from starling.genome.plan import LocBlock, SnpCorr, SnpPval
from starling.genome.plan.queries import OF_CARRIERS
from starling.genome.preview.expected import Expected, ExpectedExplore
from starling.genome.preview.grids import (
    COST,
    NOTHING,
    ExpectedErrors,
    Grid,
    grids,
    interval_text,
    odds_ratio,
    question_text,
)
from starling.genome.preview.selections import ExpectedLocBlock, ExpectedLocSig, ExpectedNumSig
from starling.genome.preview.tables import ExpectedTables
from starling.privacy.budget import decimal_up
from starling.release.report.pages import Picture, Section, Table
from starling.release.report.pictures import Interval, Tile, intervals, tiles

_FAR: Final = 1000
"""Patients at which an error is shown darkest."""
_STRONG: Final = 10
"""Odds ratio at which what is needed is shown darkest."""


@dataclass(frozen=True, slots=True)
class GenomePage:
    """The page of a preview; it keeps `starling.release.report.pages.PreviewPage`.

    Attributes:
        errors: What is known of the answers beforehand.
    """

    errors: ExpectedErrors

    @property
    def title(self) -> str:
        """The title of the plan."""
        return self.errors.assumed.plan.title

    @property
    def kind(self) -> str:
        """What the page is, and the size of the study."""
        plan = self.errors.assumed.plan
        return f"What answers will be worth, before anything is spent; {plan.people:,} people, {len(plan.snps):,} SNPs"

    def sections(self) -> Sequence[Section]:
        """What is supposed, then each question."""
        return (_supposed(self.errors), *(_question(name, expected) for name, expected in self.errors.expected.items()))


def note(expected: Sequence[Expected]) -> str:
    """What whoever asks this question must know beforehand; empty for most."""
    return OF_CARRIERS if isinstance(expected[0].query, LocBlock | SnpCorr) else ""


def _supposed(errors: ExpectedErrors) -> Section:
    assumed = errors.assumed
    text = f"""
        Of every answer the distribution of the error is known before any record is read. What holds for every study is stated in
        patients: how many of the {assumed.plan.people:,} records would have to be replaced to make the answer the right one.

        What patients are worth depends on the study. It is stated for typical ones, which are supposed, not looked at:
        {assumed.cases:,} of the people are cases; alleles are in Hardy-Weinberg proportions; the odds of disease grow by the odds ratio
        with each copy of a causal allele; and all other SNPs, no rarer than {float(assumed.rarest):g}, have nothing to do with the
        disease, each alone. Real neighbours of a causal SNP are correlated with it, and may be found in its place.
    """
    return Section("What is supposed", text)


def _question(name: str, expected: Sequence[Expected]) -> Section:
    drawn = grids(expected)
    return Section(
        f"{name}: {question_text(expected[0].query)[0].lower()}{question_text(expected[0].query)[1:]}",
        note(expected),
        pictures=tuple(_pictures(name, expected, drawn)),
        tables=tuple(Table(grid.header, grid.rows, grid.title) for grid in drawn),
    )


def _pictures(name: str, expected: Sequence[Expected], drawn: Sequence[Grid]) -> list[Picture]:
    first = expected[0]
    pictures = []
    if isinstance(first, ExpectedNumSig | ExpectedLocSig | ExpectedLocBlock | ExpectedExplore):
        grid = drawn[0]
        pictures.append(_squares(f"{name}-patients", grid, grid.words, "", _patients, ". Lighter is closer."))
    if isinstance(first, ExpectedNumSig | ExpectedLocSig):
        caption = "; in the first column the one from which a SNP is significant at all. Lighter is weaker."
        pictures.append(_squares(f"{name}-odds", drawn[-1], 1, "frequency ", _odds, caption))
    if isinstance(first, ExpectedTables):
        tables = [one for one in expected if isinstance(one, ExpectedTables)]
        pictures.append(_whiskers(f"{name}-intervals", tables[len(tables) // 2]))
    return pictures


def _squares(name: str, grid: Grid, first: int, label: str, shade: Callable[[str], float], caption: str) -> Picture:
    """The cells of a table from the column `first` on, shaded."""
    columns = [column.removeprefix(COST).replace("significant", "significant\nfrom") for column in grid.header[first:]]
    squares: list[list[Tile | None]] = [[Tile(cell, shade(cell)) for cell in row[first:]] for row in grid.rows]
    rows = [f"{label}{row[0]}" for row in grid.rows]
    return Picture(partial(tiles, rows, columns, squares, "epsilon", name), f"{grid.title}{caption}")


def _patients(cell: str) -> float:
    return log10(max(int(cell.replace(",", "")), 1)) / log10(_FAR)


def _odds(cell: str) -> float:
    return 1.0 if cell == NOTHING else min(log(max(float(cell), 1)) / log(_STRONG), 1.0)


def _whiskers(name: str, expected: ExpectedTables) -> Picture:
    p = isinstance(expected.query, SnpPval)
    where, effect = ("frequency", "odds ratio") if p else ("carriers", "correlation")
    lines = [
        Interval(
            f"{where} {each.share:g}, {effect} {odds_ratio(each.effect) if p else f'{each.effect:g}'}, {each.noise}",
            interval_text(each, expected.query),
            each.interval.estimate - each.interval.low,
            each.interval.high - each.interval.estimate,
        )
        for each in expected.intervals
    ]
    unit = "powers of ten of p, from the exact one" if p else "from the exact correlation"
    caption = (
        f"Intervals at epsilon {decimal_up(expected.query.epsilon)}, 95 % sure, around the exact value of typical tables: lattice noise"
        " and, as published, Laplace noise."
    )
    return Picture(partial(intervals, lines, unit, name), caption)
