"""Selection of a candidate by its integer score: the exponential mechanism and permute-and-flip, with exactly their distributions.

Privacy. Neighbours change each score by at most `sensitivity`. With t = epsilon / (2 sensitivity) and d the distance of a
score from the best one,

- the exponential mechanism takes a candidate with probability proportional to e^(-t d): epsilon-DP (McSherry and Talwar
  2007). k rounds without replacement with epsilon / k each: epsilon-DP by sequential composition;
- permute-and-flip goes through the candidates in random order and takes the first whose coin, of probability e^(-t d), shows
  heads: epsilon-DP, and never worse (McKenna and Sheldon 2020). Given the set of heads, the first of them in a random order
  is uniform over it; the best candidate always shows heads, so the set is not empty. That is what is drawn here: all coins, then
  one of the heads.

How. Distances are counted in levels of B = 2^shift neighbouring distances, B = 1 unless t is tiny (below about 0.01): t and
the number of candidates, both public, fix B and the number of levels so that t B <= 1/32 and all candidates beyond the last
level together weigh at most 2^-60 of the best. A level is drawn by its number of candidates times e^(-t B level), then one of
its candidates uniformly; where B > 1 it is kept with probability e^(-t (d - B level)) >= e^(-1/32), else all is drawn afresh: a
candidate is then kept with probability proportional to e^(-t d), whatever B.

A double decides only beyond a proved error bound (see `_SURE`, `_flip`); else `exact_draws`, on Arb balls, does. Scores are
never turned into doubles.

Time. Passes over the scores: one for the largest, one for the counts, and one over a single block of candidates to find the
one that was drawn, always to the block's end. So it does not depend on where the winner is. What does depend on chance: a
redraw, of probability at most 1/32 and only where B > 1, costs about 1 % more. Rejection loops over candidates (OpenDP) run as long as the
best one is far ahead of the rest, and tell so.
"""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.privacy.budget import Exact, positive
from starling.privacy.compiled import compiled
from starling.privacy.sampling.entropy import BitSource, system
from starling.privacy.sampling.exact_draws import WORD, below, coin, decays, level, word

Int64: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.int16]
"""Two bytes a score stay two bytes: loc_block has 50 million candidates."""

_LEVELS = 4096
"""At most this many levels: their counts stay in a core's first cache."""

_BLOCK = 1 << 14
"""At most this many candidates whose levels are counted apart, so that one can be found again without a second pass over all."""

_MANY = 1 << 20
"""From more candidates on, scores of two bytes are read as they are; fewer are widened, so that kernels are compiled for one type."""

_SURE = 2.0**-36
"""A boundary is decided in doubles when it is this part of the total away. Errors, as parts of the total: a weight 2^-50, its
product with a count 2^-53, a sum of up to 4097 such terms 2^-40.9, together below 2^-40 for a boundary and again for the total;
candidates beyond the last level 2^-60; the target's product with the total 2^-52, its own width 2^-64. Sum below 2^-38."""

_CUT = 60
"""Candidates beyond the last level together weigh at most 2^-_CUT of the best one."""

_LN2_UP = Fraction(6931472, 10**7)
"""A little above ln 2."""


