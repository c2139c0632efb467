"""Sums over people of dosages, exact as those of calls are (sums.py), and columns with covariates taken out.

A dosage has 15 bits where a call has two. So each weight is taken apart into what lies on a grid 2^14 times as coarse and the rest, and the
square of a dosage into its upper and its lower bits: every sum of doubles stays below 2^53 steps. Dosages of 0, 1 and 2 give what calls do,
bit by bit.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from starling.genome.adjusted.columns import TILE, Coding, Columns, is_informative, residual_columns, take_out, tiles
from starling.genome.adjusted.lookup import PEOPLE
from starling.genome.adjusted.sums import MANTISSA, Weights, on_grid, padded
from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.source.calls import Calls
from starling.genome.source.dosages import MOST, NO_DOSAGE, STEP, Dosages
from starling.privacy.compiled import compiled, compiled_in_any_order

FINER: Final = 14
"""Bits of a dosage below those of a call."""
_FOUR: Final = 4
"""Weights that are multiplied together."""
_LOWER: Final = (1 << 16) - 1
"""The lower bits of a square, which has 31."""


class CodedDosages(NamedTuple):
    """Some SNPs, counted: what their commoner half of alleles does is turned round, as of calls (`columns.CodedCalls`).

    Attributes:
        steps: Of the rarer half, 0 where there is no dosage, int64 (c, n).
        missing: Where there is none, bool (c, n).
        signs: 1, or -1 where they are turned, float64 (c,).
        totals: Sum of the copies as they are coded, float64 (c,).
        means: Their mean, float64 (c,).
        squares: Sum of their squares over all people, missing ones by the mean, float64 (c,).
        original_means: Before they are turned, float64 (c,).
        calls: People with a dosage, int64 (c,).
        frequencies: Share of the carried allele, float64 (c,).
    """

    steps: Int64
    missing: Flags
    signs: Float64
    totals: Float64
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
    totals = np.where(common, MOST * calls - total, total) / STEP
    means = totals / some
    squares = (steps * steps).sum(axis=1) / STEP**2 + (steps.shape[1] - calls) * means**2
    original = total / STEP / some
    return CodedDosages(
        steps, missing, np.where(common, -1.0, 1.0), totals, means, squares, original, calls, total / STEP / (2 * some)
    )


def dosage_sums(coded: CodedDosages, weights: Weights) -> Float64:
    """For each SNP the sum over people of her copies, as they are coded and a missing one by the mean, times each weight: float64 (c, k).
    Weights are those of `sums.sums_with_means`.
    """
    sums = _sums(coded.steps / STEP, weights)
    filled = np.tile(coded.means[:, np.newaxis], (1, sums.shape[1]))
    if at := weights.squares:
        squares = coded.steps * coded.steps
        first = at // _FOUR * _FOUR
        parts = [_sums(part / STEP**2, weights, first, _FOUR) for part in (squares & ~_LOWER, squares & _LOWER)]
        sums[:, at] = (parts[0] + parts[1])[:, at - first]
        filled[:, at] *= coded.means
    lacking = np.flatnonzero(coded.missing.any(axis=1))
    if lacking.size:
        sums[lacking] += filled[lacking] * _sums(coded.missing[lacking].astype(np.float64), weights)
    return sums


def residual_dosages(dosages: Dosages, basis: Float64) -> Columns:
    """The columns of a tile of SNPs with a basis projected out; arguments and result are those of `columns.residual_columns`."""
    people, rank = basis.shape
    coded = coded_dosages(dosages)
    rows = padded(on_grid(np.ascontiguousarray(basis.T), people))
    explained = np.ascontiguousarray(dosage_sums(coded, Weights.of(rows[:rank, :people], rank, people))[:, : len(rows)])
    rest = np.where(coded.missing, coded.means[:, np.newaxis], coded.steps / STEP)
    take_out(explained, rows, rest)
    squares = coded.squares - (explained * explained).sum(axis=1)
    informative = is_informative(squares, coded.squares, coded.means, people)
    rest *= np.where(informative, coded.signs, 0.0)[:, np.newaxis]
    return Columns(dosages.snps, rest, coded.original_means, coded.calls, coded.frequencies)


def residual_tiles(part: Calls | Dosages, coding: Coding, basis: Float64) -> Iterator[tuple[Calls | Dosages, Columns]]:
    """A chunk in tiles, each with its columns as `columns.residual_columns` makes them; of dosages the coding is additive."""
    if isinstance(part, Calls):
        yield from zip(tiles(part, len(basis)), residual_columns(part, coding, basis), strict=True)
        return
    for tile in dosage_tiles(part):
        yield tile, residual_dosages(tile, basis)


def _sums(numbers: Float64, weights: Weights, first: int = 0, count: int | None = None) -> Float64:
    """For each row the sums over people of its numbers times each weight, or `count` of them from the `first`: the coarse part of a weight,
    and then what is left of it.
    """
    rows, people = numbers.shape
    room = np.zeros((-(-rows // 3) * 3, len(weights.values)))
    room[:rows, :people] = numbers
    bounds = weights.bounds[first:][:count]
    coarse = np.ldexp(1.0, np.frexp(bounds)[1] - (MANTISSA - 1 - people.bit_length()) + FINER)
    sums = np.zeros((2, len(room), len(bounds)))
    _over_people(room, weights.values, first, coarse, sums[0], sums[1])
    return np.asarray((sums[0] + sums[1])[:rows])


@compiled
def _take_apart(weights: Float64, first: int, start: int, coarse: Float64, upper: Float64, lower: Float64) -> None:
    """Some people's weights as multiples of a step, and what is left."""
    for row in range(upper.shape[0]):
        step = coarse[row]
        for at in range(upper.shape[1]):
            weight = weights[start + at, first + row]
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
            _twelve(x, y, z, p, q, r, s, sums[row : row + 3, at : at + 4])


@compiled
def _over_people(
    numbers: Float64, weights: Float64, first: int, coarse: Float64, upper_sums: Float64, lower_sums: Float64
) -> None:
    upper, lower = np.empty((coarse.size, PEOPLE)), np.empty((coarse.size, PEOPLE))
    for start in range(0, weights.shape[0], PEOPLE):
        _take_apart(weights, first, start, coarse, upper, lower)
        _add(numbers, start, upper, upper_sums)
        _add(numbers, start, lower, lower_sums)


@compiled_in_any_order
def _twelve(x: Float64, y: Float64, z: Float64, p: Float64, q: Float64, r: Float64, s: Float64, sums: Float64) -> None:
    """Three SNPs by four weights: each number that is loaded is used several times."""
    xp = xq = xr = xs = yp = yq = yr = ys = zp = zq = zr = zs = 0.0
    for at in range(x.size):
        xp += x[at] * p[at]
        xq += x[at] * q[at]
        xr += x[at] * r[at]
        xs += x[at] * s[at]
        yp += y[at] * p[at]
        yq += y[at] * q[at]
        yr += y[at] * r[at]
        ys += y[at] * s[at]
        zp += z[at] * p[at]
        zq += z[at] * q[at]
        zr += z[at] * r[at]
        zs += z[at] * s[at]
    sums[0, 0] += xp
    sums[0, 1] += xq
    sums[0, 2] += xr
    sums[0, 3] += xs
    sums[1, 0] += yp
    sums[1, 1] += yq
    sums[1, 2] += yr
    sums[1, 3] += ys
    sums[2, 0] += zp
    sums[2, 1] += zq
    sums[2, 2] += zr
    sums[2, 3] += zs
