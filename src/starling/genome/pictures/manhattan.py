"""A Manhattan plot of noisy answers: every released p-value at its place in the genome, with what the noise leaves open.

Below it three lanes at most: SNPs that were located and have no p-value, released blocks, and the public SNP list. Where SNPs that matter
stand too close together to be told apart, up to three places are shown once more, enlarged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starling.genome.pictures.answers import SURE, Answers
from starling.genome.pictures.association import SIGNS, Panel, draw
from starling.genome.pictures.naming import short
from starling.genome.pictures.view import View, clusters
from starling.genome.postprocess.wording import TESTS
from starling.pages.axes import ticks, top_of
from starling.pages.letters import LETTERS, SMALL, text_width
from starling.pages.marks import Entry, Sheet

WIDTH: Final = 500.0
"""Points between the ends of the genome."""
HIGH: Final = 185.0
"""Points from p = 1 to the smallest p-value shown."""
LARGE: Final = 105.0
"""Points from p = 1 to the smallest p-value shown of an enlarged part."""
NAMES: Final = 45.0
"""Points of a panel where there is no p-value: room for names."""
ENLARGED: Final = 3
"""Parts of the genome that are shown once more, at most."""
CLOSE: Final = 5.0
"""Points between two SNPs that are too close to tell apart."""
WIDEST: Final = WIDTH / 20
"""Points that a part takes at most; a wider one needs no enlargement."""
MANY: Final = 12
"""Chromosomes; the names of more are smaller."""
BASE_PAIRS: Final = 5000
"""A view of fewer is labelled by base pairs, one of more by millions."""
_AXIS: Final = 26.0
"""Points that the axis below a panel takes."""
_ROOM: Final = 24.0
"""Points between panels."""


@dataclass(frozen=True, slots=True)
class _Enlarged:
    """A part of the genome that is shown once more.

    Attributes:
        letter: The letter by which both panels call it.
        chromosome: Its name.
        low: First base pair of interest.
        high: Last.
        snps: Ids of the SNPs that it tells apart.
    """

    letter: str
    chromosome: str
    low: float
    high: float
    snps: tuple[str, ...]


def shown(answers: Answers) -> bool:
    """Whether there is anything to draw."""
    return bool(answers.p_values or answers.located or answers.blocks)


def manhattan(answers: Answers) -> Sheet:
    """The picture.

    Args:
        answers: With a p-value, a located SNP or a block at least.
    """
    whole = View.whole(answers.plan.snps, WIDTH)
    parts, top = _crowded(answers, whole), 0.0
    if answers.p_values:
        needed = max(-answers.limit, *(-each.log10.estimate for each in answers.p_values))
        top = top_of(needed, max(-each.log10.low for each in answers.p_values))
    main = Panel(answers, whole, 0.0, 0.0, HIGH if top else NAMES, top, "all")
    sheet = Sheet(WIDTH, main.floor, main.high)
    draw(sheet, main, {snp: part.letter for part in parts for snp in part.snps}, titled=True)
    if top:
        for label, up in (("α/m =", 5), (scientific(float(answers.threshold)), -5)):
            sheet.text(WIDTH + 4, main.height(answers.limit) + up, label, anchor="start", size=SMALL, colour="warn")
    _below(sheet, main)
    sheet.legend(0, main.high + 14, WIDTH, _legend(answers, top))
    high = LARGE if top else NAMES
    wide = (WIDTH - _ROOM * (len(parts) - 1)) / len(parts) if len(parts) > 1 else 0.6 * WIDTH
    for number, part in enumerate(parts):
        view = View.around(answers.plan.snps, part.chromosome, part.low, part.high, wide)
        y = main.floor - _AXIS - _ROOM - high
        panel = Panel(answers, view, number * (wide + _ROOM), y, high, top, f"place-{part.letter}")
        draw(sheet, panel, {}, titled=number == 0)
        _below(sheet, panel)
        sheet.text(panel.x, y + high + 9, part.letter, f"{panel.name}-letter", bold=True, size=8.5)
    return sheet


def _below(sheet: Sheet, panel: Panel) -> None:
    """The axis below a panel: chromosomes, or base pairs where there is one."""
    if len(panel.view.parts) == 1:
        _base_pairs(sheet, panel)
        return
    size = LETTERS if len(panel.view.parts) <= MANY else SMALL
    names = [short(part.chromosome) for part in panel.view.parts]
    middles = [panel.x + (part.left + part.right) / 2 for part in panel.view.parts]
    halves = [text_width(name, size) / 2 for name in names]
    for name, middle in zip(names, apart(middles, halves, panel.x, panel.x + panel.view.width), strict=True):
        if middle is not None:
            sheet.text(middle, panel.floor - 8, name, f"{panel.name}-chromosome", size=size)
    sheet.text(panel.x + panel.view.width / 2, panel.floor - 20, "chromosome")


def apart(middles: Sequence[float], halves: Sequence[float], low: float, high: float) -> list[float | None]:
    """Where names stand that would touch at their middles: moved apart from low to high; None for those left out where not all fit."""
    moved = list(middles)
    for at in range(1, len(moved)):
        moved[at] = max(moved[at], moved[at - 1] + halves[at - 1] + 1 + halves[at])
    right = high + halves[-1]
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], right - halves[at])
        right = moved[at] - halves[at] - 1
    if moved[0] >= low - halves[0]:
        return [*moved]
    places: list[float | None] = []
    end = low - 10
    for middle, half in zip(middles, halves, strict=True):
        fits = middle - half > end + 1
        places.append(middle if fits else None)
        end = middle + half if fits else end
    return places


def _base_pairs(sheet: Sheet, panel: Panel) -> None:
    (part,) = panel.view.parts
    scale = (part.right - part.left) / (part.high - part.low)
    unit, unit_name = (1, "base pairs") if part.high - part.low < BASE_PAIRS else (10**6, "million base pairs")
    values = ticks(part.low / unit, part.high / unit, max(2, int(panel.view.width / 50)))
    digits = max((len(f"{value:z.6f}".rstrip("0").partition(".")[2]) for value in values), default=0)
    left = panel.x + part.left
    numbers = [(left + (value * unit - part.low) * scale, f"{value:z,.{digits}f}") for value in values]
    sheet.numbers_below(panel.floor, numbers)
    sheet.text(panel.x + panel.view.width / 2, panel.floor - 20, f"chromosome {short(part.chromosome)}, {unit_name}")


def _crowded(answers: Answers, view: View) -> tuple[_Enlarged, ...]:
    """Where SNPs that matter stand too close together: the parts with the smallest p-values, in order of the genome.

    What matters is an estimate at or beyond the threshold, and what the study itself named.
    """
    snps = answers.plan.snps
    sizes = dict.fromkeys(answers.only_located, 0.0)
    for each in answers.p_values:
        if answers.selected(each) or each.log10.estimate <= answers.limit:
            sizes[each.snp] = min(sizes.get(each.snp, 0.0), each.log10.estimate)
    at = {snp: x for snp in sorted(sizes, key=snps.index) if (x := view.of(snp)) is not None}
    crowds = []
    for begin, end in clusters(at.values(), CLOSE):
        inside = tuple(snp for snp, x in at.items() if begin <= x <= end)
        where = {snps.chromosomes[snps.index(snp)] for snp in inside}
        if end - begin < WIDEST and len(where) == 1:
            crowds.append((min(sizes[snp] for snp in inside), begin, where.pop(), inside))
    index, parts = snps.index, []
    strongest = sorted(sorted(crowds)[:ENLARGED], key=lambda one: one[1])
    blocks = [(index(first), index(last)) for first, last in answers.blocks]
    for letter, (_, _, chromosome, inside) in zip("abc", strongest, strict=False):
        # From the first to the last of the SNPs and of the blocks that touch them.
        first, last = index(inside[0]), index(inside[-1])
        touching = [(first, last), *(block for block in blocks if block[0] <= last and block[1] >= first)]
        low, high = min(begin for begin, _ in touching), max(end for _, end in touching)
        ends = float(snps.positions[low]), float(snps.positions[high])
        parts.append(_Enlarged(letter, chromosome, *ends, inside))
    return tuple(parts)


def _legend(answers: Answers, top: float) -> list[Entry]:
    """What the signs say, of those that are there."""
    values = answers.p_values
    entries: list[Entry] = []
    tests = tuple(dict.fromkeys(each.test for each in values))
    inside = [each.log10.high <= answers.limit for each in values]
    if len(tests) > 1:
        entries += [Entry(SIGNS[test], "accent", f"{TESTS[test]} test", hollow=True) for test in tests]
    elif not all(inside):
        entries.append(Entry("o", "accent", f"p-value, {TESTS[tests[0]]} test", hollow=True))
    further = (
        (any(inside), Entry("o", "accent", "whole interval at or below α/m")),
        (values, Entry("|", "accent", f"{SURE} interval of the noise")),
        (any(each.log10.high >= 0 for each in values), Entry("+", "accent", "it reaches p = 1")),
        (any(-each.log10.low > top for each in values), Entry("^", "accent", "it goes on beyond the picture")),
        (answers.only_located, Entry("d", "ink", "located, no p-value asked for", hollow=True)),
        (answers.blocks, Entry("box", "mark", "released block")),
    )
    return [*entries, *(entry for is_there, entry in further if is_there)]


def scientific(value: float) -> str:
    """A small number in Unicode.

    >>> scientific(5.0327e-6)
    '5.03 × 10⁻⁶'
    """
    digits, _, power = f"{value:z.2e}".partition("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{float(digits):g} × 10{raised}"


def caption(answers: Answers) -> str:
    """What the picture says, in words."""
    parts = []
    if values := answers.p_values:
        tests = ", ".join(dict.fromkeys(f"{TESTS[each.test]} test" for each in values))
        inside = sum(each.log10.high <= answers.limit for each in values)
        parts.append(
            f"Released p-values ({tests}) at their places in the genome: {len(values):,}. A bar is the range that the noise leaves open,"
            f" each with a probability of {SURE} by itself. The dashed line is the threshold α/m = {scientific(float(answers.threshold))};"
            f" of {inside:,} the whole range is at or below it."
        )
    if answers.only_located:
        parts.append(f"Located among the most significant, without a p-value: {len(answers.only_located):,}.")
    if answers.blocks:
        parts.append(f"Released blocks: {len(answers.blocks):,}.")
    parts.append(
        f"The lowest lane is the public list of SNPs, {len(answers.plan.snps):,} in all; of a SNP without a sign"
        " above it nothing was released by itself."
    )
    return " ".join(parts)
