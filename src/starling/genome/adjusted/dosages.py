"""Sums over people of dosages, exact as those of calls are (sums.py), and columns with covariates taken out.

A dosage has 15 bits where a call has two. So each weight is taken apart into what lies on a grid 2^14 times as coarse and the rest, and the
square of a dosage into its upper and its lower bits: every sum of doubles stays below 2^53 steps. Dosages of 0, 1 and 2 give what calls do,
bit by bit.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from starling.genome.adjusted.columns import TILE, Columns, is_informative, take_out
from starling.genome.adjusted.sums import BYTES, MANTISSA, on_grid, padded, twelve
from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.source.dosages import MOST, NO_DOSAGE, STEP, Dosages
from starling.privacy.compiled import compiled, compiled_in_any_order

FINER: Final = 14
"""Bits of a dosage below those of a call."""
_PEOPLE: Final = 4 * BYTES
"""As many at once as of packed calls."""
_LOWER: Final = (1 << 16) - 1
"""The lower bits of a square, which has 31."""


class CodedDosages(NamedTuple):
    """Some SNPs, counted: what their commoner half of alleles does is turned round, as of calls (`columns.CodedCalls`).

    Attributes:
        steps: Of the rarer half, 0 where there is no dosage, int64 (c, n).
        missing: Where there is none, bool (c, n).
        signs: 1, or -1 where they are turned, float64 (c,).
        means: Of the copies as they are coded, float64 (c,).
        squares: Sum of their squares over all people, missing ones by the mean, float64 (c,).
        original_means: Before they are turned, float64 (c,).
        calls: People with a dosage, int64 (c,).
        frequencies: Share of the carried allele, float64 (c,).
    """

    steps: Int64
    missing: Flags
    signs: Float64
    means: Float64
    squares: Float64
    original_means: Float64
    calls: Int64
    frequencies: Float64


def dosage_tiles(dosages: Dosages) -> Iterator[Dosages]:
    """A chunk in pieces of some SNPs, as `columns.tiles`."""
    length = max(1, TILE // dosages.steps.shape[1])
    for start in range(0, len(dosages.snps), length):
        yield Dosages(dosages.snps[start : start + length], dosages.steps[start : start + length])


def coded_dosages(dosages: Dosages) -> CodedDosages:
    """How the dosages of a tile are coded."""
    missing = dosages.steps == NO_DOSAGE
    steps = np.where(missing, 0, dosages.steps).astype(np.int64)
    calls = np.count_nonzero(~missing, axis=1)
    some = np.maximum(calls, 1)
    total = steps.sum(axis=1)
    common = total > STEP * calls
    steps = np.where(common[:, np.newaxis] & ~missing, MOST - steps, steps)
    means = np.where(common, MOST * calls - total, total) / STEP / some
    squares = (steps * steps).sum(axis=1) / STEP**2 + (steps.shape[1] - calls) * means**2
    original = total / STEP / some
    return CodedDosages(
        steps, missing, np.where(common, -1.0, 1.0), means, squares, original, calls, total / STEP / (2 * some)
    )


def dosage_sums(coded: CodedDosages, weights: Float64) -> Float64:
    """For each SNP the sum over people of her copies, as they are coded and a missing one by the mean, times each weight: float64 (c, k).
    Weights are those of `sums.sums_with_means`.
    """
    return _with_means(coded, _sums(coded.steps / STEP, weights), coded.means, weights)


def dosage_square_sums(coded: CodedDosages, weights: Float64) -> Float64:
    """The same of the squares of copies, float64 (c, k); weights are on a grid for twice as many people."""
    squares = coded.steps * coded.steps
    upper, lower = squares & ~_LOWER, squares & _LOWER
    sums = _sums(upper / STEP**2, weights) + _sums(lower / STEP**2, weights)
    return _with_means(coded, sums, coded.means**2, weights)


def residual_dosages(dosages: Dosages, basis: Float64) -> Columns:
    """The columns of a tile of SNPs with a basis projected out; arguments and result are those of `columns.residual_columns`."""
    people = len(basis)
    coded = coded_dosages(dosages)
    weights = padded(on_grid(np.ascontiguousarray(basis.T), people))
    explained = dosage_sums(coded, weights)
    rest = np.where(coded.missing, coded.means[:, np.newaxis], coded.steps / STEP)
    take_out(explained, weights, rest)
    squares = coded.squares - (explained * explained).sum(axis=1)
    informative = is_informative(squares, coded.squares, coded.means, people)
    rest *= np.where(informative, coded.signs, 0.0)[:, np.newaxis]
    return Columns(dosages.snps, rest, coded.original_means, coded.calls, coded.frequencies)


def _with_means(coded: CodedDosages, sums: Float64, means: Float64, weights: Float64) -> Float64:
    lacking = np.flatnonzero(coded.missing.any(axis=1))
    if lacking.size:
        sums[lacking] += means[lacking, np.newaxis] * _sums(coded.missing[lacking].astype(np.float64), weights)
    return sums


def _sums(numbers: Float64, weights: Float64) -> Float64:
    """For each row the sums over people of its numbers times each weight: the coarse part of a weight, and then what is left of it."""
    rows, people = numbers.shape
    room = np.zeros((-(-rows // 3) * 3, weights.shape[1]))
    room[:rows, :people] = numbers
    bounds = np.maximum(weights.max(axis=1, initial=0.0), -weights.min(axis=1, initial=0.0))
    coarse = np.ldexp(1.0, np.frexp(bounds)[1] - (MANTISSA - 1 - people.bit_length()) + FINER)
    sums = np.zeros((2, len(room), len(weights)))
    _over_people(room, weights, coarse, sums[0], sums[1])
    return np.asarray((sums[0] + sums[1])[:rows])


@compiled
def _take_apart(weights: Float64, start: int, coarse: Float64, upper: Float64, lower: Float64) -> None:
    """Some people's weights as multiples of a step, and what is left."""
    for row in range(weights.shape[0]):
        step = coarse[row]
        for at in range(upper.shape[1]):
            weight = weights[row, start + at]
            upper[row, at] = np.rint(weight / step) * step
            lower[row, at] = weight - upper[row, at]


@compiled_in_any_order
def _add(numbers: Float64, start: int, weights: Float64, sums: Float64) -> None:
    """The products of some people, to the sums of all."""
    stop = start + weights.shape[1]
    for row in range(0, numbers.shape[0], 3):
        x, y, z = numbers[row, start:stop], numbers[row + 1, start:stop], numbers[row + 2, start:stop]
        for at in range(0, weights.shape[0], 4):
            p, q, r, s = weights[at], weights[at + 1], weights[at + 2], weights[at + 3]
            twelve(x, y, z, p, q, r, s, sums[row : row + 3, at : at + 4])


@compiled
def _over_people(numbers: Float64, weights: Float64, coarse: Float64, upper_sums: Float64, lower_sums: Float64) -> None:
    upper, lower = np.empty((weights.shape[0], _PEOPLE)), np.empty((weights.shape[0], _PEOPLE))
    for start in range(0, weights.shape[1], _PEOPLE):
        _take_apart(weights, start, coarse, upper, lower)
        _add(numbers, start, upper, upper_sums)
        _add(numbers, start, lower, lower_sums)
