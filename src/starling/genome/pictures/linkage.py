"""An LD heat map: released correlations of pairs as triangles, released blocks as outlines, and all that was not asked as such.

A correlation that was not released is never shown: its cell is empty and marked. That a block was released tells no correlation
of a pair in it. SNPs belong together that a released pair names or a released block holds.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb, floor
from typing import Final

from starling.genome.pictures.answers import SURE, Answers, shortest
from starling.genome.pictures.naming import short
from starling.genome.pictures.view import View
from starling.genome.postprocess.estimates import Correlated
from starling.genome.postprocess.wording import MEASURES
from starling.pages.letters import SMALL, text_width
from starling.pages.marks import Box, Entry, Sheet, heat, on

WITHIN: Final = 40
"""A block of so many SNPs shows all of them; a longer one its ends and what else was released in it."""


@dataclass(frozen=True, slots=True)
class LinkedSnps:
    """SNPs that released pairs or blocks hold together.

    Attributes:
        snps: Ids, in order of the list; two or more.
        measure: "r2" or "dprime"; empty where only blocks were released.
        pairs: The released correlations of that measure, by the positions of both SNPs in `snps`, the smaller first.
        blocks: Released blocks, each by the positions of its first and last SNP in `snps`.
    """

    snps: tuple[str, ...]
    measure: str
    pairs: dict[tuple[int, int], Correlated]
    blocks: tuple[tuple[int, int], ...]


def linked_snps(answers: Answers) -> list[LinkedSnps]:
    """The groups in order of the list; one for each measure of correlation where both were asked for.

    Of a pair that was asked for more than once the correlation with the shortest interval is taken.
    """
    index = answers.plan.snps.index
    blocks = [(index(first), index(last)) for first, last in answers.blocks]
    ends = {pair: _ordered(index(pair.first), index(pair.second)) for pair in answers.pairs}
    released = {*map(index, answers.located), *(index(each.snp) for each in answers.p_values)}
    indices = {end for link in (*ends.values(), *blocks) for end in link}
    for low, high in blocks:
        indices |= set(range(low, high + 1)) if high - low < WITHIN else {at for at in released if low <= at <= high}
    inside = ([at for at in indices if low <= at <= high] for low, high in blocks)
    return [
        linked
        for members in _joined([*ends.values(), *inside])
        if len(members) > 1
        for linked in _linked(answers, members, blocks, ends)
    ]


def _ordered(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _joined(links: Iterable[Collection[int]]) -> list[list[int]]:
    """Indices, put together where a link joins them."""
    groups: list[set[int]] = []
    for link in links:
        joined = set(link).union(*(group for group in groups if not group.isdisjoint(link)))
        groups = [*(group for group in groups if group.isdisjoint(joined)), joined]
    return sorted(map(sorted, groups))


def _linked(
    answers: Answers, members: list[int], blocks: list[tuple[int, int]], ends: dict[Correlated, tuple[int, int]]
) -> list[LinkedSnps]:
    at = {index: number for number, index in enumerate(members)}
    snps = tuple(answers.plan.snps.ids[index] for index in members)
    inside = tuple(dict.fromkeys((at[low], at[high]) for low, high in blocks if low in at and high in at))
    here = {pair: (at[low], at[high]) for pair, (low, high) in ends.items() if low in at}
    pairs = {
        measure: shortest((pair for pair in here if pair.measure == measure), here.__getitem__, lambda pair: pair.value)
        for measure in sorted({pair.measure for pair in here})
    }
    return [LinkedSnps(snps, measure, of_measure, inside) for measure, of_measure in (pairs or {"": {}}).items()]


WIDTH: Final = 500.0
"""Points that triangles take beside one another at most."""
LARGEST: Final = 46.0
"""Points from one SNP to the next at most."""
WITHOUT: Final = 18.0
"""Points from one SNP to the next at most where no correlation was released."""
WITH_RANGE: Final = 32.0
"""Points from one SNP to the next at least where a cell tells value and interval."""
WITH_VALUE: Final = 16.0
"""Points from one SNP to the next at least where a cell tells the value."""
ONE_BY_ONE: Final = 7.0
"""Points from one SNP to the next at least where SNPs are named and cells that were not asked are drawn each."""
TRIANGLES: Final = 8
"""Triangles that are drawn at most."""
_MAP: Final = 24.0
"""Points from the names to the map of base pairs."""
_ROOM: Final = 34.0
"""Points between triangles."""
_FIRST: Final = 22.0
"""Points from the legend to the first title."""
_TINY: Final = 5.5
"""Points of the letters at the map."""
_PALEST: Final = 0.12
"""Shade of a correlation of 0, so that it is released from what was not asked."""


def shown(answers: Answers) -> bool:
    """Whether there is anything to draw: a pair, or a block of two SNPs or more."""
    return bool(linked_snps(answers))


def linkage(answers: Answers) -> Sheet:
    """The picture.

    Args:
        answers: With a pair or a block of two SNPs at least.
    """
    drawn = linked_snps(answers)[:TRIANGLES]
    spots, low = _laid_out(answers, drawn)
    sheet = Sheet(WIDTH, low, 0)
    sheet.legend(0, 0, WIDTH, _legend(drawn))
    for number, (linked, spot) in enumerate(zip(drawn, spots, strict=True)):
        title = _title(answers, linked)
        sheet.text(spot.x, spot.top - SMALL / 2, title, f"title-{number}", anchor="start", size=SMALL, bold=True)
        _map(sheet, answers, linked, spot)
        if spot.names:
            for at, snp in enumerate(linked.snps):
                x = spot.x + (at + 0.5) * spot.step
                sheet.text(x, spot.base + 4, short(snp), f"snp-{number}", size=SMALL, anchor="start", upright=True)
        _triangle(sheet, linked, spot, number)
    return sheet


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a triangle lies on the sheet, in points.

    Attributes:
        x: Its left corner.
        top: Where its title begins, from the top.
        base: Its upper edge.
        step: The distance from one SNP to the next.
        names: How high the names of its SNPs are; 0 where there is no room for any.
    """

    x: float
    top: float
    base: float
    step: float
    names: float


