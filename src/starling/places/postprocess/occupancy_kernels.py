"""Kernels of the occupancy model: messages upwards, division downwards. `occupancy` says what for.

A message is four float64 (2^d, 2^d) arrays z, w, l and e: the likelihood of a box's count x is exp(l - (x - z)^2 / 2 w), and the
log-likelihood of its being empty is e; w is infinite where nothing is measured at or below the box. Where a side of the grid is no power
of two, some boxes have no cells; they hold no points.
"""

from math import exp, isfinite, log, sqrt
from typing import Final, TypeAlias

import numpy as np

from starling.places.arrays import Float64
from starling.places.postprocess.neighbourhood import in_bands, logarithms
from starling.privacy.compiled import compiled

Message: TypeAlias = tuple[Float64, Float64, Float64, Float64]
Own: TypeAlias = tuple[Float64, Float64, Float64]
Mixture: TypeAlias = tuple[Float64, Float64, Float64]
"""tau and gamma, float64 (kinds,) each, and float64 (buckets, 4, kinds): the weight of a component by the number of its quarters."""

NEVER: Final = -1e300
NEGLIGIBLE: Final = 128.0
"""A set of quarters whose log-likelihood is bound to be so far below the best is left out: even its square root is lost in rounding."""
FLOOR: Final = 1e-9
"""Added to the weight of a component, so that none is impossible."""
LEAST: Final = 1e-12
"""Added to the variance of a quarter's share."""
SIZES: Final = np.array([each.bit_count() for each in range(16)])
"""Quarters of each set; outside the kernels, where making it would be compiled."""
BELOW: Final = 2.0
"""The power of shares below leaves."""


@compiled
def _powers(shares: Float64, power: Float64, out: Float64) -> None:
    """The shares of four quarters with each power, float64 (kinds, 4); each power is taken once."""
    for t in range(len(power)):
        same = t
        for earlier in range(t):
            if power[earlier] == power[t]:
                same = earlier
                break
        for k in range(4):
            if same < t:
                out[t, k] = out[same, k]
            else:
                out[t, k] = shares[k] ** power[t] if power[t] > 0 else 1.0


@compiled
def _bucket(ratio: float, buckets: int) -> int:
    """Which weights hold for a box whose count is so many times the noise of its quarters."""
    return 0 if ratio < 1 else min(1 + int(log(ratio) / log(2.0) / 1.5), buckets - 1)


@compiled
def _quarters(
    below: Message, shares: Float64, row: int, column: int, z: Float64, w: Float64, level: Float64, e: Float64
) -> tuple[float, int]:
    """Write the messages of the quarters of a box; the sum of their w, and the set of those that have cells."""
    noise, there = 0.0, 0
    for k in range(4):
        place = 2 * row + k // 2, 2 * column + k % 2
        z[k], w[k], level[k], e[k] = below[0][place], below[1][place], below[2][place], below[3][place]
        if shares[row, column, k] > 0:
            noise += w[k]
            there |= 1 << k
    return noise, there


def messages(below: Message, shares: Float64, field: Float64, own: Own, mixture: Mixture, learned: Float64) -> Message:
    """The messages of one level from those of the level below; what components the boxes have is added to `learned`.

    Args:
        below: Messages of the quarters, (2 n, 2 n) each.
        shares: float64 (n, n, 4).
        field: float64 (n, n): the points of each box by the previous pass.
        own: Value, variance and log-likelihood of being empty by each box's own measurement, (n, n) each.
        mixture: The components.
        learned: float64 (buckets, 4, kinds), added to.
    """
    spread, power, weights = mixture
    shape, prior = field.shape, logarithms(weights, FLOOR)
    out = np.zeros(shape), np.full(shape, np.inf), np.zeros(shape), np.zeros(shape)

    def band(first: int, end: int) -> Float64:
        width = np.zeros(learned.shape)
        _messages(below, shares, field, own, (spread, power, prior, float(prior.max())), width, out, first, end)
        return width

    for bands in in_bands(len(field), band):
        learned += bands
    return out


