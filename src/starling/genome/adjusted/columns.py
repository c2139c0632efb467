"""Columns of SNPs with covariates taken out: what is left of the copies of an allele that intercept and covariates do not explain.

The rules are public and total, so that no byte of a file makes them fail. A missing call is the mean of the calls of its SNP. A covariate
that the intercept and those before it explain to all but 1e-7 of its spread is left out, and a SNP that the basis explains to all but a
millionth of its variance is a column of zeros: it can say nothing about a response.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from starling.genome.arrays import Flags, Float64, Int64, UInt8
from starling.genome.source.calls import Calls
from starling.privacy.compiled import compiled

Coding: TypeAlias = Literal["additive", "dominant", "recessive"]
"""The number of a person at a SNP: copies of the carried allele (0, 1, 2), whether there is one, or whether there are two."""

DEPENDENT: Final = 1e-7
"""Share of the spread of a covariate (root of the sum of squares about the mean) below which the rest is no more than rounding."""
EXPLAINED: Final = 1e-6
"""Share of the sum of squares about the mean below which the rest of a SNP counts as nothing."""
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


def residual_columns(calls: Calls, coding: Coding, basis: Float64) -> Columns:
    """The columns of a tile of SNPs with a basis projected out.

    Args:
        calls: A tile (see `tiles`): all its SNPs are unpacked at once, eight bytes a person and SNP.
        coding: What a person's copies of the carried allele count as.
        basis: Orthonormal, from `covariate_basis`, float64 (n, r).
    """
    values, counts = np.empty((len(calls.snps), len(basis))), np.zeros((len(calls.snps), 4), dtype=np.int64)
    _unpack(calls.packed, calls.second, CODED[coding], values, counts)
    _project_out(values, np.ascontiguousarray(basis), EXPLAINED)
    called = counts[:, :3].sum(axis=1)
    some = np.maximum(called, 1)
    means, frequencies = ((counts[:, :3] * each).sum(axis=1) / some for each in (CODED[coding], np.arange(3) / 2))
    return Columns(calls.snps, values, means, called, frequencies)


@compiled
def _unpack(packed: UInt8, second: Flags, coded: Float64, values: Float64, counts: Int64) -> None:
    """Write coded calls less their mean into `values`, 0 where there is none, and how many have 0, 1, 2 copies or no call into `counts`."""
    people = values.shape[1]
    centred = np.zeros(4)
    for row in range(values.shape[0]):
        # By the two bits of a call, where the first allele is carried, and where the second is.
        known = (0, 3, 1, 2) if second[row] else (2, 3, 1, 0)
        for person in range(people):
            counts[row, known[packed[row, person >> 2] >> (2 * (person & 3)) & 3]] += 1
        called = counts[row, 0] + counts[row, 1] + counts[row, 2]
        total = counts[row, 0] * coded[0] + counts[row, 1] * coded[1] + counts[row, 2] * coded[2]
        for bits in range(4):
            centred[bits] = coded[known[bits]] - total / called if bits != 1 and called else 0.0
        for person in range(people):
            values[row, person] = centred[packed[row, person >> 2] >> (2 * (person & 3)) & 3]


@compiled
def _project_out(values: Float64, basis: Float64, explained: float) -> None:
    """Take the basis out of each row; a row of which so small a share of the sum of squares is left becomes 0.

    Sums are added up in the order of people by one thread, so that no library's threads or processor changes a bit.
    """
    people, rank = basis.shape
    weights, turned = np.empty(rank), basis.T.copy()
    for row in range(values.shape[0]):
        weights[:] = 0.0
        spread, left = 0.0, 0.0
        for person in range(people):
            value = values[row, person]
            spread += value * value
            for column in range(rank):
                weights[column] += value * basis[person, column]
        for column in range(rank):
            for person in range(people):
                values[row, person] -= weights[column] * turned[column, person]
        for person in range(people):
            left += values[row, person] * values[row, person]
        if left <= explained * spread:
            values[row] = 0.0


def _norm(column: Float64) -> float:
    return float(np.sqrt((column * column).sum()))