def exponential_mechanism(
    scores: npt.ArrayLike, epsilon: Exact, sensitivity: Exact = 1, k: int = 1, *, source: BitSource | None = None
) -> Int64:
    """k different candidates, each round with probability proportional to e^(epsilon/k * score / (2 sensitivity)).

    Args:
        scores: One integer per candidate, shape (n,), n below 2^32, of a type that int64 holds; higher is better. Confidential.
        epsilon: The cost of all k rounds in total, exact, above 0.
        sensitivity: The most a score differs by between neighbours, exact, above 0.
        k: The number of candidates to choose, 1..n.
        source: The source of random words; the operating system's unless a test says otherwise.

    Returns:
        Positions in `scores`, int64 of shape (k,), in order of selection.

    Raises:
        ParameterError: by the public parameters and the type and shape of `scores`, never by a score.
    """
    candidates = _checked(scores)
    if type(k) is not int or not 1 <= k <= candidates.size:
        raise ParameterError("k", "is not an int from 1 to the number of candidates", "ask for fewer")
    rate = _rate(epsilon, sensitivity) / k
    source = system() if source is None else source
    rest = candidates if k == 1 else candidates.copy()
    origin: dict[int, int] = {}
    chosen = np.empty(k, dtype=np.int64)
    for done in range(k):
        # Each round passes over all that is left, whatever the scores: to keep the counts as long as they suffice would
        # take longer when the best ones are far ahead of the others, and tell so.
        place = _choose(rest, rate, source)
        chosen[done] = origin.get(place, place)
        if done + 1 < k:
            last = rest.size - 1
            origin[place] = origin.get(last, last)
            rest[place] = rest[last]
            rest = rest[:last]
    return chosen


def permute_and_flip(
    scores: npt.ArrayLike, epsilon: Exact, sensitivity: Exact = 1, *, source: BitSource | None = None
) -> int:
    """One candidate, by permute-and-flip with coins of probability e^(epsilon (score - best) / (2 sensitivity)).

    Every candidate's coin is flipped, so the time does not depend on how many show heads. Parameters and errors as for
    `exponential_mechanism`; returns the position in `scores`.
    """
    candidates = _checked(scores)
    rate = _rate(epsilon, sensitivity)
    source = system() if source is None else source
    levels = _levels(rate, candidates.size.bit_length())
    best = int(candidates.max())
    heads = np.empty(candidates.size, dtype=np.int64)
    words = np.empty(min(candidates.size, _BLOCK), dtype=np.uint64)
    chances = np.empty(words.size, dtype=np.float64)
    open_places = np.empty(words.size, dtype=np.int64)
    total = 0
    for start in range(0, candidates.size, _BLOCK):
        block = candidates[start : start + _BLOCK]
        source.fill(words[: block.size])
        chosen, undecided = _flip(block, best, levels, words, chances, heads[total:], open_places)
        heads[total : total + chosen] += start
        total += chosen
        for place in open_places[:undecided].tolist():
            if coin((best - int(block[place])) * rate, source, int(words[place])):
                heads[total] = start + place
                total += 1
    return int(heads[below(total, source)])


class _Levels(NamedTuple):
    """How distances fall into levels: public, a function of the rate and the magnitude of the number of candidates.

    A named tuple, which the kernels can take as it is.

    Attributes:
        shift: A level holds 2^shift neighbouring distances.
        number: Levels 0..number-1; what lies beyond is the rest.
        weights: e^(-rate 2^shift level), doubles of shape (number + 1,); the last is a bound on the weight of one of the rest.
        slope: The rate as a double; 0 where a level holds one distance and nothing is left to weigh within it.
    """

    shift: np.uint64
    number: int
    weights: npt.NDArray[np.float64]
    slope: float


