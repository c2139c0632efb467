"""Score tests of all SNPs against one response, with covariates.

With x the column of a SNP and r the response, both with the basis projected out, u = x'r is the score, and v = sum x_i^2 r_i^2 its
variance, which holds whatever the variances of people's responses are (White 1980). Without association z = u / sqrt(v) is standard normal
in large samples, and u / x'x is the effect of one unit of x in units of the response.

No column x is ever made. With a the coded calls, Q the basis, c = Q'a and w = r^2, all follow from sums over people:

    u = a'r        x'x = a'a - c'c        v = sum a_i^2 w_i - 2 c'(Q'(a w)) + c'(Q' diag(w) Q)c

The sums are exact (sums.py), and a counts what the rarer half of the alleles does, so that these differences keep ten digits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starling.genome.adjusted.columns import CodedCalls, Coding, is_informative, rarer_half
from starling.genome.adjusted.dosages import CodedDosages, coded_dosages, dosage_sums, dosage_tiles
from starling.genome.adjusted.sums import Weights, call_counts, on_grid, sums_with_means
from starling.genome.arrays import Float64, Int64
from starling.genome.source.calls import Calls
from starling.genome.source.dosages import Dosages


class Scores(NamedTuple):
    """Score tests of some SNPs.

    Attributes:
        snps: Their positions in the plan's list, int64 (c,).
        scores: u, float64 (c,), in units of the response.
        variances: v, float64 (c,); 0, with u and x'x, where the basis explains the SNP.
        squares: x'x, float64 (c,).
        means: Mean of the coded calls, float64 (c,).
        calls: People with a call, int64 (c,).
        frequencies: Share of the carried allele among the alleles of the calls, float64 (c,).
    """

    snps: Int64
    scores: Float64
    variances: Float64
    squares: Float64
    means: Float64
    calls: Int64
    frequencies: Float64


@dataclass(frozen=True, slots=True)
class ScoreTests:
    """The tests of one response, for all chunks of a study. Made by `of`.

    Attributes:
        coding: What a person's copies of the carried allele count as.
        people: n.
        intercept: The number of the basis's first vector.
        weights: The others, all of them times w, then r, w, and w for squares: 2 r + 2 columns.
        inner: Q' diag(w) Q, float64 (r, r).
    """

    coding: Coding
    people: int
    intercept: float
    weights: Weights
    inner: Float64

    @classmethod
    def of(cls, coding: Coding, response: Float64, basis: Float64) -> "ScoreTests":
        """The tests of a response, float64 (n,), with an orthonormal basis from `covariate_basis`, float64 (n, r)."""
        people, rank = basis.shape
        columns = [on_grid(basis[np.newaxis, :, at], people)[0] for at in range(rank)]
        rest = response.astype(np.float64)
        for column in columns:
            rest -= column * (column * rest).sum()
        squared = rest * rest
        inner = np.empty((rank, rank))
        for row, column in enumerate(columns):
            weighted = column * squared
            for other in range(row + 1):
                inner[row, other] = inner[other, row] = (weighted * columns[other]).sum()

        def rows() -> Iterator[Float64]:
            yield from columns[1:]
            for column in columns:
                yield on_grid((column * squared)[np.newaxis], people)[0]
            yield on_grid(rest[np.newaxis], people)[0]
            # Squares of numbers up to 2 are up to 4, twice what a grid is made for.
            last = on_grid(squared[np.newaxis], 2 * people)[0]
            yield from (last, last)

        weights = Weights.of(rows(), 2 * rank + 2, people, squares=2 * rank + 1)
        return cls(coding, people, float(columns[0][0]), weights, inner)

    def score(self, part: Calls | Dosages) -> Scores:
        """The tests of a chunk as it is read; of dosages the coding is additive."""
        if isinstance(part, Calls):
            numbers = call_counts(part, self.people)
            coded = rarer_half(numbers, self.coding)
            sums = sums_with_means(part, coded.values, coded.means, self.weights)
            return self._scores(part.snps, coded, numbers.calls, numbers.frequencies, sums)
        tested = []
        for tile in dosage_tiles(part):
            steps = coded_dosages(tile)
            sums = dosage_sums(steps, self.weights)
            tested.append(self._scores(tile.snps, steps, steps.calls, steps.frequencies, sums))
        return Scores(*(np.concatenate(column) for column in zip(*tested, strict=True)))

    def _scores(
        self, snps: Int64, coded: CodedCalls | CodedDosages, calls: Int64, frequencies: Float64, sums: Float64
    ) -> Scores:
        """From the sums over people of copies and of their squares."""
        rank = len(self.inner)
        # The intercept is the same for everybody: its sum follows from those counted.
        first = self.intercept * coded.totals + coded.means * (self.intercept * (self.people - calls))
        explained = np.column_stack((first, sums[:, : rank - 1]))
        weighted, score, second = sums[:, rank - 1 : 2 * rank - 1], sums[:, 2 * rank - 1], sums[:, 2 * rank + 1]
        squares = coded.squares - (explained * explained).sum(axis=1)
        quadratic = np.einsum("ij,jk,ik->i", explained, self.inner, explained)
        variances = np.maximum(second - 2 * (explained * weighted).sum(axis=1) + quadratic, 0.0)
        informative = is_informative(squares, coded.squares, coded.means, self.people)
        score, variances, squares = (np.where(informative, part, 0.0) for part in (score, variances, squares))
        return Scores(snps, coded.signs * score, variances, squares, coded.original_means, calls, frequencies)
