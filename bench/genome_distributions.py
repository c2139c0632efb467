"""Exact distributions of selections, from exact scores: nothing of a mechanism is drawn. In double precision.

Each candidate has the weight e^(epsilon (score - best) / 2), sensitivity 1, as in `privacy.sampling.selection`. Candidates of one kind
(one
score, one value) stand together with how many they are: hundreds of thousands of SNPs have far fewer different tables. Sums are NumPy's
own, not products of vectors, whose threads wait for one another on a busy machine.
"""

from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Float64: TypeAlias = npt.NDArray[np.float64]
Int64: TypeAlias = npt.NDArray[np.int64]

_HALVINGS: Final = 60
_NODES: Final = 16


def exponential(scores: npt.ArrayLike, epsilon: float) -> Float64:
    """Of each candidate, the chance that the exponential mechanism chooses it.

    >>> exponential([0, -2], 1.0).round(4)
    array([0.7311, 0.2689])
    """
    weights = _weights(np.asarray(scores), epsilon)
    return np.asarray(weights / weights.sum())


def permute_and_flip(scores: npt.ArrayLike, epsilon: float, counts: npt.ArrayLike = 1) -> Float64:
    """Of one candidate of each kind, the chance that permute-and-flip chooses it.

    It chooses evenly among the candidates whose coins show heads. With H heads among the others, i is chosen with probability
    p_i E[1/(1 + H)] = p_i times the integral over u from 0 to 1 of the product over the others of (1 - p_s u), since E[t^H] is the
    product of 1 - p_s + p_s t. Gauss's rule between neighbouring powers of 1/2 has an error below rounding, however many candidates.

    Args:
        scores: Of each kind, at least two candidates in all.
        epsilon: Above 0.
        counts: How many candidates are of each kind.

    >>> permute_and_flip([0, -2], 1.0).round(4)
    array([0.8161, 0.1839])
    """
    chances = _weights(np.asarray(scores), epsilon)
    points, widths = _rule()
    tails = np.log1p(-np.outer(chances, points))
    whole = (np.broadcast_to(counts, chances.shape)[:, np.newaxis] * tails).sum(axis=0)
    return np.asarray(chances * (np.exp(whole - tails) * widths).sum(axis=1))


def kept_of_two(
    scores: npt.ArrayLike, values: npt.ArrayLike, counts: npt.ArrayLike, epsilon: float, losses: npt.ArrayLike
) -> Float64:
    """Two different candidates chosen one after the other by the exponential mechanism: how much is lost.

    The loss is 1 - (sum of the two values) / (sum of the two largest values there are).

    Args:
        scores: Of each kind.
        values: Of each kind, at least 0.
        counts: How many candidates are of each kind, at least two in all.
        epsilon: Of one of the two rounds.
        losses: In [0, 1].

    Returns:
        For each of `losses` the chance that no more is lost.

    >>> kept_of_two([0, 0, 0], [4.0, 1.0, 1.0], [1, 1, 1], 1.0, [0, 0.5, 0.6]).round(4)
    array([0.6667, 0.6667, 1.    ])
    """
    order = np.argsort(np.asarray(values, dtype=np.float64))
    worth, kinds = np.asarray(values, dtype=np.float64)[order], np.asarray(counts)[order]
    weights = _weights(np.asarray(scores)[order], epsilon)
    largest = np.sort(np.repeat(worth, np.minimum(kinds, 2)))[-2:].sum()
    # What is left once one candidate is chosen. Of the heaviest kind it is summed apart, because that one may be nearly all.
    top = int(np.argmax(weights))
    masses, left = kinds * weights, (kinds - (np.arange(kinds.size) == top)) * weights
    rest = masses.sum() - weights
    rest[top] = left.sum()
    first = masses / masses.sum() / rest
    upto, upto_left = (np.concatenate(([0.0], np.cumsum(each))) for each in (masses, left))
    found = []
    for loss in np.asarray(losses, dtype=np.float64).tolist():
        # A billionth of the sum is no loss: rounding.
        needed = (1 - loss - 1e-9) * largest - worth
        place = np.searchsorted(worth, needed)
        second = upto[-1] - upto[place] - np.where(worth >= needed, weights, 0.0)
        second[top] = upto_left[-1] - upto_left[place[top]]
        found.append(float((first * second).sum()))
    return np.array(found)


def nothing_lost_by_flips(scores: npt.ArrayLike, values: npt.ArrayLike, counts: npt.ArrayLike, epsilon: float) -> float:
    """The chance that permute-and-flip, asked twice, the second time without what it chose first, loses nothing.

    Arguments and the loss as for `kept_of_two`; scores are integers.

    >>> round(nothing_lost_by_flips([0, 0, 0], [4.0, 1.0, 0.0], [1, 2, 2], 1.0), 4)
    0.2
    """
    kinds, worth = np.asarray(counts), np.asarray(values, dtype=np.float64)
    heights, height_of = np.unique(np.asarray(scores), return_inverse=True)
    held = np.bincount(height_of, kinds).astype(np.int64)
    first = permute_and_flip(heights, epsilon, held)
    largest = np.sort(np.repeat(worth, np.minimum(kinds, 2)))[-2:]
    total = 0.0
    for one in np.flatnonzero(worth >= largest[0]).tolist():
        left = held - (np.arange(held.size) == height_of[one])
        second = np.zeros(held.size)
        second[left > 0] = permute_and_flip(heights[left > 0], epsilon, left[left > 0])
        right = np.flatnonzero(worth[one] + worth >= largest.sum())
        many = kinds[right] - (right == one)
        total += float(kinds[one] * first[height_of[one]] * (many @ second[height_of[right]]))
    return total


def _weights(scores: Float64 | Int64, epsilon: float) -> Float64:
    return np.asarray(np.exp(epsilon / 2 * (scores - scores.max())))


@lru_cache(maxsize=1)
def _rule() -> tuple[Float64, Float64]:
    """Points in (0, 1) and their widths: Gauss's between 1/2 and 1, 1/4 and 1/2, and so on."""
    nodes, widths = np.polynomial.legendre.leggauss(_NODES)
    lengths = np.append(0.5 ** np.arange(1, _HALVINGS + 1), 0.5**_HALVINGS)
    starts = np.append(lengths[:-1], 0.0)
    return (
        np.concatenate([start + length * (nodes + 1) / 2 for start, length in zip(starts, lengths, strict=True)]),
        np.concatenate([length * widths / 2 for length in lengths]),
    )
