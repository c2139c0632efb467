"""Chances of what a selection answers, from scores that are assumed. In doubles: for foresight, no draw depends on them."""

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.genome.plan.queries import Selection

Int64: TypeAlias = npt.NDArray[np.int64]
Float64: TypeAlias = npt.NDArray[np.float64]

_POINTS = 128
"""Of the quadrature, which is exact for twice as many candidates."""


def chances(scores: Int64, epsilon: float, selection: Selection) -> Float64:
    """Probability that each candidate is selected, sensitivity 1.

    Exponential mechanism: in proportion to w = e^(epsilon (score - best)/2). Permute-and-flip takes the first candidate in a random order
    whose coin of probability w shows heads. Let every candidate come at a time even on (0, 1): one that comes at u is taken with
    probability w when nobody before was, which for each other candidate has probability 1 - u w; so P = w times the integral over u of the
    product of 1 - u w of all others (McKenna and Sheldon 2020, Section 4, by another road).

    >>> chances(np.array([0, -1]), 2.0, "exponential").round(4).tolist()
    [0.7311, 0.2689]
    >>> chances(np.array([0, -1]), 2.0, "permute-and-flip").round(4).tolist()
    [0.8161, 0.1839]
    """
    weights = np.exp(epsilon / 2 * (scores - scores.max()).astype(np.float64))
    if selection == "exponential":
        return np.asarray(weights / weights.sum())
    times, parts = _quadrature()
    tails = 1 - times[:, np.newaxis] * weights
    return np.asarray(weights * (parts[:, np.newaxis] * (tails.prod(axis=1)[:, np.newaxis] / tails)).sum(axis=0))


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Float64, Float64]:
    """Points of (0, 1) and their weights."""
    nodes, parts = np.polynomial.legendre.leggauss(_POINTS)
    return (nodes + 1) / 2, parts / 2


def all_found(beyond: int, k: int, others: Float64, groups: Int64, epsilon: float) -> float:
    """Probability that k rounds at epsilon/k each take k equally strong SNPs, and none of the others.

    Args:
        beyond: Score of each of the k.
        k: How many.
        others: Scores of the other SNPs, float64.
        groups: How many of them have each score.
        epsilon: Of all rounds together.
    """
    rate = epsilon / (2 * k)
    # Round with j of the k left: j against the weight of all others beside one of them.
    beside = float(np.sum(groups * np.exp(np.minimum(rate * (others - beyond), 700))))
    return float(np.prod([left / (left + beside) for left in range(1, k + 1)]))
