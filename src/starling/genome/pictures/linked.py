"""Which SNPs belong together: those that a released pair names and those that a released block holds."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from starling.genome.pictures.answers import Answers, Pair

WITHIN: Final = 40
"""A block of so many SNPs shows all of them; a longer one its ends and what else was released in it."""


@dataclass(frozen=True, slots=True)
class Group:
    """SNPs that released pairs or blocks hold together.

    Attributes:
        snps: Ids, in order of the list; two or more.
        measure: "r2" or "dprime"; empty where only blocks were released.
        pairs: Of that measure, by the places of both SNPs in `snps`, the smaller first.
        blocks: By the places of first and last.
    """

    snps: tuple[str, ...]
    measure: str
    pairs: dict[tuple[int, int], Pair]
    blocks: tuple[tuple[int, int], ...]


def groups(answers: Answers) -> list[Group]:
    """The groups in order of the list; one for each measure of correlation where both were asked for.

    Of a pair that was asked for more than once the correlation with the shortest interval is taken.
    """
    place = answers.plan.snps.place
    blocks = [(place(block.first), place(block.last)) for block in answers.blocks]
    pairs = [_ordered(place(pair.first), place(pair.second), pair) for pair in answers.pairs]
    released = {*map(place, answers.located), *(place(each.snp) for each in answers.p_values)}
    places = {end for low, high, _ in pairs for end in (low, high)} | {end for block in blocks for end in block}
    for low, high in blocks:
        places |= set(range(low, high + 1)) if high - low < WITHIN else {at for at in released if low <= at <= high}
    found = []
    for members in _joined(sorted(places), [(low, high) for low, high, _ in pairs], blocks):
        if len(members) > 1:
            found += _groups(answers, members, blocks, pairs)
    return found


def _ordered(one: int, other: int, pair: Pair) -> tuple[int, int, Pair]:
    return min(one, other), max(one, other), pair


def _joined(places: list[int], pairs: Iterable[tuple[int, int]], blocks: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The places, put together where a pair or a block joins them: union and find."""
    parents = list(range(len(places)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    def join(one: int, other: int) -> None:
        low, high = sorted((root(one), root(other)))
        parents[high] = low

    for low, high in pairs:
        join(bisect_left(places, low), bisect_left(places, high))
    for low, high in blocks:
        start = bisect_left(places, low)
        for at in range(start + 1, bisect_right(places, high)):
            join(start, at)
    members: dict[int, list[int]] = {}
    for at, item in enumerate(places):
        members.setdefault(root(at), []).append(item)
    return list(members.values())


def _groups(
    answers: Answers, members: list[int], blocks: list[tuple[int, int]], pairs: list[tuple[int, int, Pair]]
) -> list[Group]:
    at = {place: number for number, place in enumerate(members)}
    snps = tuple(answers.plan.snps.ids[place] for place in members)
    inside = tuple(dict.fromkeys((at[low], at[high]) for low, high in blocks if low in at and high in at))
    held: dict[str, dict[tuple[int, int], Pair]] = {}
    for low, high, pair in pairs:
        if low in at:
            of_measure = held.setdefault(pair.measure, {})
            known = of_measure.setdefault((at[low], at[high]), pair)
            if pair.high - pair.low < known.high - known.low:
                of_measure[at[low], at[high]] = pair
    return [Group(snps, measure, held[measure], inside) for measure in sorted(held)] or [Group(snps, "", {}, inside)]
