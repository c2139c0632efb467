"""Sums over people by tables: what four people have is one byte of packed calls, and its share of every sum is looked up.

Four people have 0, 1 or 2 copies each, one who has no call counting as 0: 81 cases. For each case the weights of the four, times
their copies, are added up once for some hundred SNPs; each SNP then adds one row of the table where it would unpack, multiply and add
four times (the "method of four Russians", Arlazarov et al. 1970). Eight bytes are looked up together: their tables stay in the
processor's cache, and so do the sums. The few who have no call are looked up one by one.

Numba leaves operations on eight neighbours to single instructions unless a loop is long, so those of rows are written for LLVM: what
makes the kernel three times as fast. Sums are exact (sums.py), so that neither tables nor blocks of SNPs change a bit of them.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from starling.genome.arrays import Float64, UInt8, UInt64
from starling.genome.source.counting import ones
from starling.privacy.compiled import compiled_in_any_order

LANES: Final = 8
"""Sums that are added to together."""
SNPS: Final = 768
"""Of a block, at most: its sums stay in the processor's cache."""
PEOPLE: Final = 512
"""Of whom weights have a whole multiple."""
_LINE: Final = 512
"""Bytes of a SNP that are read together, so many that the processor fetches the next ones itself."""
_WORD: Final = 8
"""Bytes looked up together, each by its own table."""
_ROW = np.uint64(LANES)
_TABLE = np.uint64(81 * LANES)
"""Numbers of a table."""
_ONE, _TWO, _THREE, _FOUR, _SEVEN, _BYTE = (np.uint64(each) for each in (1, 2, 3, 4, 7, 255))
_CALLS = np.uint64(0x5555555555555555)
"""The lower bit of each call."""
_PAIRS = np.uint64(0x3333333333333333)
_HALVES = np.uint64(0x0F0F0F0F0F0F0F0F)


