"""The chance of each of the largest flows to be among those with most trips.

As for squares (places/typical/ranking.py), the chance is the part of invented worlds in which a pair of areas is among the first k, if the
trips of each are the released ones with a normal error, in whole trips from 0 on. Here nothing is estimated: the errors have the exact
variances and covariances of the noise after least squares. An estimate takes the noise of the numbers of a pair of levels (l, m) times the
coefficients u_l of its origin and w_m of its destination, so that two pairs of areas vary together by the sum over (l, m) of V_lm
(u_l . u'_l)(w_m . w'_m). Pairs far behind have no part in it. Nothing is proved: the marks of `largest` are what is sure.

A normal error around what was released forgets that a pair stands in the list because its noise was large. Among many empty pairs that is
all there is to see: on taxi trips whose flows drown in noise, of chances near .96 none was right. So `largest` states chances only of pairs
that surely have trips, jointly over all; there the list is what it seems.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np

from starling.places.answers.hotspots import first_by
from starling.places.arrays import Float64, Int64
from starling.places.flows.answers.deviation import Noise
from starling.places.generate.noise import normal

DRAWS: Final = 1000
"""Invented worlds."""
RIVALS: Final = 1000
"""At least so many pairs, those with most released trips, are invented; ten times k where that is more."""
MOST_RANKED: Final = 200
"""The largest k of which chances are reckoned: the covariances of ten times as many pairs take a second."""
SEED: Final = 1
"""Public: of what is invented."""
LEAST: Final = 0.6
"""Smaller chances are not stated, as of squares."""


def chances(noise: Noise, trips: Float64, k: int) -> Float64:
    """How likely each of the k pairs of areas with most released trips, float64 (areas, areas), is among those with most trips: float64
    (k,), largest first; no number below `LEAST`. Always the same.
    """
    values = trips.reshape(-1)
    rivals = first_by(values, max(RIVALS, 10 * k))
    root = _root(covariances(noise, rivals // len(trips), rivals % len(trips)))
    result = np.zeros(k)
    for number in range(DRAWS):
        worlds = np.rint(np.maximum(values[rivals] + root @ normal(len(rivals), SEED, number), 0))
        result += worlds[:k] >= np.partition(worlds, -k)[-k]
    return np.where(result < LEAST * DRAWS, np.nan, result / DRAWS)


def covariances(noise: Noise, origins: Int64, destinations: Int64) -> Float64:
    """How the estimates of pairs of areas vary together: float64 (pairs, pairs), from their areas, int64 (pairs,) each."""
    ends: list[Sequence[Float64]] = []
    for end in (origins, destinations):
        areas, at = np.unique(end, return_inverse=True)
        ends.append([each[np.ix_(at, at)] for each in noise.together(areas)])
    variances = noise.variances
    result = np.zeros((len(origins), len(origins)))
    for one, other in product(range(len(variances)), repeat=2):
        result += variances[one, other] * ends[0][one] * ends[1][other]
    return result


def _root(covariance: Float64) -> Float64:
    """A matrix whose product with its transpose is a covariance, which may lack full rank."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