@compiled
def _messages(  # noqa: C901, PLR0912, PLR0915 - one kernel: calls with arrays in its inner loops cost time
    below: Message,
    shares: Float64,
    field: Float64,
    own: Own,
    mixture: tuple[Float64, Float64, Float64, float],
    learned: Float64,
    out: Message,
    first: int,
    end: int,
) -> None:
    spread, power, prior, likeliest = mixture
    side, kinds = len(field), len(spread)
    zs, ws, ls, es = out
    z, w, level, e, p = np.empty(4), np.empty(4), np.empty(4), np.empty(4), np.empty((kinds, 4))
    score, mean, variance = np.empty(15 * kinds), np.empty(15 * kinds), np.empty(15 * kinds)
    for row in range(first, end):
        for column in range(side):
            own_value, own_variance, own_empty = own[0][row, column], own[1][row, column], own[2][row, column]
            noise, there = _quarters(below, shares, row, column, z, w, level, e)
            if there == 0 or not isfinite(noise):
                if isfinite(own_variance):
                    zs[row, column], ws[row, column], es[row, column] = own_value, own_variance, own_empty
                continue
            deviation = sqrt(noise / SIZES[there])
            count = max(field[row, column], deviation)
            bucket = _bucket(count / deviation, len(prior))
            _powers(shares[row, column], power, p)
            best = NEVER
            score[:] = NEVER
            for s in range(15, 0, -1):
                size = SIZES[s]
                base, most = 0.0, 0.0
                for k in range(4):
                    base += level[k] if s >> k & 1 else e[k]
                    most += w[k] if s >> k & 1 else 0.0
                # The variance of a sum is at most that of its parts' measurements, and the rest of a score is at most 0 (see `likeliest`).
                if s & ~there or base + likeliest + 0.5 * log(most) < best - NEGLIGIBLE:
                    continue
                for t in range(kinds):
                    place_of = (s - 1) * kinds + t
                    if size == 1:
                        if t > 0:
                            continue
                        for k in range(4):
                            if s >> k & 1:
                                mean[place_of], variance[place_of] = z[k], w[k]
                        peak = base
                    else:
                        whole = 0.0
                        for k in range(4):
                            if s >> k & 1:
                                whole += p[t, k]
                        a, b, c, pq, qz, total, sq, logs = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
                        for k in range(4):
                            if s >> k & 1:
                                share = p[t, k] / whole
                                root = spread[t] * count * share
                                q_k = root * root + LEAST
                                inverse = 1.0 / (q_k + w[k])
                                a += share * share * inverse
                                b += share * z[k] * inverse
                                c += z[k] * z[k] * inverse
                                pq += share * q_k * inverse
                                qz += q_k * z[k] * inverse
                                total += q_k * w[k] * inverse
                                sq += q_k
                                logs *= (q_k + w[k]) / w[k]
                        a += pq * pq / total
                        b += pq * qz / total
                        c += qz * qz / total
                        mean[place_of], variance[place_of] = b / a, 1.0 / a
                        peak = base - 0.5 * (log(logs * (total / sq)) + max(c - b * b / a, 0.0))
                    score[place_of] = prior[bucket, size - 1, t] + peak + 0.5 * log(variance[place_of])
                    best = max(best, score[place_of])
            whole, centre = 0.0, 0.0
            for i in range(15 * kinds):
                score[i] = exp(score[i] - best) if score[i] > NEVER else 0.0
                whole += score[i]
            for i in range(15 * kinds):
                if score[i] > 0:
                    score[i] /= whole
                    centre += score[i] * mean[i]
            second = 0.0
            for i in range(15 * kinds):
                if score[i] > 0:
                    second += score[i] * (variance[i] + (mean[i] - centre) ** 2)
                    learned[bucket, SIZES[i // kinds + 1] - 1, i % kinds] += score[i]
            peak = log(whole) + best - 0.5 * log(second)
            es[row, column] = e[0] + e[1] + e[2] + e[3]
            if isfinite(own_variance):
                peak -= 0.5 * (own_value - centre) ** 2 / (own_variance + second)
                es[row, column] += own_empty
                share = second / (own_variance + second)
                centre += share * (own_value - centre)
                second = share * own_variance
            zs[row, column], ws[row, column], ls[row, column] = centre, second, peak


def divide(field: Float64, below: Message, shares: Float64, mixture: Mixture, temper: float, small: float) -> Float64:
    """float64 (2 n, 2 n): the points of each quarter, which add up to those of the box, `field`, float64 (n, n).

    `temper` is the power of the posterior weights of components, by which they are averaged; a quarter with fewer points than `small`
    standard deviations of its noise is taken as empty. All else is as of `messages`.
    """
    spread, power, weights = mixture
    out, prior = np.zeros((2 * len(field), 2 * len(field))), logarithms(weights, FLOOR)
    tempered = spread, power, prior, float(prior.max()), temper, small
    in_bands(len(field), lambda first, end: _divide(field, below, shares, tempered, out, first, end))
    return out


@compiled
def _divide(  # noqa: C901, PLR0912, PLR0915 - one kernel: calls with arrays in its inner loops cost time
    field: Float64,
    below: Message,
    shares: Float64,
    mixture: tuple[Float64, Float64, Float64, float, float, float],
    out: Float64,
    first: int,
    end: int,
) -> None:
    spread, power, prior, likeliest, temper, small = mixture
    side, kinds = len(field), len(spread)
    z, w, level, e, p, x = np.empty(4), np.empty(4), np.empty(4), np.empty(4), np.empty((kinds, 4)), np.empty(4)
    mu, s_k = np.empty(4), np.empty(4)
    score, parts = np.empty(15 * kinds), np.empty((15 * kinds, 4))
    for row in range(first, end):
        for column in range(side):
            points = field[row, column]
            if points <= 0:
                continue
            noise, there = _quarters(below, shares, row, column, z, w, level, e)
            if isfinite(noise):
                deviation = sqrt(noise / SIZES[there])
                count = max(points, deviation)
                bucket = _bucket(count / deviation, len(prior))
                _powers(shares[row, column], power, p)
                best = NEVER
                score[:] = NEVER
                for s in range(15, 0, -1):
                    size = SIZES[s]
                    base = 0.0
                    for k in range(4):
                        base += level[k] if s >> k & 1 else e[k]
                    if s & ~there or base + likeliest < best - NEGLIGIBLE:
                        continue
                    for t in range(kinds):
                        i = (s - 1) * kinds + t
                        if size == 1:
                            if t > 0:
                                continue
                            for k in range(4):
                                parts[i, k] = 0.0
                                if s >> k & 1:
                                    parts[i, k] = points
                                    base -= 0.5 * (points - z[k]) ** 2 / w[k]
                            score[i] = prior[bucket, 0, t] + base
                        else:
                            fit = _conditional(s, z, w, p[t], points, count, spread[t], mu, s_k)
                            _level(s, mu, s_k, points, parts[i])
                            score[i] = prior[bucket, size - 1, t] + base - 0.5 * fit
                        best = max(best, score[i])
                whole = 0.0
                for k in range(4):
                    x[k] = 0.0
                for i in range(15 * kinds):
                    if score[i] > NEVER:
                        weight = exp(temper * (score[i] - best))
                        whole += weight
                        for k in range(4):
                            x[k] += weight * parts[i, k]
                largest = 0
                for k in range(4):
                    x[k] /= whole
                    if x[k] > x[largest]:
                        largest = k
                for k in range(4):
                    if k != largest and x[k] < small * sqrt(w[k]):
                        x[k] = 0.0
            else:
                for k in range(4):
                    x[k] = shares[row, column, k] ** BELOW
            total = x[0] + x[1] + x[2] + x[3]
            if total <= 0:  # Rounding of counts far larger than the points.
                for k in range(4):
                    x[k] = shares[row, column, k]
                total = x[0] + x[1] + x[2] + x[3]
            for k in range(4):
                out[2 * row + k // 2, 2 * column + k % 2] = x[k] * (points / total)


@compiled
def _conditional(
    s: int,
    z: Float64,
    w: Float64,
    p: Float64,
    points: float,
    count: float,
    tau: float,
    mu: Float64,
    variance: Float64,
) -> float:
    """Means and variances of the quarters in the set s, before they are made to add up; minus twice their log-likelihood."""
    whole = 0.0
    for k in range(4):
        if s >> k & 1:
            whole += p[k]
    c, qz, total, sq, logs = 0.0, 0.0, 0.0, 0.0, 1.0
    for k in range(4):
        if s >> k & 1:
            share = p[k] / whole
            root = tau * count * share
            q = root * root + LEAST
            inverse = 1.0 / (q + w[k])
            rest = z[k] - points * share
            c += rest * rest * inverse
            qz += q * rest * inverse
            variance[k] = q * w[k] * inverse
            mu[k] = points * share + q * inverse * rest
            total += variance[k]
            sq += q
            logs *= (q + w[k]) / w[k]
    return log(logs * (total / sq)) + c + qz * qz / total


@compiled
def _level(s: int, mu: Float64, variance: Float64, points: float, out: Float64) -> None:
    """Counts of the quarters in the set s that add up to `points`, none negative: mu + t variance, negatives to 0, again."""
    for k in range(4):
        out[k] = 0.0
    active = s
    while active:
        sums, variances = 0.0, 0.0
        for k in range(4):
            if active >> k & 1:
                sums += mu[k]
                variances += variance[k]
        level = (points - sums) / variances
        left = active
        for k in range(4):
            if active >> k & 1:
                out[k] = mu[k] + level * variance[k]
                if out[k] < 0:
                    out[k] = 0.0
                    left &= ~(1 << k)
        if left == active:
            return
        active = left
