"""Kernels of empirical Bayes on cumulative counts: one region's sequence of sizes as a walk that is seen with noise.

All arithmetic is of doubles in a fixed order, without a library sum, so that another machine repeats every bit.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled

Float = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

LEAST_VARIANCE = 1e-9
"""Of a number of groups, for the sake of divisions."""
LOG_TWO = 0.6931471805599453


class Prior(NamedTuple):
    """How the numbers of groups of a level's regions vary around what their parents' histograms let expect.

    A region expects m groups of size s and has m (1 + u_s) + e, where e has variance m + lone_s m^2, and u_s = keep_s u' + v, u' being that
    of the size before and v of variance fresh_s. At the first size u has variance first_s.

    Attributes:
        keep: (sizes,).
        fresh: (sizes,).
        lone: (sizes,).
        first: (sizes,).
    """

    keep: Float
    fresh: Float
    lone: Float
    first: Float


class Moments(NamedTuple):
    """Sums over the regions of a level, for each size; `off` is what a region has beyond expectation, m what it expects.

    Attributes:
        squares: (3, sizes): of off times off of the same size, of the size before, and of two sizes before, less what noise and chance add.
        expected: (3, sizes): of m times m of the same size, of the size before, and of two sizes before.
        doubt: (sizes,): the variance of the first row of `squares`, were there nothing but noise and chance.
        groups: (sizes,): of m.
    """

    squares: Float
    expected: Float
    doubt: Float
    groups: Float


@compiled
def average_runs(values: Float, variances: Float, children: Int64, sizes: Int64, seen: Float, noise: Float) -> None:
    """The mean of each stretch of sizes in which the cumulative count does not change, weighted by precision, and its variance.

    Args:
        values: (all regions, all sizes): what is known of the cumulative counts.
        variances: (all regions, all sizes): 0 where they are known exactly.
        children: (regions,): which regions.
        sizes: (runs,): the size at which each begins, ascending; the last one ends with the sizes.
        seen: (regions, runs), written.
        noise: (regions, runs), written.
    """
    for row in range(children.size):
        value, variance = values[children[row]], variances[children[row]]
        for number in range(sizes.size):
            end = sizes[number + 1] if number + 1 < sizes.size else value.size
            total, weighted, sure = 0.0, 0.0, -1
            for s in range(sizes[number], end):
                if variance[s] > 0:
                    total += 1.0 / variance[s]
                    weighted += value[s] / variance[s]
                else:
                    sure = s
            seen[row, number] = value[sure] if sure >= 0 else weighted / total
            noise[row, number] = 0.0 if sure >= 0 else 1.0 / total


@compiled
def add_moments(expected: Float, seen: Float, noise: Float, sizes: Int64, moments: Moments) -> None:
    """Add regions: what each expects at the runs of sizes, its cumulative counts, and their variances, (regions, runs) each."""
    for row in range(expected.shape[0]):
        before, spread = 0.0, 0.0
        last, last_expected, second, second_expected = 0.0, 0.0, 0.0, 0.0
        for number in range(sizes.size):
            s, m = sizes[number], expected[row, number]
            chance = noise[row, number] + spread + m
            off = seen[row, number] - before - m
            moments.squares[0, s] += off * off - chance
            moments.expected[0, s] += m * m
            if number > 0:
                # Both are differences from one noisy count, which is in them with opposite signs.
                moments.squares[1, s] += off * last + spread
                moments.expected[1, s] += m * last_expected
                moments.squares[2, s] += off * second
                moments.expected[2, s] += m * second_expected
            moments.doubt[s] += 2.0 * chance * chance
            moments.groups[s] += m
            before, spread = seen[row, number], noise[row, number]
            second, second_expected, last, last_expected = last, last_expected, off, m


@compiled
def pool_sizes(moments: Moments, sure: float, covariances: Float) -> None:
    """Relative covariances of neighbouring sizes, taken together until the variance beyond chance is known to the part `sure` of chance.

    Args:
        moments: Of a level.
        sure: Above 0.
        covariances: (3, sizes), written: of u with itself, with the size before, and with two sizes before; 0 where nothing is expected.
    """
    first, doubt, groups = 0, 0.0, 0.0
    squares, expected = np.zeros(3), np.zeros(3)
    for size in range(moments.groups.size):
        doubt += moments.doubt[size]
        groups += moments.groups[size]
        for lag in range(3):
            squares[lag] += moments.squares[lag, size]
            expected[lag] += moments.expected[lag, size]
        if size < moments.groups.size - 1 and (groups == 0 or np.sqrt(doubt) > sure * groups):
            continue
        for lag in range(3):
            covariances[lag, first : size + 1] = squares[lag] / expected[lag] if expected[lag] > 0 else 0.0
            squares[lag], expected[lag] = 0.0, 0.0
        first, doubt, groups = size + 1, 0.0, 0.0


@compiled
def smooth(
    expected: Float, seen: Float, noise: Float, sizes: Int64, prior: Prior, mean: Float, variance: Float
) -> None:
    """The mean and variance of each cumulative count given all that was seen of them: Kalman's filter and the smoother of de Jong (1989).

    The state is (c, u). Between two runs c gains m (1 + u) + e.

    Args:
        expected: (regions, runs): m.
        seen: (regions, runs): c with noise.
        noise: (regions, runs): its variance.
        sizes: (runs,).
        prior: Of u.
        mean: (regions, runs), written.
        variance: (regions, runs), written.
    """
    room = np.empty((5, sizes.size))
    for row in range(expected.shape[0]):
        c, u, cc, cu, uu = 0.0, 0.0, 0.0, 0.0, 0.0
        for number in range(sizes.size):
            keep, m = prior.keep[sizes[number]], expected[row, number]
            u *= keep
            uu = keep * keep * uu + prior.fresh[sizes[number]] if number else prior.first[sizes[number]]
            cu *= keep
            c += m * (1.0 + u)
            cc += 2.0 * m * cu + m * m * uu + max(m + prior.lone[sizes[number]] * m * m, LEAST_VARIANCE)
            cu += m * uu
            room[0, number], room[1, number], room[2, number], room[3, number], room[4, number] = c, u, cc, cu, uu
            gain = 1.0 / (cc + noise[row, number])
            off = seen[row, number] - c
            c += cc * gain * off
            u += cu * gain * off
            uu -= cu * cu * gain
            cu -= cc * cu * gain
            cc -= cc * cc * gain
        # What all later ones say: r of both parts of the state, and the matrix N.
        r1, r2, n11, n12, n22 = 0.0, 0.0, 0.0, 0.0, 0.0
        for number in range(sizes.size - 1, -1, -1):
            cc, cu = room[2, number], room[3, number]
            gain = 1.0 / (cc + noise[row, number])
            left, crossed = noise[row, number] * gain, cu * gain
            r1 = (seen[row, number] - room[0, number]) * gain + left * r1 - crossed * r2
            n11 = gain + left * left * n11 - 2.0 * left * crossed * n12 + crossed * crossed * n22
            n12 = left * n12 - crossed * n22
            mean[row, number] = room[0, number] + cc * r1 + cu * r2
            variance[row, number] = max(cc - (cc * cc * n11 + 2.0 * cc * cu * n12 + cu * cu * n22), 0.0)
            keep = prior.keep[sizes[number]]
            step = expected[row, number] * keep
            r2 = step * r1 + keep * r2
            n22 = step * (step * n11 + keep * n12) + keep * (step * n12 + keep * n22)
            n12 = step * n11 + keep * n12


@compiled
def fit_of_prior(expected: Float, seen: Float, noise: Float, sizes: Int64, prior: Prior, factors: Float) -> float:
    """How well a prior agrees with what was seen of some regions, and the factor by which each region's numbers of groups are off.

    A region's c is t M + x, where M adds up `expected`, x is the walk of what differs from it, of mean 0, and t is the factor. The filter
    of `smooth` turns both seen c and M into innovations, which are uncorrelated, so that least squares on them is the best linear
    unbiased estimate of t (de Jong 1991, the diffuse Kalman filter). The likelihood is that with t = 1.

    Args:
        expected: (regions, runs).
        seen: (regions, runs).
        noise: (regions, runs).
        sizes: (runs,).
        prior: Of u.
        factors: (regions,), written; 1 where nothing is expected.

    Returns:
        Twice the logarithm of the likelihood, up to what does not depend on the prior.
    """
    agreement = 0.0
    for row in range(expected.shape[0]):
        c, u, cc, cu, uu, whole, tilt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        above, below, product, halvings = 0.0, 0.0, 1.0, 0
        for number in range(sizes.size):
            s = sizes[number]
            keep, m = prior.keep[s], expected[row, number]
            u, tilt = u * keep, tilt * keep
            uu = keep * keep * uu + prior.fresh[s] if number else prior.first[s]
            cu *= keep
            c += m * u
            whole += m * (1.0 + tilt)
            cc += 2.0 * m * cu + m * m * uu + max(m + prior.lone[s] * m * m, LEAST_VARIANCE)
            cu += m * uu
            gain = 1.0 / (cc + noise[row, number])
            off = seen[row, number] - c
            above += off * whole * gain
            below += whole * whole * gain
            agreement -= (off - whole) * (off - whole) * gain
            mantissa, exponent = math.frexp(cc + noise[row, number])
            product *= mantissa
            halvings += exponent
            if product < 0.5:
                product *= 2.0
                halvings -= 1
            c += cc * gain * off
            u += cu * gain * off
            tilt -= cu * gain * whole
            whole -= cc * gain * whole
            uu -= cu * cu * gain
            cu -= cc * cu * gain
            cc -= cc * cc * gain
        agreement -= logarithm(product) + halvings * LOG_TWO
        factors[row] = above / below if below > 0 else 1.0
    return agreement


@compiled
def logarithm(number: float) -> float:
    """The natural logarithm of a number from 0.25 to 1, by the series of artanh: the same bits on every machine, as no library's are."""
    ratio = (number - 1.0) / (number + 1.0)
    power, total = ratio, 0.0
    for term in range(1, 80, 2):
        total += power / term
        power *= ratio * ratio
    return 2.0 * total


def neighbourhoods(cumulative: Float, reach: float) -> Float:
    """The mean number of groups around each size s, (sizes,), from s - d to s + d with d = max(1, reach s) rounded down, of (sizes,)
    cumulative counts that do not fall.
    """
    sizes = np.arange(cumulative.size)
    distance = np.maximum((sizes * reach).astype(np.int64), 1)
    low, high = np.maximum(sizes - distance, 0), np.minimum(sizes + distance, len(sizes) - 1)
    before = np.where(low > 0, cumulative[low - 1], 0.0)
    return np.asarray((cumulative[high] - before) / (high - low + 1))


@compiled
def reconcile(mean: Float, variance: Float, reached: Float) -> None:
    """Share out what the children's means, (children, runs), differ by from their parent's counts, (runs,), in proportion to their
    variances.
    """
    for number in range(reached.size):
        off, whole = reached[number], 0.0
        for row in range(mean.shape[0]):
            off -= mean[row, number]
            whole += variance[row, number]
        if whole > 0:
            for row in range(mean.shape[0]):
                mean[row, number] += off * (variance[row, number] / whole)
