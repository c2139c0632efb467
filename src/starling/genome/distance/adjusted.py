"""How many phenotypes must change before a score test with covariates changes its verdict: exact, in whole numbers.

The column x of a SNP is what is left of its copies (or of its carriers) when the intercept, the covariates and the components are projected
out, scaled to norm 1. In whole numbers X_i is 2^30 x_i, rounded, and y_i is a whole number from 0 to L: 1 for cases and 0 for controls,
L = 1, or the step of a quantitative phenotype between two public ends. A SNP is significant where

    |S| >= C,   S = sum of X_i y_i,   C = the least whole number with C^2 >= 4^30 t v,

with t the quantile of chi-squared for the threshold and v the variance of y under the null hypothesis: L^2/4 is the most that it can be.
Everything is compared in int64: |X_i| <= 2^30, and the sum of all |X_i| is at most 2^30 sqrt(n) + n/2, below 2^43 for 2^24 people, times
L of at most 2^14. Sums of doubles would depend on their order, so that where changes tie neighbours could differ by 2.

Changing the phenotype of i raises S by at most max(X_i (L - y_i), -X_i y_i), and lowers it by at most max(X_i y_i, -X_i (L - y_i)): an end
of the range does it, whatever the others are. Each person changes at most once, so the largest S within k changes adds the k
largest of the former, and the smallest takes off the k largest of the latter. With D+ the signed distance to S >= C (the
fewest changes that lead into it, n + 1 where none do; from within it 1 - the fewest that lead out) and D- that to S <= -C, the score is

    D = min(D+, D-).

Privacy. Neighbours: replace the phenotype of one person; genotypes, covariates and who takes part are the same for all neighbours, and so
are X and C, which are made of these and of public numbers (or of what was paid for) alone. A distance to a set changes by at most 1 with
one change. On either side of a half space's edge D+ is 1 and 0, so it is 1-Lipschitz, and so is D-; whether S >= C can be reached at all is
the same for all phenotypes. The minimum of both is 1-Lipschitz, for every X and C. D <= 0 exactly where the SNP is significant. Where it is
not, D is the distance to significance; where it is, 1 - D is the distance to the edge of its half space, and that to insignificance
too where all L |X_i| < 2 C, so that no change leads from one half space into the other.

The idea of a distance by sorted changes follows Simmons, Sahinalp and Berger 2016, whose score is linear in S instead.
"""

from fractions import Fraction
from math import ceil, isqrt
from typing import Final

import numpy as np

from starling.genome.arrays import Flags, Float64, Int32, Int64
from starling.genome.distance.constants import quantile
from starling.privacy.compiled import compiled

BITS: Final = 30
"""Binary digits after the point of x in whole numbers: rounding moves S by some 2^-30 sqrt(n/12), where its deviation is about 1/2."""
MOST_VARIANCE: Final = Fraction(1, 4)
"""Of a phenotype that is 0 or 1; of one up to L it is L^2 as much."""


def whole_columns(columns: Float64) -> Int32:
    """X of residual columns of copies or carriers, float64 (m, n), whatever their scale: int32 (m, n). A column of zeros stays one."""
    squares = np.einsum("ij,ij->i", columns, columns)
    scale = float(1 << BITS) / np.sqrt(np.where(squares > 0, squares, 1.0))
    return np.rint(columns * scale[:, np.newaxis]).astype(np.int32)


def score_threshold(p_threshold: Fraction, variance: Fraction = MOST_VARIANCE) -> int:
    """C, for the threshold of the p-value and v, above 0.

    >>> score_threshold(Fraction(1, 20)) / 2**BITS
    0.9799819923937321
    """
    squared = Fraction(quantile(p_threshold, 1)) * variance * 4**BITS
    return isqrt(ceil(squared) - 1) + 1


def prevalence_variance(cases: int, people: int) -> Fraction:
    """v = K (1 - K) for the share K of cases, from a noisy number of them; at least one person is taken to be on either side.

    >>> prevalence_variance(50, 1000), prevalence_variance(-7, 1000)
    (Fraction(19, 400), Fraction(999, 1000000))
    """
    share = Fraction(min(max(cases, 1), people - 1), people)
    return share * (1 - share)


def whole_squares(phenotypes: Int64, steps: int) -> int:
    """The sum of squares about the mean, in whole squares of the range L, rounded down: int64 (n,) in, 0 to n/4 out.

    Sensitivity 1: given all others, the sum is convex in y_i, least at their mean m and (n - 1)/n (y_i - m)^2 more elsewhere, so that
    another y_i changes it by less than L^2, and by less than 1 in squares of L. Whole parts of such numbers differ by 1 at most.

    >>> whole_squares(np.array([0, 0, 10, 10, 5, 5, 5, 5]), 10)
    1
    """
    people, total = len(phenotypes), int(phenotypes.sum())
    return (people * int((phenotypes * phenotypes).sum()) - total * total) // (people * steps**2)


def squares_variance(squares: int, people: int, steps: int) -> Fraction:
    """v for steps from a noisy number of whole squares: of at least one, and at most what it can be.

    >>> squares_variance(60, 1000, 10), squares_variance(-4, 1000, 10), squares_variance(400, 1000, 1)
    (Fraction(6, 1), Fraction(1, 10), Fraction(1, 4))
    """
    return min(Fraction(max(squares, 1), people), MOST_VARIANCE) * steps**2


