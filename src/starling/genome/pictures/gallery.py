"""All pictures of some answers: each by its kind where there is something to show, for a report or as a folder with a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor
from typing import Any, Final, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.genome.pictures import effects, linkage, manhattan, quantiles, scans
from starling.genome.pictures.answers import SURE, Answers
from starling.genome.pictures.naming import short
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.postprocess.wording import MEASURES, TESTS
from starling.pages.marks import Sheet
from starling.pages.parts import Picture, Section, Table
from starling.planfile.spelling import shown
from starling.release.plots import Plots

MOST_ROWS: Final = 100
"""Rows of a table of the page; the releases hold all."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of picture.

    Attributes:
        title: Above it.
        shown: Whether some answers have anything for it.
        draw: The picture of answers.
        caption: What it says, in words.
        needs: What must have been asked for.
    """

    title: str
    shown: Callable[[Answers], bool]
    draw: Callable[[Answers], Sheet]
    caption: Callable[[Answers], str]
    needs: str


def scanned(answers: Answers) -> bool:
    """Whether there is a scan with a SNP that says anything."""
    return answers.scan is not None and not np.isnan(answers.scan.z).all()


KINDS: Final = {
    "manhattan": Kind(
        "Manhattan plot", manhattan.shown, manhattan.manhattan, manhattan.caption, "p-values, located SNPs or blocks"
    ),
    "qq": Kind("QQ plot", quantiles.shown, quantiles.quantiles, quantiles.caption, "p-values of two SNPs by one test"),
    "ld": Kind("Linkage", linkage.shown, linkage.linkage, linkage.caption, "correlations, or a block of two SNPs"),
    "effects": Kind("Effects of SNPs", effects.shown, effects.forest, effects.caption, "snp-effects"),
    "scan": Kind("Manhattan plot of the scan", scanned, scans.manhattan, scans.manhattan_caption, "scan"),
    "scan-qq": Kind("QQ plot of the scan", scanned, scans.quantiles, scans.quantiles_caption, "scan"),
}
"""The pictures by the name of the file, without .svg."""


Source: TypeAlias = tuple[str, str, str, str, str]
"""Where answers come from, for the page: the name of the folder or zip, the question, the cost, the request id and who signed."""


def picture(kind: str, answers: Answers) -> Picture:
    """A picture with its caption, as a report takes it; `KINDS[kind].shown(answers)` holds."""
    return Picture(partial(KINDS[kind].draw, answers), KINDS[kind].caption(answers), kind, scrolls=True)


def section(kind: str, answers: Answers) -> Section:
    """A section of a page with that picture alone."""
    return Section(KINDS[kind].title, pictures=(picture(kind, answers),))


def drawn_kinds(answers: Answers, kinds: Sequence[str]) -> Sequence[str]:
    """Some of KINDS that were chosen; without any, those that have something to show.

    Raises:
        ParameterError: there is no such kind, or nothing to show for it, or for any.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise ParameterError("kind", f"{shown(kind)} is not {' or '.join(KINDS)}", "name one of them")
        if not KINDS[kind].shown(answers):
            problem = f"{kind} has nothing to show: no {KINDS[kind].needs} among these releases"
            raise ParameterError("kind", problem, "name releases with some, or another kind")
    drawn = kinds or [kind for kind in KINDS if KINDS[kind].shown(answers)]
    if not drawn:
        problem = "hold nothing that has a place in the genome"
        raise ParameterError("releases", problem, "name releases of SNPs, blocks or pairs")
    return drawn


def plots(answers: Answers, kinds: Sequence[str] = (), sources: Sequence[Source] = ()) -> Plots:
    """Each picture, and where sources are named the numbers and what they are from.

    Args:
        answers: Released answers of one plan.
        kinds: Some of KINDS; without any, those that have something to show.
        sources: What the answers are from.

    Raises:
        ParameterError: when there is nothing to show for a kind that was asked for, or for any.
    """
    sections = {kind: section(kind, answers) for kind in drawn_kinds(answers, kinds)}
    title, about = answers.plan.title, "Released answers of a genome study, with the noise they carry"
    if answers.plan.unit == "phenotype":
        title = f"{title}. {UNPROTECTED}"
    if not sources:
        return Plots(title, about, sections)
    origin = Table(_ORIGIN, tuple(sources), f"Releases: {len(sources):,}", words=True)
    listed = tables(answers)
    numbers = (Section("The numbers", _NUMBERS, tables=listed),) if listed else ()
    return Plots(title, about, sections, (*numbers, Section("Where this is from", _CHECKED, tables=(origin,))))


_ORIGIN: Final = ("Release", "Question", "Cost", "Request", "Signed by the key")
_CHECKED: Final = """
    Each release was compared with its signature before it was drawn. Whether its numbers follow from its measurements, and whether
    a ledger holds its charge, the command "starling verify" says.
"""
_NUMBERS: Final = f"""
    Every number is a released one. A range holds the exact value of the study with a probability of {SURE} by itself; among many, some
    miss. Of a table with more than {MOST_ROWS} rows the first are shown, p-values from the smallest on.
"""


def tables(answers: Answers) -> tuple[Table, ...]:
    """P-values, located SNPs, blocks and pairs, of each as many as there are, at most MOST_ROWS rows."""
    plan = answers.plan
    place = plan.snps.index

    def where(snp: str) -> tuple[str, str]:
        at = place(snp)
        return short(plan.snps.chromosomes[at]), f"{int(plan.snps.positions[at]):,}"

    p_values = []
    for each in sorted(answers.p_values, key=lambda each: each.log10.estimate):
        p, span = power(each.log10.estimate), f"{power(each.log10.low)} to {power(each.log10.high)}"
        selected = "yes" if answers.selected(each) else "no"
        p_values.append((short(each.snp), *where(each.snp), TESTS[each.test], p, span, selected))
    located = [(short(snp), *where(snp)) for snp in answers.only_located]
    blocks = []
    for first, last in answers.blocks:
        blocks.append((short(first), short(last), *where(first), where(last)[1], f"{place(last) - place(first) + 1:,}"))
    pairs = []
    for pair in answers.pairs:
        ends, span = (short(pair.first), short(pair.second)), f"{pair.value.low:z.3f} to {pair.value.high:z.3f}"
        pairs.append((*ends, MEASURES[pair.measure], f"{pair.value.estimate:z.3f}", span))
    contents: tuple[tuple[tuple[str, ...], list[Any], str], ...] = (
        (("SNP", "Chromosome", "Position", "Test", "p", "Range", "Named by the study"), p_values, "P-values"),
        (("SNP", "Chromosome", "Position"), located, "Located among the most significant, without a p-value"),
        (("First SNP", "Last SNP", "Chromosome", "From", "To", "SNPs"), blocks, "Blocks"),
        (("First SNP", "Second SNP", "Measure", "Value", "Range"), pairs, "Correlations"),
    )
    return tuple(
        Table(header, tuple(rows[:MOST_ROWS]), f"{name}: {len(rows):,}") for header, rows, name in contents if rows
    )


def power(log10_p: float) -> str:
    """A p-value by its logarithm, however small.

    >>> power(-0.30103), power(-5.5), power(-400.25), power(0.0)
    ('0.5', '3.16e-06', '5.62e-401', '1')
    """
    if log10_p > -3:
        return f"{10**log10_p:z.3g}"
    whole = floor(log10_p)
    digits = f"{10 ** (log10_p - whole):z.2f}"
    return f"1.00e{whole + 1:03d}" if digits == "10.00" else f"{digits}e{whole:03d}"