def sums_over_people(packed: UInt8, counted: Float64, weights: Float64) -> tuple[Float64, Float64]:
    """For each SNP the sums over people of what copies of A1 count for times each weight, and of the weights of who has no call.

    Args:
        packed: Calls, uint8 (c, ceil(n/4)).
        counted: What one and two copies count for with each weight, float64 (2, k); none counts for nothing, and no call neither.
        weights: Of each person, float64 (p, k), C-contiguous: p at least n, the rest 0, and a whole multiple of PEOPLE; k of LANES. All
            sums must be exact, whatever their order.

    Returns:
        Two times float64 (c, k).
    """
    width = weights.shape[1]
    copies, missing = np.zeros((2, len(packed), width))
    # As long as each other: a table is as much work for few SNPs as for many.
    length = max(1, -(-len(packed) // max(1, -(-len(packed) // SNPS))))
    # Words of a SNP lie an odd number of them apart, which is no multiple of what the processor's cache keeps in one place.
    numbered, cases = (np.empty(shape, dtype=np.uint64) for shape in (_LINE // _WORD, (_LINE // _WORD, length | 1)))
    last = np.zeros(_LINE, dtype=np.uint8)
    steps, tables, sums = np.empty((2, 4 * _WORD, width)), _aligned(_WORD * int(_TABLE)), _aligned(length * width)
    for begin in range(0, len(packed), length):
        some = packed[begin : begin + length]
        sums[:] = 0.0
        _look_up(some, counted, weights, last, numbered, cases, steps, tables, sums, missing[begin : begin + length])
        by_part = sums.reshape(width // LANES, length, LANES)[:, : len(some)]
        copies[begin : begin + length] = by_part.transpose(1, 0, 2).reshape(len(some), width)
    return copies, missing


def _aligned(size: int) -> Float64:
    """So many numbers, so that no LANES of them lie across two lines of the processor's cache."""
    room = np.empty(size + LANES)
    return room[-room.ctypes.data // room.itemsize % LANES :][:size]


def _write_rows(operation: str) -> Callable[..., Any]:
    """What Numba asks of an intrinsic for an operation of llvmlite's builder: its type, and how to write it."""

    def of_rows(_typing: Any, out: Any, at: Any, start: Any, begin: Any, rows: Any, places: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            ir = cgutils.ir  # type: ignore[attr-defined] # what Numba writes kernels with
            vector = ir.VectorType(ir.DoubleType(), LANES)

            def place(which: int, at: Any) -> Any:
                array = context.make_array(signature.args[which])(context, builder, arguments[which])
                return builder.bitcast(builder.gep(array.data, [at]), vector.as_pointer())

            terms = [builder.load(place(4, at), align=8) for at in cgutils.unpack_tuple(builder, arguments[5])]  # type: ignore[no-untyped-call]
            total = reduce(getattr(builder, operation), terms, builder.load(place(2, arguments[3]), align=8))
            builder.store(total, place(0, arguments[1]), align=8)
            return context.get_dummy_value()

        return types.void(out, at, start, begin, rows, places), write

    return of_rows


_OnRows: TypeAlias = Callable[[Float64, np.uint64, Float64, np.uint64, Float64, tuple[np.uint64, ...]], None]
_add_rows: _OnRows = cast(Any, intrinsic(_write_rows("fadd")))
"""LANES numbers of the first array become those of the second, plus some of the third: C-contiguous arrays, and where in each."""
_multiply_rows: _OnRows = cast(Any, intrinsic(_write_rows("fmul")))
"""LANES numbers of the first array become those of the second times some of the third, as by `_add_rows`."""


@compiled_in_any_order
def _fill_table(
    steps: Float64, of_one: np.uint64, of_two: np.uint64, stride: np.uint64, tables: Float64, begin: np.uint64
) -> None:
    """The sums of four people for each number of copies that they have, the first person's changing fastest.

    Args:
        steps: What one and two copies count for.
        of_one: Where it has LANES numbers of one copy of the first person.
        of_two: The same of two copies.
        stride: From one person to the next.
        tables: Where it is written.
        begin: From where.
    """
    size = _ROW
    for lane in range(_ROW):
        tables[begin + lane] = 0.0
    while size < _TABLE:
        row, end = begin, begin + size
        while row < end:
            _add_rows(tables, row + size, tables, row, steps, (of_one,))
            _add_rows(tables, row + _TWO * size, tables, row, steps, (of_two,))
            row += _ROW
        of_one, of_two, size = of_one + stride, of_two + stride, _THREE * size


@compiled_in_any_order
def _add_missing(words: UInt64, first: int, weights: Float64, out: Float64) -> None:
    """The weights of who has no call in some words, the first of which begins with person `first`."""
    width = weights.shape[1]
    for word in range(words.size):
        lacking = words[word] & ~(words[word] >> _ONE) & _CALLS
        while lacking:
            lowest = lacking & (~lacking + _ONE)
            person = first + 32 * word + (np.int64(ones(lowest - _ONE)) >> 1)
            for at in range(0, width, LANES):
                _add_rows(out, np.uint64(at), out, np.uint64(at), weights, (np.uint64(person * width + at),))
            lacking ^= lowest


@compiled_in_any_order
def _number_cases(words: UInt64, cases: UInt64) -> np.uint64:
    """Words of packed calls as the numbers of their cases, 0 to 80 in each byte; gives a bit wherever anybody has no call."""
    lacking = np.uint64(0)
    for word in range(words.size):
        calls = words[word]
        low, high = calls & _CALLS, (calls >> _ONE) & _CALLS
        lacking |= low & ~high
        copies = (high & ~low) | ((~(high | low) & _CALLS) << _ONE)
        # Two digits of four are one of nine, and two of these one of 81.
        nines = copies - ((copies >> _TWO) & _PAIRS)
        cases[word] = nines - _SEVEN * ((nines >> _FOUR) & _HALVES)
    return lacking


@compiled_in_any_order
def _look_up_word(words: UInt64, tables: Float64, sums: Float64, begin: np.uint64) -> None:
    """Add to LANES sums of each SNP what the tables say of its word, from `begin`."""
    for snp in range(words.size):
        cases, at = words[snp], begin + np.uint64(snp) * _ROW
        a, b = (cases & _BYTE) * _ROW, _TABLE + ((cases >> np.uint64(8)) & _BYTE) * _ROW
        c = np.uint64(2) * _TABLE + ((cases >> np.uint64(16)) & _BYTE) * _ROW
        d = np.uint64(3) * _TABLE + ((cases >> np.uint64(24)) & _BYTE) * _ROW
        e = np.uint64(4) * _TABLE + ((cases >> np.uint64(32)) & _BYTE) * _ROW
        f = np.uint64(5) * _TABLE + ((cases >> np.uint64(40)) & _BYTE) * _ROW
        g = np.uint64(6) * _TABLE + ((cases >> np.uint64(48)) & _BYTE) * _ROW
        h = np.uint64(7) * _TABLE + (cases >> np.uint64(56)) * _ROW
        _add_rows(sums, at, sums, at, tables, (a, b, c, d, e, f, g, h))


@compiled_in_any_order
def _count(counted: Float64, weights: Float64, first: int, steps: Float64) -> None:
    """What one and two copies of each of some people count for: float64 (2, people, k)."""
    width = steps.shape[2]
    numbers, begin = np.uint64(steps.shape[1] * width), np.uint64(first * width)
    for person in range(steps.shape[1]):
        for part in range(0, width, LANES):
            at, one, two = np.uint64(person * width + part), np.uint64(part), np.uint64(width + part)
            _multiply_rows(steps, at, counted, one, weights, (begin + at,))
            _multiply_rows(steps, numbers + at, counted, two, weights, (begin + at,))


@compiled_in_any_order
def _look_up(
    packed: UInt8,
    counted: Float64,
    weights: Float64,
    last: UInt8,
    numbered: UInt64,
    cases: UInt64,
    steps: Float64,
    tables: Float64,
    sums: Float64,
    missing: Float64,
) -> None:
    """The sums of `sums_over_people`, of a block of SNPs."""
    width, snps = weights.shape[1], packed.shape[0]
    for start in range(0, packed.shape[1], _LINE):
        known = min(_LINE, packed.shape[1] - start)
        for snp in range(snps):
            line = packed[snp, start : start + known]
            if known < _LINE:
                for at in range(known):
                    last[at] = line[at]
                line = last
            if _number_cases(line.view(np.uint64), numbered):
                _add_missing(line.view(np.uint64), 4 * start, weights, missing[snp])
            for word in range(numbered.size):
                cases[word, snp] = numbered[word]
        for word in range(-(-known // _WORD)):
            _count(counted, weights, 4 * (start + _WORD * word), steps)
            for part in range(0, width, LANES):
                for byte in range(_WORD):
                    of_one = np.uint64(4 * byte * width + part)
                    of_two = of_one + np.uint64(4 * _WORD * width)
                    _fill_table(steps, of_one, of_two, np.uint64(width), tables, np.uint64(byte) * _TABLE)
                _look_up_word(cases[word, :snps], tables, sums, np.uint64(part * (sums.size // width)))