def adjusted_distance(columns: Int32, phenotypes: Int64 | Flags, threshold: int, steps: int = 1) -> Int64:
    """The signed distance D of each SNP, in people whose phenotypes change.

    Args:
        columns: X, int32 (m, n), with absolute values of up to 2^30.
        phenotypes: y, int64 (n,), each from 0 to L, or bool; confidential.
        threshold: C, above 0.
        steps: L, 1 to 2^14.

    Returns:
        int64 (m,): D <= 0 where |S| >= C; n + 1 where no phenotypes make it so.

    >>> columns = np.array([[3, 3, -3, -3]], dtype=np.int32)
    >>> adjusted_distance(columns, np.array([1, 0, 1, 0]), 6), adjusted_distance(columns, np.array([5, 4, 3, 4]), 24, 8)
    (array([2]), array([2]))
    """
    out = np.empty(len(columns), dtype=np.int64)
    _distances(columns, phenotypes.astype(np.int64), steps, threshold, out)
    return out


def table_distance(tables: Int64, codes: tuple[int, ...], threshold: int) -> Int64:
    """The same of SNPs without covariates, of which a table says all: cases by their code, then controls, int64 (m, 2 len(codes)).

    >>> table_distance(np.array([[30, 70, 15, 85], [70, 130, 20, 180]]), (1, 0), score_threshold(Fraction(1, 20)))
    array([ -2, -21])
    """
    cells, code = tables.reshape(len(tables), 2, len(codes)), np.array(codes)
    people = cells.sum(axis=(1, 2))
    number = cells.sum(axis=1)
    off = code - (number @ code / np.maximum(people, 1))[:, np.newaxis]
    norm = np.sqrt((number * off * off).sum(axis=1))[:, np.newaxis]
    whole = np.rint((1 << BITS) * np.divide(off, norm, out=np.zeros_like(off), where=norm > 0)).astype(np.int64)
    total = (cells[:, 0] * whole).sum(axis=1)
    changes, size = np.hstack([-whole, whole]), cells.reshape(len(tables), -1)

    def signed(sign: int) -> Int64:
        inside = sign * total >= threshold
        inward = np.where(inside, -sign, sign)[:, np.newaxis]
        needed = np.where(inside, sign * total - threshold + 1, threshold - sign * total)
        steps = _fewest_of_groups(inward * changes, size, needed, people + 1)
        return np.where(inside, 1 - steps, steps)

    return np.minimum(signed(1), signed(-1))


def _fewest_of_groups(changes: Int64, size: Int64, needed: Int64, never: Int64) -> Int64:
    """`_fewest` for each row of groups of so many equal changes, of which those above 0 count."""
    order = np.argsort(-changes, axis=1)
    each, many = np.take_along_axis(changes, order, axis=1), np.take_along_axis(size, order, axis=1)
    steps, left = np.zeros(len(needed), dtype=np.int64), needed.copy()
    for group in range(each.shape[1]):
        change = np.maximum(each[:, group], 0)
        wanted = np.where(change > 0, -(-left // np.maximum(change, 1)), 0)
        taken = np.clip(wanted, 0, many[:, group])
        steps, left = steps + taken, left - taken * change
    return np.where(left > 0, never, steps)


@compiled
def _distances(columns: Int32, phenotypes: Int64, steps: int, threshold: int, out: Int64) -> None:
    people = columns.shape[1]
    upwards, downwards = np.empty(people, np.int64), np.empty(people, np.int64)
    for snp in range(columns.shape[0]):
        total, ups, downs = 0, 0, 0
        # Without branches: which way a person counts cannot be foreseen.
        for person in range(people):
            x, y = int(columns[snp, person]), int(phenotypes[person])
            to_none, to_all = -x * y, x * (steps - y)
            total -= to_none
            rise, fall = max(to_none, to_all), -min(to_none, to_all)
            upwards[ups] = rise
            downwards[downs] = fall
            ups += int(rise > 0)
            downs += int(fall > 0)
        if total >= threshold:
            out[snp] = 1 - _fewest(downwards, downs, total - threshold + 1, people + 1)
        elif total <= -threshold:
            out[snp] = 1 - _fewest(upwards, ups, -total - threshold + 1, people + 1)
        else:
            gain = _fewest(upwards, ups, threshold - total, people + 1)
            out[snp] = min(gain, _fewest(downwards, downs, threshold + total, people + 1))


@compiled
def _fewest(changes: Int64, size: int, needed: int, never: int) -> int:
    """How many of the first `size` changes, all above 0, sum up to `needed`, above 0, at least; `never` where all do not.

    The largest ones do with fewest. They are looked for as the k-th largest number is (Hoare 1961), k being told by sums; the order of
    `changes` is lost.
    """
    if changes[:size].sum() < needed:
        return never
    low, high, taken = 0, size, 0
    while True:
        pivot = _middle(changes[low], changes[(low + high) // 2], changes[high - 1])
        larger, above = _parted(changes, low, high, pivot)
        if above >= needed:
            high = larger
            continue
        taken, needed = taken + larger - low, needed - above
        smaller, equal = _parted(changes, larger, high, pivot - 1)
        if equal >= needed:
            return taken + (needed + pivot - 1) // pivot
        taken, needed, low = taken + smaller - larger, needed - equal, smaller


@compiled
def _parted(changes: Int64, low: int, high: int, pivot: int) -> tuple[int, int]:
    """Bring what is above the pivot to the front of the stretch: where the rest begins, and the sum of the front."""
    place, above = low, 0
    for index in range(low, high):
        change = int(changes[index])
        changes[index] = changes[place]
        changes[place] = change
        larger = int(change > pivot)
        above += change * larger
        place += larger
    return place, above


@compiled
def _middle(a: int, b: int, c: int) -> int:
    """The middle one of three numbers."""
    return max(min(a, b), min(max(a, b), c))