def _laid_out(answers: Answers, drawn: Sequence[LinkedSnps]) -> tuple[list[_Spot], float]:
    """Triangles beside one another as long as there is room, then below; and where the lowest ends."""
    x, top, low = 0.0, -_FIRST, -_FIRST
    spots = []
    for linked in drawn:
        step = min(LARGEST if linked.pairs else WITHOUT, WIDTH / len(linked.snps))
        titles = text_width(_title(answers, linked), SMALL), text_width(_ends(answers, linked), _TINY)
        wide = max(step * len(linked.snps), *titles)
        if x and x + wide > WIDTH:
            x, top = 0.0, low - _ROOM
        names = max(text_width(short(snp), SMALL) for snp in linked.snps) if step >= ONE_BY_ONE else 0.0
        base = top - 22 - _MAP - names
        spots.append(_Spot(x, top, base, step, names))
        low = min(low, base - step * len(linked.snps) / 2)
        x += wide + _ROOM
    return spots, low


def _title(answers: Answers, linked: LinkedSnps) -> str:
    snps = answers.plan.snps
    names = dict.fromkeys(short(snps.chromosomes[snps.index(snp)]) for snp in linked.snps)
    where = f"chromosome{'s' * (len(names) > 1)} {', '.join(names)}"
    return f"{where}: {MEASURES[linked.measure]}" if linked.measure else f"{where}: no correlation asked for"


def _map(sheet: Sheet, answers: Answers, linked: LinkedSnps, spot: _Spot) -> None:
    """Where the SNPs lie among the base pairs, above their names; nothing for SNPs of several chromosomes."""
    snps = answers.plan.snps
    indices = [snps.index(snp) for snp in linked.snps]
    if not (ends := _ends(answers, linked)):
        return
    x, y, wide = spot.x, spot.base + spot.names + 6, spot.step * len(indices)
    low, high = float(snps.positions[indices[0]]), float(snps.positions[indices[-1]])
    view = View.around(snps, snps.chromosomes[indices[0]], low, high, wide)
    line = y + _MAP - 6
    listed = [Box(x + left - 0.2, line, x + left + length + 0.2, line + 4) for left, length in view.runs(0.75)]
    sheet.bars(listed, "muted", "list")
    sheet.lines([[(x, line), (x + wide, line)]], "muted", "map")
    joints = [
        [(x + at, line), (x + (number + 0.5) * spot.step, y)]
        for number, snp in enumerate(linked.snps)
        if (at := view.of(snp)) is not None
    ]
    sheet.lines(joints, "muted", "joints", thick=0.4)
    sheet.text(x, line + 9, ends, "map-ends", anchor="start", size=_TINY, colour="muted")


def _ends(answers: Answers, linked: LinkedSnps) -> str:
    """Where a group begins and ends, and how many SNPs of the list are not shown; empty for SNPs of several chromosomes."""
    snps = answers.plan.snps
    first, last = snps.index(linked.snps[0]), snps.index(linked.snps[-1])
    if snps.chromosomes[first] != snps.chromosomes[last]:
        return ""
    low, high = int(snps.positions[first]), int(snps.positions[last])
    text = f"{low:,} to {high:,}, {high - low:,} base pairs"
    if (listed := last - first + 1) > len(linked.snps):
        text += f"; {len(linked.snps):,} of {listed:,} SNPs shown"
    return text