@lru_cache(maxsize=64)
def _levels(rate: Fraction, magnitude: int) -> _Levels:
    """Levels for fewer than 2^magnitude candidates: number * 2^shift distances reach down to 2^-(_CUT + magnitude)."""
    reach = min(int(-(-(_CUT + magnitude) * _LN2_UP // rate)), 1 << WORD)
    shift = max(0, (reach - 1).bit_length() - _LEVELS.bit_length() + 1)
    number = -(-reach // (1 << shift))
    # Only the last can be so small (one level, a huge rate), and it is a bound: raised, it stays one.
    weights = np.maximum(decays(rate * (1 << shift), number + 1), 2.0**-1000)
    weights.flags.writeable = False
    return _Levels(np.uint64(shift), number, weights, float(rate) if shift else 0.0)


def _rate(epsilon: Exact, sensitivity: Exact) -> Fraction:
    return positive(epsilon, field="epsilon") / (2 * positive(sensitivity, field="sensitivity"))


def _checked(scores: npt.ArrayLike) -> Scores:
    try:
        array = np.asarray(scores)
    except (OverflowError, ValueError):
        array = np.empty((), dtype=np.object_)
    if array.shape == (0,):
        raise ParameterError("scores", "are empty", "give at least one candidate")
    # A type that holds more than int64 is refused by its name: to look whether the values fit would be to read them.
    if array.ndim != 1 or array.dtype.kind not in "iu" or not np.can_cast(array.dtype, np.int64):
        raise ParameterError(
            "scores",
            "are not one row of integers of a type that int64 holds (floats are refused)",
            "give an int64 array of shape (n,)",
        )
    if array.dtype == np.int16 and array.size > _MANY:
        return np.ascontiguousarray(array, dtype=np.int16)
    return np.ascontiguousarray(array, dtype=np.int64)


def _choose(scores: Scores, rate: Fraction, source: BitSource) -> int:
    """The position of one candidate, drawn with probability proportional to e^(rate * score)."""
    levels = _levels(rate, scores.size.bit_length())
    best = int(scores.max())
    # Blocks of one length (but for the last few candidates), so that the block of the winner takes as long as any other.
    length = -(-scores.size // -(-scores.size // _BLOCK))
    blocks = _count(scores, best, levels, length)
    counts = blocks.sum(axis=0, dtype=np.int64)
    while True:
        first = word(source)
        drawn = _decide(counts[:-1], levels.weights[:-1], first)
        if drawn is None:
            drawn, distance = _decide_exactly(scores, best, counts, levels, rate, first=first, source=source)
            if drawn == levels.number:
                same = np.flatnonzero(_distances(scores, best) == np.uint64(distance))
                return int(same[below(same.size, source)])
        rank = below(int(counts[drawn]), source)
        upto = np.cumsum(blocks[:, drawn], dtype=np.int64)
        block = int(np.searchsorted(upto, rank, side="right"))
        start = block * length
        rank -= int(upto[block - 1]) if block else 0
        place = start + _find(scores[start : start + length], best, levels.shift, np.uint64(drawn), rank)
        within = (best - int(scores[place])) % (1 << int(levels.shift))
        if within == 0 or coin(within * rate, source):
            return place


def _decide(counts: Int64, weights: npt.NDArray[np.float64], first: int) -> int | None:
    """The level in which the word `first` certainly falls, or None where doubles cannot tell.

    >>> _decide(np.array([1, 0, 3]), np.array([1.0, 0.5, 0.25]), 2**63), _decide(np.array([1, 1]), np.ones(2), 2**63)
    (0, None)
    """
    bounds = np.cumsum(counts * weights)
    target = bounds[-1] * (first * 2.0**-WORD)
    margin = bounds[-1] * _SURE
    index = int(np.searchsorted(bounds, target, side="right"))
    if index == bounds.size or bounds[index] - target <= margin or (index and target - bounds[index - 1] <= margin):
        return None
    return index


def _decide_exactly(
    scores: Scores, best: int, counts: Int64, levels: _Levels, rate: Fraction, *, first: int, source: BitSource
) -> tuple[int, int]:
    """The level of the word `first` and its least distance; in the rest every distance is a level of its own."""
    filled = np.flatnonzero(counts[:-1])
    distances = [index << int(levels.shift) for index in filled.tolist()]
    numbers: list[int] = counts[filled].tolist()
    if counts[-1]:
        distant = _distances(scores, best)
        far, far_numbers = np.unique(distant[distant >> levels.shift >= np.uint64(levels.number)], return_counts=True)
        distances += far.tolist()
        numbers += far_numbers.tolist()
    index = level(distances, numbers, rate, first, source)
    return (int(filled[index]) if index < filled.size else levels.number), distances[index]


def _distances(scores: Scores, best: int) -> npt.NDArray[np.uint64]:
    """best - score for each candidate; the difference of two int64 fits uint64, and wrapping around gives it."""
    return np.uint64(best % (1 << WORD)) - scores.astype(np.int64, copy=False).view(np.uint64)


@compiled
def _count(scores: Scores, best: int, levels: _Levels, length: int) -> npt.NDArray[np.uint32]:
    """Candidates of each block of `length` in each level: uint32 of shape (blocks, number + 1), the rest last.

    Four counters take turns, so that a run of candidates of one level does not wait for one memory cell: the time is the same
    for all equal scores and for all different ones.
    """
    blocks = (scores.size + length - 1) // length
    out = np.empty((blocks, levels.number + 1), dtype=np.uint32)
    lanes = np.empty((4, levels.number + 1), dtype=np.uint32)
    top = np.uint64(best)
    beyond = np.uint64(levels.number)
    for block in range(blocks):
        lanes[:] = np.uint32(0)
        place = block * length
        end = min(scores.size, place + length)
        while place + 4 <= end:
            for lane in range(4):
                lanes[lane, min((top - np.uint64(scores[place + lane])) >> levels.shift, beyond)] += np.uint32(1)
            place += 4
        while place < end:
            lanes[0, min((top - np.uint64(scores[place])) >> levels.shift, beyond)] += np.uint32(1)
            place += 1
        for index in range(levels.number + 1):
            out[block, index] = lanes[0, index] + lanes[1, index] + lanes[2, index] + lanes[3, index]
    return out


@compiled
def _find(scores: Scores, best: int, shift: np.uint64, wanted: np.uint64, rank: int) -> int:
    """The position of the candidate of level `wanted` that has `rank` others of it before; always goes to the end."""
    top = np.uint64(best)
    place = -1
    seen = 0
    for index in range(scores.size):
        hit = (top - np.uint64(scores[index])) >> shift == wanted
        if hit and seen == rank:
            place = index
        seen += hit
    return place


@compiled
def _flip(
    scores: Scores,
    best: int,
    levels: _Levels,
    words: npt.NDArray[np.uint64],
    chances: npt.NDArray[np.float64],
    heads: Int64,
    undecided: Int64,
) -> tuple[int, int]:
    """Flip the coin of every candidate of a block; positions of heads, and of coins that doubles cannot decide.

    A coin of probability p shows heads when its word, read as U in [word, word + 1) / 2^64, lies below p. p is a table entry
    (within a relative 2^-50) times e^x, x = -slope * r in [-1/32, 0] for r distances within the level: the double x is within
    2^-56; the Taylor sum of degree 5 leaves out less than x^6 / 6! < 2^-39 and rounds by less than 2^-50. So p is within a
    relative 2^-38, and 2^-36 covers the rounding of the comparison too. Beyond the last level the same formula is above p, and
    below 2^-_CUT, so that it never says heads.
    """
    top = np.uint64(best)
    last = np.uint64(levels.weights.size - 1)
    within = (np.uint64(1) << levels.shift) - np.uint64(1)
    # Two loops without a branch on what shows: every coin takes the same steps.
    for index in range(scores.size):
        distance = top - np.uint64(scores[index])
        place = min(distance >> levels.shift, last)
        x = -levels.slope * np.float64(np.int64(distance & within))
        x2 = x * x
        chances[index] = levels.weights[place] * (1 + x + x2 * (1 / 2 + x * (1 / 6) + x2 * (1 / 24 + x * (1 / 120))))
    chosen = 0
    left = 0
    for index in range(scores.size):
        drawn = np.float64(np.int64(words[index] >> np.uint64(11))) * 2.0**-53
        sure = drawn + 2.0**-53 <= chances[index] * (1 - 2.0**-36)
        heads[chosen] = index
        chosen += sure
        undecided[left] = index
        left += (drawn < chances[index] * (1 + 2.0**-36)) & (not sure)
    return chosen, left
