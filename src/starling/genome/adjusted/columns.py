"""Columns of SNPs with covariates taken out: what is left of the copies of an allele that intercept and covariates do not explain.

The rules are public and total, so that no byte of a file makes them fail. A missing call is the mean of the calls of its SNP. A covariate
that the intercept and those before it explain to all but 1e-7 of its spread is left out, and a SNP that the basis explains to all but a
millionth of its variance is a column of zeros: it can say nothing about a response.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from starling.genome.adjusted.sums import CallCounts, Weights, call_counts, coded, on_grid, padded, sums_with_means
from starling.genome.arrays import Flags, Float64, Int64, UInt8
from starling.genome.source.calls import Calls
from starling.privacy.compiled import compiled

Coding: TypeAlias = Literal["additive", "dominant", "recessive"]
"""The number of a person at a SNP: copies of the carried allele (0, 1, 2), whether there is one, or whether there are two."""

DEPENDENT: Final = 1e-7
"""Share of the spread of a covariate (root of the sum of squares about the mean) below which the rest is no more than rounding."""
EXPLAINED: Final = 1e-6
"""Share of the sum of squares about the mean below which the rest of a SNP counts as nothing."""
GRID: Final = 48
"""Bits of the sums of a single person that surely are right, eight times what rounding to the grid takes."""
TILE: Final = 1 << 20
"""Numbers of a tile: eight megabytes of doubles, or one SNP where that is more."""

CODED: Final[dict[Coding, Float64]] = {
    "additive": np.array([0.0, 1.0, 2.0]),
    "dominant": np.array([0.0, 1.0, 1.0]),
    "recessive": np.array([0.0, 0.0, 1.0]),
}
"""By copies of the carried allele."""


class Columns(NamedTuple):
    """Some SNPs of the list.

    Attributes:
        snps: Their positions in the plan's list, int64 (c,).
        values: Their columns with the basis projected out, not scaled, float64 (c, n).
        means: Mean of the coded calls of each, before that; float64 (c,), 0 where there is no call.
        calls: People with a call, int64 (c,).
        frequencies: Share of the carried allele among the alleles of the calls, float64 (c,); 0 where there is no call.
    """

    snps: Int64
    values: Float64
    means: Float64
    calls: Int64
    frequencies: Float64


def covariate_basis(values: Float64) -> Float64:
    """An orthonormal basis of the intercept and of covariates: float64 (n, r), r <= c + 1, from finite numbers, float64 (n, c); c may be 0.

    The first column is the intercept's. Gram-Schmidt in the order given, twice for each column, since once loses digits among those that
    nearly depend on each other (Giraud, Langou and Rozloznik 2005: twice is enough).

    >>> covariate_basis(np.empty((4, 0))).tolist()
    [[0.5], [0.5], [0.5], [0.5]]
    """
    people = len(values)
    basis = [np.full(people, 1 / np.sqrt(people))]
    for column in values.T:
        # Scaled first: squares of large numbers overflow.
        largest = np.abs(column).max(initial=0.0)
        rest = column / largest if largest else column
        rest = rest - rest.mean()
        spread = _norm(rest)
        for _ in range(2):
            for other in basis:
                rest = rest - other * (other * rest).sum()
        left = _norm(rest)
        if left > DEPENDENT * max(spread, np.sqrt(people) * DEPENDENT):
            basis.append(rest / left)
    return np.stack(basis, axis=1)


def tiles(calls: Calls, people: int) -> Iterator[Calls]:
    """A chunk in pieces of some SNPs, each of at most TILE numbers when it is unpacked."""
    length = max(1, TILE // people)
    for start in range(0, len(calls.snps), length):
        some = slice(start, start + length)
        yield Calls(calls.snps[some], calls.packed[some], calls.second[some])


def residual_columns(calls: Calls, coding: Coding, basis: Float64) -> Iterator[Columns]:
    """The columns of a chunk of SNPs with a basis projected out, tile by tile, as `tiles` makes them.

    Args:
        calls: A chunk.
        coding: What a person's copies of the carried allele count as.
        basis: Orthonormal, from `covariate_basis`, float64 (n, r).
    """
    people, rank = basis.shape
    numbers = call_counts(calls, people)
    coded_calls = rarer_half(numbers, coding)
    rows = padded(on_grid(np.ascontiguousarray(basis.T), people))
    weights = Weights.of(rows[:rank, :people], rank, people)
    sums = sums_with_means(calls, coded_calls.values, coded_calls.means, weights)
    explained = np.ascontiguousarray(sums[:, : len(rows)])
    squares = coded_calls.squares - (explained * explained).sum(axis=1)
    informative = is_informative(squares, coded_calls.squares, coded_calls.means, people)
    code = coded(calls, np.column_stack((coded_calls.values, coded_calls.means)))
    signs, begin = np.where(informative, coded_calls.signs, 0.0)[:, np.newaxis], 0
    for tile in tiles(calls, people):
        some = slice(begin, begin := begin + len(tile.snps))
        rest = np.empty((len(tile.snps), people))
        _decode(tile.packed, code[some], rest)
        take_out(explained[some], rows, rest)
        rest *= signs[some]
        means, called = coded_calls.original_means[some], numbers.calls[some]
        yield Columns(tile.snps, rest, means, called, numbers.frequencies[some])


class CodedCalls(NamedTuple):
    """How the calls of some SNPs are coded so that numbers are small: what the commoner half of the alleles does is turned round.

    Attributes:
        values: What 0, 1 and 2 copies of the carried allele count as, float64 (c, 3).
        signs: 1, or -1 where they are turned: the largest number of the coding less them, float64 (c,).
        totals: Sum of the calls as they are coded, float64 (c,).
        means: Their mean, 0 where there is no call, float64 (c,).
        squares: Sum of their squares over all people, missing ones by the mean, float64 (c,).
        original_means: Mean of the calls before they are turned, float64 (c,).
    """

    values: Float64
    signs: Float64
    totals: Float64
    means: Float64
    squares: Float64
    original_means: Float64


def rarer_half(numbers: CallCounts, coding: Coding) -> CodedCalls:
    """How the counted calls are coded."""
    counts, some = numbers.counts[:, :3], np.maximum(numbers.calls, 1)
    values = CODED[coding]
    original = (counts * values).sum(axis=1) / some
    common = original > values[2] / 2
    turned = np.where(common[:, np.newaxis], values[2] - values, values)
    totals = (counts * turned).sum(axis=1)
    means = totals / some
    squares = (counts * turned * turned).sum(axis=1) + numbers.counts[:, 3] * means**2
    return CodedCalls(turned, np.where(common, -1.0, 1.0), totals, means, squares, original)


def is_informative(left: Float64, squares: Float64, means: Float64, people: int) -> Flags:
    """Whether the basis leaves more of each SNP than EXPLAINED and what rounding to a grid does, bool (c,), from the sum of the squares
    that it leaves, that of all, and the mean, float64 (c,).
    """
    spread = squares - people * means**2
    return np.asarray(left > EXPLAINED * spread + squares * 2.0 ** (people.bit_length() - GRID))


@compiled
def _decode(packed: UInt8, code: Float64, out: Float64) -> None:
    """What a person's call stands for."""
    for snp in range(out.shape[0]):
        row, calls, values = out[snp], packed[snp], code[snp]
        for person in range(row.size):
            row[person] = values[(calls[person >> 2] >> (2 * (person & 3))) & 3]


@compiled
def take_out(explained: Float64, weights: Float64, rest: Float64) -> None:
    """Less what the basis explains, four of its vectors at a time."""
    people = rest.shape[1]
    for snp in range(rest.shape[0]):
        row = rest[snp]
        for at in range(0, weights.shape[0], 4):
            a, b, c, d = explained[snp, at], explained[snp, at + 1], explained[snp, at + 2], explained[snp, at + 3]
            p, q, r, s = weights[at], weights[at + 1], weights[at + 2], weights[at + 3]
            for person in range(people):
                row[person] -= a * p[person] + b * q[person] + c * r[person] + d * s[person]


def _norm(column: Float64) -> float:
    return float(np.sqrt((column * column).sum()))