def _triangle(sheet: Sheet, linked: LinkedSnps, spot: _Spot, number: int) -> None:
    """Cells, what they tell, and the outlines of blocks."""
    x, y, step, count = spot.x, spot.base, spot.step, len(linked.snps)

    def cell(one: int, other: int) -> tuple[float, float]:
        """The middle of the cell of two SNPs."""
        return x + (one + other + 1) * step / 2, y - (other - one) * step / 2

    absent = [cell(*pair) for pair in combinations(range(count), 2) if pair not in linked.pairs]
    if step >= ONE_BY_ONE:
        sheet.shapes([_diamond(middle, step) for middle in absent], "paper", "faint", f"absent-{number}")
        sheet.dots(absent, "x", "muted", f"mark-{number}", size=min(4.0, step / 5))
    else:
        top = y - step / 2
        whole = [(x + step / 2, top), (x + (count - 0.5) * step, top), (x + count * step / 2, y - count * step / 2)]
        sheet.shapes([whole], "paper", "faint", f"absent-{number}")
    for pair, released in sorted(linked.pairs.items(), key=lambda item: item[0]):
        value, middle = released.value, cell(*pair)
        shade = heat(_shade(min(max(value.estimate, 0.0), 1.0)))
        sheet.shapes([_diamond(middle, step)], shade, "paper", f"cell-{number}-{pair[0]}-{pair[1]}")
        ink = on(shade)
        if step >= WITH_VALUE:
            up = 3.6 if step >= WITH_RANGE else 0.0
            size = min(7.5, step / 3.2)
            sheet.text(middle[0], middle[1] + up, _share(value.estimate), f"value-{number}", colour=ink, size=size)
            if up:
                ends = f"{_share(floor(100 * value.low) / 100)}–{_share(ceil(100 * value.high) / 100)}"
                sheet.text(middle[0], middle[1] - 4.2, ends, f"range-{number}", colour=ink, size=4.8)
    outlines = [
        [
            (x + first * step, y),
            (x + (last + 1) * step, y),
            (x + (first + last + 1) * step / 2, y - (last - first + 1) * step / 2),
        ]
        for first, last in linked.blocks
    ]
    sheet.shapes(outlines, "none", "mark", f"blocks-{number}", thick=1.4)


def _diamond(middle: tuple[float, float], step: float) -> list[tuple[float, float]]:
    (x, y), half = middle, step / 2
    return [(x - half, y), (x, y + half), (x + half, y), (x, y - half)]


def _shade(value: float) -> float:
    """How dark the cell of a correlation is."""
    return _PALEST + (1 - _PALEST) * value


def _share(value: float) -> str:
    """Two digits of a number from 0 to 1, the 0 before the point left out."""
    text = f"{min(max(value, 0.0), 1.0):z.2f}"
    return text.removeprefix("0") if value < 0.995 else "1"


def _legend(drawn: Sequence[LinkedSnps]) -> list[Entry]:
    entries = []
    measures = [MEASURES[measure] for measure in dict.fromkeys(linked.measure for linked in drawn) if measure]
    if measures:
        entries = [Entry("box", heat(_shade(0.0)), f"{' or '.join(measures)} 0")]
        entries += [Entry("box", heat(_shade(value)), f"{value:g}") for value in (0.25, 0.5, 0.75, 1.0)]
    if any(len(linked.pairs) < comb(len(linked.snps), 2) for linked in drawn):
        entries.append(Entry("absent", "muted", "not asked: nothing is released of this pair"))
    if any(linked.blocks for linked in drawn):
        entries.append(Entry("-", "mark", "released block"))
    return entries


def caption(answers: Answers) -> str:
    """What the picture says, in words."""
    groups = linked_snps(answers)
    parts = []
    pairs = sum(len(linked.pairs) for linked in groups)
    if pairs:
        parts.append(
            f"Released correlations of pairs of SNPs: {pairs:,}. Each cell tells the correlation and, where there is room, the range"
            f" that the noise leaves open, with a probability of {SURE} by itself."
        )
    if answers.blocks:
        parts.append(
            f"Released blocks: {len(answers.blocks):,}. A block tells no correlation of a single pair in it; one of a single SNP has no"
            " triangle."
        )
    parts.append("An empty cell was not asked for: nothing was released of that pair.")
    if len(groups) > TRIANGLES:
        parts.append(f"The first {TRIANGLES} of {len(groups):,} triangles are drawn.")
    return " ".join(parts)
