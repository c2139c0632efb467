"""From words to table indices: two compiled searches with the same results.

A word w gives U = w >> 1 and a sign w & 1. The index is the first j with T[j] >= U; where T[j] > U the draw is j, negated if the
sign is asked for and set. Where T[j] = U, or a search gave up, the position is reported and the caller decides it.

Guided: the leading bits of U give a first j, and steps upward find the right one: often none or one, sometimes many. How
many depends on the draw, so its time does too: for offline jobs alone.

Fixed: D = 2^n - 1 - U, the distance to the top, as a floating-point number: its exponent and leading fraction bits give a bucket
so narrow, relative to the tail it stands in, that it holds at most one entry. So one comparison decides, and every draw takes
the same steps. Buckets of the last 2^-40 of probability may hold more; a draw there is reported, the same as a tie. (Which
cache lines are read still depends on the draw.)

Pitfalls: Numba makes float64 of uint64 and int64 together, so every constant is a np.uint64, and an index is cast at once.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from starling.privacy.compiled import compiled

Words = npt.NDArray[np.uint64]
Int64 = npt.NDArray[np.int64]

_ONE = np.uint64(1)
_FRACTION_BITS = 52
_RARE = 40
"""Only draws in the last 2^-_RARE of probability may need more than one comparison."""
_FINEST = 14


class LeadingGuide(NamedTuple):
    """The guide of the guided search.

    Attributes:
        first: For each value of the leading bits of U, the first j with T[j] >= the least U that has them; uint16 or uint32.
        shift: U >> shift are the leading bits.
    """

    first: npt.NDArray[Any]
    shift: np.uint64


class DistanceGuide(NamedTuple):
    """The guide of the fixed search.

    Attributes:
        first: For each bucket of D, how many entries are certainly below every U in it; uint16 or uint32.
        top: 2^n - 1.
        shift: The bits of D + 1 as a double, shifted so far, less `base`, are the bucket.
        base: What is taken off the shifted bits, so that the first bucket is 0.
    """

    first: npt.NDArray[Any]
    top: np.uint64
    shift: np.uint64
    base: np.uint64


def leading_guide(table: Words, bits: int) -> LeadingGuide:
    """Leading bits enough for about 16 buckets to the widest step of `table`, 12 to 16 (or all) of the `bits` of U."""
    wanted = (2**bits // max(1, int(table[0]))).bit_length() + 4
    count = min(bits, max(12, min(16, wanted)))
    shift = np.uint64(bits - count)
    least = np.arange(2**count, dtype=np.uint64) << shift
    return LeadingGuide(_narrow(np.searchsorted(table, least), table), shift)


def distance_guide(table: Words, bits: int) -> DistanceGuide:
    """Buckets as wide as may be with at most one entry in each, the last 2^-40 of probability aside."""
    top = np.uint64(2**bits - 1)
    # The last entry of a finite distribution is above every U: reached by counting, never compared.
    inside = table[table <= top]
    fraction_bits = 1
    while True:
        shift = np.uint64(_FRACTION_BITS - fraction_bits)
        base = _bucket(top, top, shift, np.uint64(0))
        count = int(_bucket(np.uint64(0), top, shift, base)) + 1
        entries = np.bincount(_bucket(inside, top, shift, base).astype(np.int64), minlength=count)
        frequent = int(_bucket(top - (top >> np.uint64(_RARE)), top, shift, base)) + 1
        if fraction_bits == _FINEST or entries[frequent:].max(initial=0) <= 1:
            # Entries in a bucket of greater distance are below every U of this one: conversion and shift keep the order.
            below = inside.size - np.cumsum(entries)
            return DistanceGuide(_narrow(below, table), top, shift, base)
        fraction_bits += 1


def _bucket(u: Any, top: np.uint64, shift: np.uint64, base: np.uint64) -> Any:
    """The bucket of each U as the kernel computes it: doubles and shifts round alike in both."""
    distance = np.asarray(top - u).astype(np.float64) + 1.0
    return (distance.view(np.uint64) >> shift) - base


def _narrow(indices: npt.NDArray[Any], table: Words) -> npt.NDArray[Any]:
    """As 16 or 32 bits, to stay in the cache."""
    return indices.astype(np.uint16 if table.size < 2**16 else np.uint32)


def _bitcast(_typing: Any, number: Any) -> Any:
    """What Numba asks of an intrinsic: its type, and how to write it."""

    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.uint64))

    return types.uint64(number), write


_bits_of: Callable[[np.float64], np.uint64] = cast(Any, intrinsic(_bitcast))
"""The 64 bits of a double as an unsigned integer, in a kernel."""


@compiled
def search_guided(
    words: Words, table: Words, first: npt.NDArray[Any], shift: np.uint64, sign: np.uint64, out: Int64, open_at: Int64
) -> int:
    """Draws into `out` (as long as `words`); positions still open into `open_at`, their number returned.

    `sign`: 1 to negate a draw whose sign bit is set, 0 not to.
    """
    count = 0
    for place in range(words.size):
        u = words[place] >> _ONE
        j = np.int64(first[u >> shift])
        j += np.int64(table[j] < u)
        if table[j] <= u:
            while table[j] < u:
                j += 1
            if table[j] == u:
                open_at[count] = place
                count += 1
        negative = np.int64(words[place] & sign)
        out[place] = (j ^ -negative) + negative
    return count


@compiled
def search_fixed(
    words: Words,
    table: Words,
    first: npt.NDArray[Any],
    top: np.uint64,
    shift: np.uint64,
    base: np.uint64,
    sign: np.uint64,
    out: Int64,
    open_at: Int64,
) -> int:
    """What `search_guided` finds, in equally many steps for every word."""
    count = 0
    for place in range(words.size):
        u = words[place] >> _ONE
        j = np.int64(first[(_bits_of(np.float64(top - u) + 1.0) >> shift) - base])
        j += np.int64(table[j] < u)
        if table[j] <= u:
            open_at[count] = place
            count += 1
        negative = np.int64(words[place] & sign)
        out[place] = (j ^ -negative) + negative
    return count
