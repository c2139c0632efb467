"""Mechanisms that break their promise, each with a pair of neighbours that shows it. Kept to be rejected, never to be released.

A falsifier that has never failed anything proves nothing. These are the mistakes that people make: half the noise, a
sensitivity that forgets a cell or a record, a composition that forgets a part, a distribution that is nearly right. Each states
what it claims, what it really costs on that pair, and how many draws reject it.
"""

from fractions import Fraction
from functools import lru_cache
from math import gcd, inf, log

import numpy as np

from starling.audit.case import Case, Draws, Int64, one_by_one
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.exact_draws import below
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_gaussian, discrete_laplace
from starling.privacy.sampling.response import randomized_choice, randomized_response
from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip


def laplace(scale: Fraction | int) -> Draws:
    """Discrete Laplace noise of `scale` on every value."""
    return lambda exact, draws, source: exact + discrete_laplace(scale, (draws, exact.size), source=source)


def gaussian(sigma_squared: Fraction | int) -> Draws:
    """Discrete Gaussian noise on every value."""
    return lambda exact, draws, source: exact + discrete_gaussian(sigma_squared, (draws, exact.size), source=source)


def lattice(epsilon: Fraction | int) -> Draws:
    """Lattice noise on a 2x2 table."""
    return lambda exact, draws, source: exact + lattice_noise(epsilon, draws, source=source).reshape(draws, 4)


def select(epsilon: Fraction | int, k: int = 1) -> Draws:
    """The exponential mechanism on the values as scores."""
    return one_by_one(lambda exact, source: exponential_mechanism(exact, epsilon, k=k, source=source))


def flip(epsilon: Fraction | int) -> Draws:
    """Permute-and-flip on the values as scores."""
    return one_by_one(lambda exact, source: permute_and_flip(exact, epsilon, source=source))


def respond(epsilon: Fraction | int, times: int = 1) -> Draws:
    """So many responses of each person, whose answers are the values 0 and 1."""
    return lambda exact, draws, source: (
        randomized_response(np.tile(exact.astype(np.bool_), draws * times), epsilon, source=source)
        .reshape(draws, -1)
        .astype(np.int64)
    )


def choose(epsilon: Fraction | int, values: int) -> Draws:
    """A response of each person, whose answers are the values 0 to k - 1."""
    return lambda exact, draws, source: randomized_choice(
        np.tile(exact, draws), epsilon, values, source=source
    ).reshape(draws, -1)


def _choice_of_two(exact: Int64, draws: int, source: BitSource) -> Int64:
    """One of eight answers, kept with the probability of one of two: the others share what is left."""
    answers = np.tile(exact, draws)
    turned = randomized_response(np.zeros(answers.size, dtype=np.bool_), 1, source=source)
    moved = np.array([1 + below(7, source) for _ in range(answers.size)], dtype=np.int64)
    return np.where(turned, (answers + moved) % 8, answers).reshape(draws, -1)


def _clipped(exact: Int64, draws: int, source: BitSource) -> Int64:
    return exact + np.clip(discrete_laplace(1, (draws, exact.size), source=source), -4, 4)


def _fair_sign(exact: Int64, draws: int, source: BitSource) -> Int64:
    """+-G with G geometric: 0 has both signs and so twice its share."""
    words = np.empty((draws, exact.size), dtype=np.uint64)
    source.fill(words)
    noise = discrete_laplace(1, words.shape, source=source)
    # The magnitude of a draw that is not negative is geometric; negative ones are -1 - G.
    magnitude = np.where(noise < 0, -1 - noise, noise)
    return exact + np.where(words & np.uint64(1), magnitude, -magnitude)


def _branching(exact: Int64, draws: int, source: BitSource) -> Int64:
    """One noisy count and, beside it, whether the exact count is above a threshold."""
    return np.column_stack((exact[0] + discrete_laplace(1, draws, source=source), np.full(draws, exact[0] > 100)))


def opendp_0_14_1(exact: Int64, draws: int, source: BitSource) -> Int64:
    """Discrete Laplace of scale 6 as OpenDP 0.14.1 drew it (opendp#2638, fixed in 0.14.2); its distribution is `opendp_distribution`."""
    chances = opendp_distribution(6)
    outcomes = np.array(list(chances), dtype=np.int64)
    edges = np.cumsum([int(probability * 2**64) for probability in chances.values()], dtype=np.uint64)[:-1]
    words = np.empty((draws, exact.size), dtype=np.uint64)
    source.fill(words)
    return exact + outcomes[np.searchsorted(edges, words, side="right")]


@lru_cache
def opendp_distribution(scale: int) -> dict[int, Fraction]:
    """The distribution of that sampler, from its code and the arithmetic it used.

    It follows Canonne, Kamath and Steinke (2020): X = +-(u + scale v), v geometric with ratio e^-1, u uniform below scale and
    kept with probability e^(-u/scale), which is a walk that goes on at step k with probability x/k and keeps u if it ends at
    an odd k. The rational x/k came from dashu 0.4 (dashu#57), which for x = a/b and g = gcd(a, k) computed
    (a/g) / (floor(b/g) k) in place of (a/g) / (b (k/g)). So where u/scale shares a factor with some k, u is kept too often or too
    seldom: at scale 6, u = 4 by a factor 1.19 too often. The largest log ratio of neighbours is 0.339, twice the 1/6 it was sold for.
    """
    masses = [_odd_end(Fraction(u, scale)) for u in range(scale)]
    # Far enough for the tail to vanish at the 64 bits it is drawn with; e^-1 is rounded, which a rejected mechanism may be.
    ratio = Fraction(3678794411714423, 10**16)
    sizes = {u + scale * v: masses[u] * ratio**v for v in range(45) for u in range(scale)}
    signed = {sign * size: weight for size, weight in sizes.items() for sign in (1, -1)}
    total = sum(sizes.values()) * 2 - sizes[0]
    return {outcome: signed[outcome] / total for outcome in sorted(signed)}


