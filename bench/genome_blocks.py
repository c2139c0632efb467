"""loc_block on studies of a real region: which blocks are valid, what an answer is worth, and the distribution of the answers.

The paper's region is one of HapMap. Its substitute: 405 people of the 1000 Genomes Project at the same locus (IL23R); of the
variants whose minor allele at least 5 % carry every fourth, the first 250, dominant.

The value of an answer is the paper's (Johnson and Shmatikov 2013, Section 7.3): summed over the blocks o of it, the largest of
2 |o and b| - |o| over all valid blocks b; "no block" counts 0. It is given as a part of the largest value that so many disjoint blocks
can have.
"""

import os
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.peers import ROOT
from starling.genome.counts.pairs import carriers, pair_distances
from starling.genome.distance.rules import of_correlation
from starling.genome.plan.queries import Selection
from starling.genome.scores.blocks import DELTA_M, block_scores
from starling.genome.scores.candidates import Candidates, candidates

Bool: TypeAlias = npt.NDArray[np.bool_]
Float: TypeAlias = npt.NDArray[np.float64]
Int16: TypeAlias = npt.NDArray[np.int16]
Int64: TypeAlias = npt.NDArray[np.int64]
Span: TypeAlias = tuple[int, int]

SNPS: Final = 250
LEAST_SHARE: Final = Fraction(1, 20)
BLOCKS: Final = 3
_FAR: Final = 60
"""Candidates with a weight below e^-60 of the best one's are left out."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def region() -> Bool:
    """Who carries what: bool (405, variants that at least 5 % carry), in the order of the genome."""
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data")
    file = data / "genome" / "il23r_1kg" / "il23r_geno.npz"
    if not file.exists():
        sys.exit("no region: set STARLING_DATA to the folder that holds genome/il23r_1kg")
    copies = np.load(file)["geno"]
    rarer = np.where(2 * copies.sum(axis=0) > 2 * len(copies), 2 - copies, copies)
    held: Bool = rarer >= 1
    return held[:, held.sum(axis=0) >= LEAST_SHARE * len(held)]


def every_fourth(held: Bool) -> Bool:
    """The region of the figure: bool (405, 250)."""
    return held[:, :: held.shape[1] // SNPS][:, :SNPS]


def valid_blocks(held: Bool, delta_c: Fraction) -> Bool:
    """Whether each (k, l) is a valid block, bool (m, m): Definition 1, in exact arithmetic.

    Only frequent SNPs count. From k to l all is well when k goes with each of those up to l, and l with each from k on.
    """
    people = len(held)
    number: Int64 = held.sum(axis=0)
    places = np.flatnonzero(number * DELTA_M.denominator > DELTA_M.numerator * people)
    bits = held[:, places].astype(np.float64)
    first = number[places]
    delta = people * (bits.T @ bits).astype(np.int64) - np.outer(first, first)
    margins = np.outer(first * (people - first), first * (people - first))
    # n below 2^13: both sides below 2^63.
    goes = delta**2 * delta_c.denominator > delta_c.numerator * margins
    np.fill_diagonal(goes, True)
    # Below the diagonal there is nothing that could fail.
    goes |= np.tri(len(places), dtype=np.bool_)
    rightwards = np.logical_and.accumulate(goes, axis=1)
    downwards = np.logical_and.accumulate(goes[::-1], axis=0)[::-1]
    out = np.zeros((held.shape[1], held.shape[1]), dtype=np.bool_)
    out[np.ix_(places, places)] = np.triu(rightwards & downwards)
    return out


def longest_apart(valid: Bool, number: int = BLOCKS) -> list[Span]:
    """The longest valid block, then the longest that does not touch it, and so on: what is asked for."""
    places = np.arange(len(valid))
    left, found = np.where(valid, places - places[:, np.newaxis] + 1, 0), list[Span]()
    while len(found) < number and left.any():
        k, end = divmod(int(left.argmax()), len(valid))
        found.append((k, end))
        left[: end + 1, k:] = 0
    return found


def values(valid: Bool) -> Int64:
    """The value of every block (k, l), int64 (m, m)."""
    places = np.arange(len(valid))
    # Of the runs inside (k, l) and inside a valid block: the longest that ends at l, then at l or before.
    inside = np.maximum(0, places - np.maximum(places[:, np.newaxis], _starts(valid)) + 1)
    best = np.maximum.accumulate(np.triu(inside), axis=1)
    return np.asarray(2 * best - (places - places[:, np.newaxis] + 1))


def optimum(valid: Bool, number: int) -> int:
    """The largest value of so many disjoint blocks: the most SNPs that they can hold, each inside a valid block."""
    best = np.zeros(len(valid) + 1, dtype=np.int64)
    starts = _starts(valid).tolist()
    for _ in range(number):
        one_more = best.copy()
        for end, start in enumerate(starts):
            with_this = best[start] + end - start + 1 if start <= end else 0
            one_more[end + 1] = max(one_more[end + 1], one_more[end], with_this)
        best = one_more
    return int(best[-1])


def _starts(valid: Bool) -> Int64:
    """Of each SNP the first one of all valid blocks that contain it; m for none."""
    snps = len(valid)
    first = np.where(valid.any(axis=0), valid.argmax(axis=0), snps)
    # A block that ends at the SNP or later contains it if it starts there or earlier.
    reach = np.minimum.accumulate(first[::-1])[::-1]
    return np.where(reach <= np.arange(snps), reach, snps)


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of a selection, by score.

    Attributes:
        levels: Distances of scores from the best one, as they occur, but for those too far off, int64 (L,).
        counts: Candidates of each, int64 (L,).
        chances: Of one candidate of each, float64 (L,).
    """

    levels: Int64
    counts: Int64
    chances: Float

    @classmethod
    def of(cls, scores: Int16, epsilon: Fraction, selection: Selection) -> "Distribution":
        """Of scores of sensitivity 1: in doubles, the integral of permute-and-flip by Gauss and Legendre's rule."""
        far = np.bincount(int(scores.max()) - scores.astype(np.int64))
        levels = np.flatnonzero(far)
        counts = far[levels]
        near = levels * float(epsilon) / 2 < _FAR
        levels, counts = levels[near], counts[near]
        heads = np.exp(-float(epsilon) / 2 * levels)
        if selection == "exponential":
            return cls(levels, counts, heads / (counts @ heads))
        # A candidate wins at time t when its coin shows heads and no other's did before.
        edges = np.concatenate(([0.0], 2.0 ** np.arange(-24, 1)))
        width = np.diff(edges)[:, np.newaxis] / 2
        times = (edges[:-1, np.newaxis] + width * (NODES + 1)).ravel()
        none_yet = np.exp(counts @ np.log1p(-np.outer(heads, times)))
        return cls(
            levels, counts, heads * (((width * WEIGHTS).ravel() * none_yet) / (1 - np.outer(heads, times))).sum(axis=1)
        )


