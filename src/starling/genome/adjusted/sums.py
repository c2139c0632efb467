"""Sums over people, and over SNPs, straight from packed calls, exact: no number of threads, order or processor changes a bit of them.

What is summed is a number on a grid (a whole multiple of a power of two) times the copies of an allele, 0, 1 or 2. With a grid on which the
largest sum stays below 2^53 steps, every sum of doubles is exact, so the compiler may reorder them, which makes them several times as
fast, and threads may add to whichever total is free.

Sums over people come from tables (lookup.py). For sums over SNPs packed rows are unpacked in pieces that stay in the processor's cache. A
library of linear algebra wants all calls unpacked, and fights with the threads that read the file over the processors.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from starling.genome.adjusted.lookup import LANES, PEOPLE, sums_over_people
from starling.genome.arrays import Float64, Int64, UInt8
from starling.genome.source.calls import Calls
from starling.genome.source.counting import code_counts
from starling.privacy.compiled import compiled_in_any_order

MANTISSA: Final = 52
"""Bits of a sum that are exact, less the sign's."""
ROWS: Final = 96
"""SNPs unpacked at once, a multiple of three."""
BYTES: Final = 128
"""Bytes of a row unpacked at once: 512 people."""
_BY_COPIES: Final = np.array([2, 3, 1, 0])
"""Copies of A1 of each code of a .bed, or 3 where there is no call."""


class CallCounts(NamedTuple):
    """How many people have 0, 1 and 2 copies of the carried allele of each SNP, or no call: int64 (c, 4)."""

    counts: Int64

    @property
    def calls(self) -> Int64:
        """People with a call, int64 (c,)."""
        return np.asarray(self.counts[:, :3].sum(axis=1))

    @property
    def frequencies(self) -> Float64:
        """Share of the carried allele among the alleles of the calls, float64 (c,); 0 where there is no call."""
        return np.asarray((self.counts[:, 1] + 2 * self.counts[:, 2]) / np.maximum(1, 2 * self.calls))


def call_counts(calls: Calls, people: int) -> CallCounts:
    """Counted by bits, as the tables of cases and controls are."""
    two, none, one, zero = code_counts(calls.packed, people).T
    flipped = calls.second
    return CallCounts(np.stack([np.where(flipped, two, zero), one, np.where(flipped, zero, two), none], axis=1))


def coded(calls: Calls, values: Float64) -> Float64:
    """What each code of a .bed stands for, float64 (c, 4), from what 0, 1 and 2 copies of the carried allele and no call do, (c, 4)."""
    order = np.where(calls.second[:, np.newaxis], _BY_COPIES[[3, 1, 2, 0]], _BY_COPIES)
    return np.take_along_axis(values, order, axis=1)


class Weights(NamedTuple):
    """What people's copies are multiplied by, on grids. Made by `of`.

    Attributes:
        values: A row a person, float64 (p, k), as `lookup.sums_over_people` takes them.
        totals: Sum of each column, float64 (k,).
        bounds: Largest absolute value of each, float64 (k,).
        squares: The column that squares of copies are multiplied by; its weights are those of the column before. 0 where there is none.
    """

    values: Float64
    totals: Float64
    bounds: Float64
    squares: int

    @classmethod
    def of(cls, rows: Iterable[Float64], count: int, people: int, squares: int = 0) -> "Weights":
        """From `count` rows of numbers `on_grid`, float64 (n,) each, taken one by one; further columns are 0."""
        values = np.zeros((-(-people // PEOPLE) * PEOPLE, -(-count // LANES) * LANES))
        for at, row in enumerate(rows):
            values[:people, at] = row
        return cls(values, values.sum(axis=0), np.maximum(values.max(axis=0), -values.min(axis=0)), squares)


def sums_with_means(calls: Calls, values: Float64, means: Float64, weights: Weights) -> Float64:
    """For each SNP the sum over people of what her call stands for times each weight, a missing one for a mean: float64 (c, k).

    Args:
        calls: Some SNPs.
        values: What 0, 1 and 2 copies of the carried allele stand for, 0 to 2, and not the same for 0 and 2: float64 (c, 3).
        means: What no call stands for, float64 (c,); it may be any number.
        weights: Of the people.
    """
    # By copies of A1: what none stands for, and a sign times a pattern on top. The few patterns there are have tables of their own.
    by_copies = np.where(calls.second[:, np.newaxis], values[:, ::-1], values)
    base, rest = by_copies[:, :1], by_copies[:, 1:] - by_copies[:, :1]
    signs = np.sign(rest[:, 1:])
    patterns = rest * signs
    copies, missing = np.empty((2, len(values), len(weights.totals)))
    left = np.ones(len(values), dtype=np.bool_)
    while left.any():
        pattern = patterns[left.argmax()]
        rows = (patterns == pattern).all(axis=1)
        counted = np.tile(pattern[:, np.newaxis], (1, len(weights.totals)))
        if weights.squares:
            counted[:, weights.squares] **= 2
        packed = calls.packed if rows.all() else calls.packed[rows]
        copies[rows], missing[rows] = sums_over_people(packed, counted, weights.values)
        left &= ~rows
    called, filled = weights.totals - missing, np.tile(means[:, np.newaxis], (1, len(weights.totals)))
    sums = base * called + signs * copies
    if at := weights.squares:
        once = 2 * signs * copies[:, at - 1 : at]
        sums[:, at] = (base * (base * called[:, at : at + 1] + once))[:, 0] + copies[:, at]
        filled[:, at] *= means
    return np.asarray(sums + filled * missing)


def on_grid(values: Float64, terms: int, largest: Float64 | None = None) -> Float64:
    """Numbers rounded to a grid on which sums of `terms` of them, each up to twice, are exact: rows of float64 (k, n), each on its own.

    `largest` is a bound of the absolute value of each row, (k,), where rows of several calls have to share a grid.
    """
    bound = np.abs(values).max(axis=1, initial=0.0) if largest is None else largest
    step = np.frexp(bound)[1] - (MANTISSA - 1 - terms.bit_length())
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, -step[:, np.newaxis])), step[:, np.newaxis]))


