"""How far noise reaches: P(|S| > m) as Arb balls, S the sum of independent draws of one distribution. Nothing here draws.

Every ball encloses the exact probability. Four forms, each with its argument:

Discrete Laplace, k draws, q = e^(-1/b). One draw is A - B of independent geometric A and B, P(A = a) = (1 - q) q^a, and A - B is A
with probability 1/(1 + q), else -1 - B. Apply this to one A and one B at a time until either kind is used up: S is a sum of k - r A's
less r with probability C(k-1+r, r) q^r/(1 + q)^(k+r), r = 0..k-1, or it is at most 0. A sum of i A's is above n when n + i trials of
chance 1 - q have fewer than i successes, so

    P(S > m) = sum_r C(k-1+r, r) q^r/(1 + q)^(k+r) P(Binomial(m + k, 1 - q) < k - r),    r = 0..k-1.

For k = 1 this is the spec's P(|X| > m) = 2 q^(m+1)/(1 + q).

Discrete Gaussian, one draw, t = 1/(2 s2). The tail is a half sum of e^(-t x^2), cut where a geometric series bounds the rest, over the
whole sum Z; where t is small Z is summed in its dual form (Poisson): Z = sqrt(pi/t) (1 + 2 sum over x > 0 of e^(-pi^2 x^2/t)).

Wide discrete Gaussian, one draw. f(x) = e^(-x^2/(2 s2)) is convex beyond sigma and concave within, so a sum over integers and the
integral over their unit cells compare (Hermite-Hadamard): beyond m + 1/2 >= sigma the sum is at most the integral; within
m + 1/2 <= sigma it is at least the integral. With sqrt(2 pi s2) <= Z <= sqrt(2 pi s2) (1 + 3 e^(-2 pi^2 s2)), P(|X| > m) is
at most erfc((m + 1/2)/sqrt(2 s2)) up to that last factor. It is at least that minus 1/(8 s2): a midpoint differs from its cell's integral
by at most 1/8 of the integral of |f''|, in all 4 e^(-1/2)/(8 sigma) < 0.304/sigma, over Z >= 2.5 sigma.

Discrete Gaussian, k draws. The convolution of parameters j s2 and s2 at x is e^(-x^2/(2 (j+1) s2)) times a sum over integers of
a Gaussian of parameter s2 j/(j+1) >= s2/2 about a centre that depends on x; by Poisson that sum is constant in x up to a factor
1 +- 2.01 e^(-pi^2 s2). So for s2 >= 4 the probabilities of S are those of one draw of parameter k s2 up to a factor
1 +- 6 (k-1) e^(-pi^2 s2), at most 1 +- 2e-13 for k up to 4,096. Below that the probabilities are convolved, and the chance that a
draw was cut off before is added to every tail.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb, isqrt

from flint import arb, arb_poly, fmpq

from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution
from starling.privacy.precision import precision

WIDE = Fraction(2**22)
"""From this sigma squared on a single draw is bounded by the integral."""
NARROW = Fraction(4)
"""Below this sigma squared sums of draws are convolved."""
_CUT = 100
"""Narrow sums: a draw is kept while e^(-x^2/(2 s2)) > e^(-_CUT)."""
_NARROW_BITS = 384


def ball(number: Fraction) -> arb:
    """The rational as a ball at the working precision."""
    return arb(fmpq(number.numerator, number.denominator))


def tail_ball(distribution: Distribution, m: int, terms: int) -> arb:
    """P(|S| > m), S the sum of `terms` >= 1 draws of `distribution`; at the working precision, for m >= 0."""
    if isinstance(distribution, DiscreteLaplace):
        return _laplace(distribution.scale, m, terms)
    if terms == 1:
        return _gaussian(distribution.sigma_squared, m)
    if distribution.sigma_squared < NARROW:
        tails, beyond = _narrow(distribution.sigma_squared, terms)
        return tails[m] if m < len(tails) else beyond
    factor = 6 * (terms - 1) * (-(arb.pi() ** 2) * ball(distribution.sigma_squared)).exp()
    return _gaussian(terms * distribution.sigma_squared, m) * (1 - factor).union(1 + factor)


def _laplace(scale: Fraction, m: int, terms: int) -> arb:
    rate = ball(-1 / scale)
    q, p = rate.exp(), -rate.expm1()
    trials = m + terms
    few, below = [], arb(0)
    for successes in range(terms):
        below += comb(trials, successes) * p**successes * ((trials - successes) * rate).exp()
        few.append(below)
    total = arb(0)
    for r in range(terms):
        total += comb(terms - 1 + r, r) * q**r / (1 + q) ** (terms + r) * few[terms - 1 - r]
    return 2 * total


def _half_sum(t: arb, start: int, bits: int) -> arb:
    """The sum of e^(-t x^2) over integers x >= start >= 1, to `bits` bits."""
    term = (-t * start * start).exp()
    ratio = (-t * (2 * start + 1)).exp()
    step = (-2 * t).exp()
    total, small = arb(0), arb(2) ** -bits
    while True:
        total += term
        term *= ratio
        ratio *= step
        # The ratio falls, so a geometric series bounds the rest.
        rest = term / (1 - ratio)
        if rest <= total * small:
            return total + arb(0).union(rest)


def whole_sum(t: arb, bits: int) -> arb:
    """The sum of e^(-t x^2) over all integers x, t > 0, to `bits` bits."""
    if t >= 1:
        return 1 + 2 * _half_sum(t, 1, bits)
    return (arb.pi() / t).sqrt() * (1 + 2 * _half_sum(arb.pi() ** 2 / t, 1, bits))


def _gaussian(sigma_squared: Fraction, m: int, bits: int = 96) -> arb:
    if sigma_squared >= WIDE:
        upper = (ball(Fraction(2 * m + 1, 2)) / ball(2 * sigma_squared).sqrt()).erfc()
        upper *= 1 + arb(2) ** -1000
        lower = upper - ball(1 / (8 * sigma_squared))
        return upper.union(lower) if lower > 0 else upper.union(arb(0))
    t = ball(1 / (2 * sigma_squared))
    return 2 * _half_sum(t, m + 1, bits) / whole_sum(t, bits)


@lru_cache(maxsize=256)
def _narrow(sigma_squared: Fraction, terms: int) -> tuple[tuple[arb, ...], arb]:
    """The tails for m = 0.. and one for every m beyond. Immutable balls, so they may be shared."""
    with precision(_NARROW_BITS):
        t = ball(1 / (2 * sigma_squared))
        whole = whole_sum(t, _NARROW_BITS)
        last = isqrt(int(2 * _CUT * sigma_squared)) + 1
        weights = [(-t * x * x).exp() for x in range(last + 1)]
        powers = arb_poly(weights[:0:-1] + weights) ** terms
        # P(|S| > m) <= P(the sum of the kept draws > m) + P(one of them was cut), and at least the first.
        lost = terms * 2 * _half_sum(t, last + 1, _NARROW_BITS) / whole
        scale, tails, total = 2 / whole**terms, [], arb(0)
        for m in reversed(range(last * terms)):
            total += powers[last * terms + m + 1]
            tails.append(total * scale + arb(0).union(lost))
        return tuple(reversed(tails)), arb(0).union(lost)