@dataclass(slots=True)
class Study:
    """People of the region, and what loc_block may answer about them.

    Attributes:
        held: Who carries what, bool (n, m).
        delta_c: What a correlation must exceed.
    """

    held: Bool
    delta_c: Fraction
    valid: Bool = field(init=False)
    _values: Int64 = field(init=False)
    _most: int = field(init=False)
    _pairs: Int16 = field(init=False)
    _number: Int64 = field(init=False)
    _scores: dict[frozenset[Span], tuple[Candidates, Int16]] = field(init=False, default_factory=dict)
    _distributions: dict[tuple[frozenset[Span], Fraction, Selection], Distribution] = field(
        init=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        people, snps = self.held.shape
        self.valid = valid_blocks(self.held, self.delta_c)
        self._values, self._most = values(self.valid), optimum(self.valid, BLOCKS)
        packed = np.packbits(self.held.T, axis=1, bitorder="little")
        bits = np.zeros((snps, 8 * -(-people // 64)), dtype=np.uint8)
        bits[:, : packed.shape[1]] = packed
        words = bits.view("<u8").astype(np.uint64)
        self._number = carriers(words)
        whole = candidates(snps, [(0, snps)], range(snps))
        laid_out = pair_distances(words, people, of_correlation("r2", self.delta_c, people), whole)
        self._pairs = np.zeros((snps, snps), dtype=np.int16)
        self._pairs[np.triu_indices(snps)] = laid_out[:-1]

    def scores(self, found: frozenset[Span]) -> tuple[Candidates, Int16]:
        """The eligible blocks beside those found, which leave some, and their scores."""
        if found not in self._scores:
            people, snps = self.held.shape
            edges = [-1, *(edge for span in sorted(found) for edge in span), snps]
            gaps = [(start + 1, stop) for start, stop in zip(edges[::2], edges[1::2], strict=True) if start + 1 < stop]
            among = candidates(snps, gaps, range(snps))
            rows = np.repeat(np.arange(snps), np.diff(among.offsets))
            columns = rows + np.arange(rows.size) - among.offsets[rows]
            pairs = np.append(self._pairs[rows, columns], np.int16(0))
            self._scores[found] = among, block_scores(pairs, self._number, people, among)
        return self._scores[found]

    def distribution(self, found: frozenset[Span], epsilon: Fraction, selection: Selection) -> Distribution:
        """Of the answer beside the blocks found."""
        key = (found, epsilon, selection)
        if key not in self._distributions:
            self._distributions[key] = Distribution.of(self.scores(found)[1], epsilon, selection)
        return self._distributions[key]

    def one_best(self, epsilon: Fraction, selection: Selection) -> float:
        """The probability that one block is a longest valid one; exact."""
        distribution, scores = (
            self.distribution(frozenset(), epsilon, selection),
            self.scores(frozenset())[1].astype(np.int64),
        )
        best = optimum(self.valid, 1)
        # Blocks in the order of their numbers; "no block" is the last.
        right = self._values[np.triu_indices(len(self.valid))] == best
        distances = scores.max() - scores[:-1][right]
        likely = distances[distances <= distribution.levels[-1]]
        return float(distribution.chances[np.searchsorted(distribution.levels, likely)].sum())

    def draw(self, numbers: np.random.Generator, epsilon: Fraction, selection: Selection) -> float:
        """The value of three blocks, one after the other, each at `epsilon`; as a part of the largest."""
        found, value = frozenset[Span](), 0
        for _ in range(BLOCKS):
            if sum(end - k + 1 for k, end in found) == len(self.valid):
                break
            among, scores = self.scores(found)
            distribution = self.distribution(found, epsilon, selection)
            chances = np.cumsum(distribution.counts * distribution.chances)
            drawn = int(np.searchsorted(chances, numbers.random() * chances[-1], "right"))
            level = distribution.levels[min(drawn, chances.size - 1)]
            chosen = int(numbers.choice(np.flatnonzero(scores == int(scores.max()) - level)))
            if chosen < among.count:
                block = among.block(chosen)
                found, value = found | {block}, value + int(self._values[block])
        return value / self._most