def padded(rows: Float64) -> Float64:
    """Rows as kernels take them: whole pieces of people and a multiple of four rows, filled up by zeros."""
    count, people = rows.shape
    room = np.zeros((-(-count // 4) * 4, -(-people // (4 * BYTES)) * 4 * BYTES))
    room[:count, :people] = rows
    return room


def add_over_snps(packed: UInt8, code: Float64, weights: Float64, sums: Float64) -> None:
    """Add to each person the sum over SNPs of what her call stands for times the weights of the SNP.

    Args:
        packed: Calls, uint8 (c, ceil(n/4)).
        code: What each code of a .bed stands for, at most 2, float64 (c, 4).
        weights: Numbers `on_grid`, of the same bound for all chunks, float64 (c, k); k a multiple of four.
        sums: Float64 (k, .), as wide as what `padded` gives; what lies beyond the people is nobody's.
    """
    _over_snps(packed, code, np.pad(weights, ((0, -len(weights) % ROWS), (0, 0))), sums)


@compiled_in_any_order
def _unpack(packed: UInt8, code: Float64, begin: int, start: int, out: Float64) -> None:
    """Some SNPs from `begin` and some bytes from `start` as numbers; what lies beyond is 0."""
    for row in range(out.shape[0]):
        numbers, snp, known = out[row], begin + row, 0
        if snp < packed.shape[0]:
            known = min(BYTES, packed.shape[1] - start)
            calls, values = packed[snp], code[snp]
            for at in range(known):
                byte = calls[start + at]
                for person in range(4):
                    numbers[4 * at + person] = values[(byte >> (2 * person)) & 3]
        for at in range(4 * known, numbers.size):
            numbers[at] = 0.0


@compiled_in_any_order
def _over_snps(packed: UInt8, code: Float64, weights: Float64, sums: Float64) -> None:
    """The adding of `add_over_snps`; the weights of SNPs that are not there are 0."""
    room = np.empty((ROWS, 4 * BYTES))
    for begin in range(0, packed.shape[0], ROWS):
        for start in range(0, packed.shape[1], BYTES):
            _unpack(packed, code, begin, start, room)
            left, right = 4 * start, 4 * (start + BYTES)
            for row in range(0, ROWS, 3):
                x, y, z = room[row], room[row + 1], room[row + 2]
                for at in range(0, sums.shape[0], 4):
                    p, q = sums[at, left:right], sums[at + 1, left:right]
                    r, s = sums[at + 2, left:right], sums[at + 3, left:right]
                    _spread(x, y, z, p, q, r, s, weights[begin + row : begin + row + 3, at : at + 4])


@compiled_in_any_order
def _spread(
    x: Float64, y: Float64, z: Float64, p: Float64, q: Float64, r: Float64, s: Float64, weights: Float64
) -> None:
    """Three SNPs to four sums of each person."""
    xp, xq, xr, xs = weights[0, 0], weights[0, 1], weights[0, 2], weights[0, 3]
    yp, yq, yr, ys = weights[1, 0], weights[1, 1], weights[1, 2], weights[1, 3]
    zp, zq, zr, zs = weights[2, 0], weights[2, 1], weights[2, 2], weights[2, 3]
    for at in range(x.size):
        p[at] += x[at] * xp + y[at] * yp + z[at] * zp
        q[at] += x[at] * xq + y[at] * yq + z[at] * zq
        r[at] += x[at] * xr + y[at] * yr + z[at] * zr
        s[at] += x[at] * xs + y[at] * ys + z[at] * zs
