"""The exponential mechanism for many rows of candidates at once: one candidate of each row, with exactly its distribution.

Privacy is that of `selection.exponential_mechanism`: within a row, neighbours change each score by at most `sensitivity`, and a candidate
is taken with probability proportional to e^(epsilon score / (2 sensitivity)), which costs epsilon for each row that a unit's data meet.

How. Weights e^(-t d), d the distance of a score from the best of its row and t = epsilon / (2 sensitivity), stand in a table down to
2^-70 of the best together for all candidates beyond it. One 64-bit word decides between candidates in doubles where it is further from each
boundary than a proved bound, else `exact_draws.level` goes on with more bits: what is drawn is a function of a real number, never of a
rounded one.

Time. The same passes over every row, whatever its scores; what differs is an exact decision, of probability below 2^-30 a row.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.privacy.budget import Exact, positive
from starling.privacy.compiled import compiled
from starling.privacy.sampling.entropy import BitSource, system
from starling.privacy.sampling.exact_draws import decays, level

Int64 = npt.NDArray[np.int64]

MOST_CANDIDATES: Final = 1 << 10
"""Candidates of a row."""
LONGEST: Final = 1 << 24
"""Distances in the table of weights."""
_CUT: Final = 70
"""All candidates beyond the table weigh together at most 2^-(_CUT - 10) of the best."""
_LN2_UP: Final = Fraction(6931472, 10**7)
"""A little above ln 2."""
_SURE: Final = 2.0**-40
"""A boundary is decided in doubles when it is this part of the total away. Errors, as parts of the total: a weight 2^-50, a sum of up to
2^10 terms 2^-43, again for the total; candidates beyond the table 2^-60; the target's product 2^-52, its own width 2^-64. Sum below
2^-41."""


def exponential_rows(
    scores: Int64, epsilon: Exact, sensitivity: Exact = 1, *, source: BitSource | None = None
) -> Int64:
    """A candidate of each row, with probability proportional to e^(epsilon score / (2 sensitivity)).

    Args:
        scores: One integer per candidate, int64 of shape (rows, candidates), of absolute value below 2^62; higher is better. Confidential.
        epsilon: The cost of a row, exact, above 0.
        sensitivity: The most a score differs by between neighbours, exact, above 0.
        source: The source of random words; the operating system's unless a test says otherwise.

    Returns:
        Positions in the rows, int64 of shape (rows,).

    Raises:
        ParameterError: by the public parameters and the shape of `scores`, never by a score: there are none or too many candidates, or
            the table of weights would be longer than LONGEST.
    """
    rate = positive(epsilon, field="epsilon") / (2 * positive(sensitivity, field="sensitivity"))
    if scores.ndim != 2 or not 1 <= scores.shape[1] <= MOST_CANDIDATES:
        fix = "give an int64 array of shape (rows, candidates)"
        raise ParameterError("scores", f"have not 1 to {MOST_CANDIDATES} candidates in each row", fix)
    weights = _weights(rate)
    source = system() if source is None else source
    words = np.empty(len(scores), dtype=np.uint64)
    source.fill(words)
    chosen = np.empty(len(scores), dtype=np.int64)
    _choose(scores, weights, words, chosen)
    for row in np.flatnonzero(chosen < 0).tolist():
        of_row = scores[row].tolist()
        best = max(of_row)
        distances = [best - score for score in of_row]
        chosen[row] = level(distances, [1] * len(distances), rate, int(words[row]), source)
    return chosen


def reach(rate: Fraction) -> int:
    """How many distances have a weight that is told from 0.

    >>> reach(Fraction(1, 2))
    99
    """
    return ceil(_CUT * _LN2_UP / rate) + 1


@lru_cache(maxsize=64)
def _weights(rate: Fraction) -> npt.NDArray[np.float64]:
    length = reach(rate)
    if length > LONGEST:
        raise ParameterError("epsilon", "is too small for its table of weights", "give more")
    weights = decays(rate, length)
    weights.flags.writeable = False
    return weights


@compiled
def _choose(scores: Int64, weights: npt.NDArray[np.float64], words: npt.NDArray[np.uint64], chosen: Int64) -> None:
    """The candidate of each row in which its word certainly falls, -1 where doubles cannot tell."""
    last = len(weights)
    for row in range(scores.shape[0]):
        best = scores[row, 0]
        for place in range(scores.shape[1]):
            best = max(best, scores[row, place])
        total = 0.0
        for place in range(scores.shape[1]):
            distance = best - scores[row, place]
            total += weights[distance] if distance < last else 0.0
        target = total * (np.float64(words[row]) * 2.0**-64)
        margin = total * _SURE
        first, sure, bound = -1, True, 0.0
        for place in range(scores.shape[1]):
            distance = best - scores[row, place]
            bound += weights[distance] if distance < last else 0.0
            # The end of everything is no boundary between two candidates.
            if place + 1 < scores.shape[1] and abs(bound - target) <= margin:
                sure = False
            if first < 0 and (bound > target or place + 1 == scores.shape[1]):
                first = place
        chosen[row] = first if sure else -1