def _odd_end(x: Fraction) -> Fraction:
    """The probability with which that walk ends at an odd step, far beyond double precision."""
    mass, going = Fraction(0), Fraction(1)
    for k in range(1, 30):
        if going:
            shared = gcd(x.numerator, k)
            onward = Fraction(x.numerator // shared, x.denominator // shared * k)
            mass += going * (1 - onward) * (k % 2)
            going *= onward
    return mass


_HALF, _SIXTH, _EIGHTH = Rho(Fraction(1, 2)), Epsilon(Fraction(1, 6)), Rho(Fraction(1, 8))
_UNIT = ((0,), (1,))
"""A count and its neighbour."""
_BOTH = ((0, 0), (1, 1))
"""Two counts of which a record moves both."""
_THREE = ((1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1))
"""Scores of which one record raises three and lowers the others."""
SPLIT = ((1, *[0] * 20), (0, *[1] * 20))
"""Scores of 21 candidates of which one record moves every one, the first against the others: near the worst for a selection."""
_TURNED = ((0, -1), (-1, 0))
"""Scores of two candidates that change places."""

MUTANTS: tuple[Case, ...] = (
    Case("half the noise scale", "scale 1/(2 epsilon)", 2, laplace(Fraction(1, 2)), *_UNIT, 2_000),
    Case("half the sigma", "a quarter of 1/(2 rho)", 2, gaussian(Fraction(1, 4)), *_UNIT, 2_000, _HALF),
    Case("two groups counted as one", "sensitivity 1 for 2", 2, laplace(1), *_BOTH, 5_000),
    Case("two groups counted as one, zCDP", "squared L2 sensitivity 1 for 2", 1, gaussian(1), *_BOTH, 40_000, _HALF),
    Case("a stage that is not charged", "one epsilon for two measurements", 2, laplace(1), (5, 5), (6, 6), 5_000),
    Case("replace one, paid as add or remove", "scale 1 for 2", 2, laplace(1), (1, 3), (2, 2), 5_000),
    Case("two records moved, paid as one", "norm 1 for 2", 2, lattice(1), (5, 5, 5, 5), (6, 4, 4, 6), 10_000),
    Case("noise clipped at its 99 % margin", "a bounded support", inf, _clipped, *_UNIT, 20_000),
    Case("a fair sign on a magnitude", "0 is twice as likely", 1 + log(2), _fair_sign, *_UNIT, 5_000),
    Case("a branch beside the noise", "an exact comparison is released", inf, _branching, (100,), (101,), 200),
    Case("exponential mechanism without its 2", "rate epsilon", 1.890, select(2), *SPLIT, 10_000),
    Case("permute-and-flip without its 2", "rate epsilon", 1.999, flip(2), *SPLIT, 10_000),
    Case("permute-and-flip, paid by its range", "epsilon^2/8 for /2", 0.325, flip(1), *_TURNED, 6_000, _EIGHTH),
    Case("epsilon in each of 3 rounds", "3 epsilon in all", 1.844, select(3, k=3), *_THREE, 12_000),
    Case("a second response that is not charged", "one epsilon for two responses", 2, respond(1, 2), *_UNIT, 5_000),
    Case("one of eight answers, kept like one of two", "epsilon + ln 7", 1 + log(7), _choice_of_two, (0,), (3,), 5_000),
    Case(
        "OpenDP 0.14.1's discrete Laplace",
        "a rational division of its number library",
        0.3388,
        opendp_0_14_1,
        *_UNIT,
        400_000,
        _SIXTH,
    ),
)
"""All of them are rejected."""

MECHANISMS: tuple[Case, ...] = (
    Case("discrete Laplace", "", 1, laplace(1), *_UNIT, 20_000),
    Case("discrete Laplace of scale 6", "", 1 / 6, laplace(6), *_UNIT, 400_000, _SIXTH),
    Case("discrete Gaussian", "", 0.5, gaussian(1), *_UNIT, 40_000, _HALF),
    Case("two measurements", "", 2, laplace(1), *_BOTH, 20_000, Epsilon(Fraction(2))),
    Case("lattice noise", "", 1, lattice(1), (5, 5, 5, 5), (6, 4, 5, 5), 10_000),
    Case("exponential mechanism", "", 0.951, select(1), *SPLIT, 10_000),
    Case("exponential mechanism, 3 rounds", "", 1.844, select(3, k=3), *_THREE, 4_000, Epsilon(Fraction(3))),
    Case("exponential mechanism, paid by its range", "", 0.12, select(1), *_TURNED, 20_000, _EIGHTH),
    Case("permute-and-flip", "", 1, flip(1), *SPLIT, 10_000),
    Case("randomized response", "", 1, respond(1), *_UNIT, 20_000),
    Case("randomized response of five answers", "", 1, choose(1, 5), (0,), (3,), 20_000),
)
"""Counterparts of the mutants that keep their promise, tried in the same way."""
