"""Draws of a distribution on 0, 1, 2, ... by certified table inversion, from a stream of words.

The kernel decides all words but those that equal an entry of the table (and, in the fixed search, those of the last 2^-40 of
probability); what it leaves open is decided here, one by one, with further words.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.sampling.certified import Certifiable, settle, thresholds
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.exact_draws import WORD, word
from starling.privacy.sampling.search_kernels import (
    DistanceGuide,
    LeadingGuide,
    distance_guide,
    leading_guide,
    search_fixed,
    search_guided,
)

Int64: TypeAlias = npt.NDArray[np.int64]
Search: TypeAlias = Literal["guided", "fixed"]

CHUNK = 1 << 15
"""Words drawn and searched at a time: one block of the source, in the second-level cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Inversion:
    """A distribution with its table and both guides. Make one with `inversion`.

    Attributes:
        distribution: The distribution that is drawn from.
        bits: Binary digits of U: 63; fewer in tests, with words below 2^(bits + 1), so that ties happen.
        step: Bits of a further word: 64; fewer in tests.
        table: T[m] = floor(2^bits P(V <= m)), read-only.
        leading: The guide of the guided search.
        distance: The guide of the fixed search.
    """

    distribution: Certifiable
    bits: int
    step: int
    table: npt.NDArray[np.uint64]
    leading: LeadingGuide
    distance: DistanceGuide

    def fill(self, out: Int64, source: BitSource, *, signed: bool, search: Search) -> None:
        """Independent draws.

        Args:
            out: Overwritten; contiguous, one dimension.
            source: One word a draw, in order; further words for what stays open, after those of its chunk.
            signed: Whether a draw takes the sign of its word.
            search: See search_kernels.py.
        """
        words = np.empty(min(out.size, CHUNK), dtype=np.uint64)
        open_at, sign = np.empty(words.size, dtype=np.int64), np.uint64(signed)
        for start in range(0, out.size, CHUNK):
            part = out[start : start + CHUNK]
            drawn = words[: part.size]
            source.fill(drawn)
            if search == "guided":
                undecided = search_guided(drawn, self.table, *self.leading, sign, part, open_at)
            else:
                undecided = search_fixed(drawn, self.table, *self.distance, sign, part, open_at)
            for place in open_at[:undecided]:
                first = int(drawn[place])
                magnitude = self._decide(first >> 1, source)
                part[place] = -magnitude if signed and first & 1 else magnitude

    def _decide(self, u: int, source: BitSource) -> int:
        at = int(np.searchsorted(self.table, np.uint64(u)))
        if self.table[at] > u:
            return at
        return settle(self.distribution, at, u, self.bits, self.step, lambda: word(source))


@lru_cache(maxsize=64)
def inversion(distribution: Certifiable, bits: int = WORD - 1, step: int = WORD) -> Inversion:
    """The table and guides of `distribution`; kept for the distributions used last (at most some 2 MB each)."""
    table = thresholds(distribution, bits)
    table.flags.writeable = False
    return Inversion(distribution, bits, step, table, leading_guide(table, bits), distance_guide(table, bits))
