"""A large Laplace scale from digits: the parts are the distribution, and the draws are seen to have it."""

import itertools
from fractions import Fraction
from functools import cache

import mpmath as mp
import numpy as np
import numpy.typing as npt
import pytest

from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.sampling.entropy import system
from starling.privacy.sampling.inversion import Inversion
from starling.privacy.sampling.noise import DIGIT_BITS, GeometricDigits, geometric_digits
from tests.privacy import exact_distributions
from tests.privacy.goodness_of_fit import bins, excess, power
from tests.privacy.sources import Scripted, Seeded

SCALES = [Fraction(5000), Fraction(12_345_678, 7), Fraction(10**9), Fraction(2**50)]


def drawn(parts: GeometricDigits, size: int) -> npt.NDArray[np.int64]:
    out = np.full(size, -99, dtype=np.int64)
    parts.fill(out, system(), search="fixed")
    return out


@cache
def chances(part: Inversion) -> list[mp.mpf]:
    """P(V = 0), P(V = 1) and so on by the distribution's definition."""
    return list(itertools.islice(exact_distributions.probabilities(part.distribution), 4096))


def chance(part: Inversion, value: int) -> mp.mpf:
    """P(V = value)."""
    return chances(part)[value]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_parts_multiply_to_the_law(scale: Fraction) -> None:
    """P(N) P(t) P(digits) is (1 - q) q^|x|/(1 + q) at x = g and x = -(1 + g), for small, large and round g."""
    parts = geometric_digits(scale)
    count = len(parts.digits)
    assert scale / 2 ** (DIGIT_BITS * count) <= 2**DIGIT_BITS
    with mp.workprec(200):
        q = mp.exp(-1 / exact_distributions.number(scale))
        for g in (0, 1, 1023, 1024, 1025, int(scale), int(3 * scale) + 511, 5 * 2 ** (DIGIT_BITS * count) - 1):
            digits = [g >> DIGIT_BITS * i & (2**DIGIT_BITS - 1) for i in reversed(range(count))]
            product = chance(parts.top, g >> DIGIT_BITS * count)
            for part, digit in zip(parts.digits, digits, strict=True):
                product *= chance(part, digit)
            for negative, x in ((0, g), (1, -(1 + g))):
                exact = (1 - q) / (1 + q) * q ** abs(x)
                assert mp.almosteq(chance(parts.negative, negative) * product, exact, rel_eps=mp.mpf(2) ** -120)


@pytest.mark.parametrize("negative", [0, 1])
def test_a_draw_is_put_together_from_its_parts(negative: int) -> None:
    """Words that choose t = 3, digits 1022 and 5, and the sign."""
    parts = geometric_digits(Fraction(10**9))
    assert len(parts.digits) == 2
    choices = [(parts.top, 3), (parts.digits[0], 1022), (parts.digits[1], 5), (parts.negative, negative)]
    script = [(int(part.table[value]) - 1) << 1 for part, value in choices]
    g = (3 * 1024 + 1022) * 1024 + 5
    out = np.empty(1, dtype=np.int64)
    parts.fill(out, Scripted(script), search="guided")
    assert out[0] == (-(1 + g) if negative else g)


def test_both_searches_draw_the_same() -> None:
    guided, fixed = (np.empty(100_000, dtype=np.int64) for _ in range(2))
    geometric_digits(Fraction(10**9)).fill(guided, Seeded(5), search="guided")
    geometric_digits(Fraction(10**9)).fill(fixed, Seeded(5), search="fixed")
    assert np.array_equal(guided, fixed)


@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_draws_fit_the_law(scale: Fraction) -> None:
    """2,300,000 draws; false alarm 1e-9; 1 % more scale is rejected with a chance above 0.999."""
    distribution = DiscreteLaplace(scale)
    draws = drawn(geometric_digits(scale), 2_300_000)
    cut = bins(distribution, draws.size)
    claimed = cut.chances(distribution)
    assert power(cut.chances(DiscreteLaplace(scale * Fraction("1.01"))), claimed, draws.size) > 0.999
    assert excess(cut.counts(draws), claimed) < 1


def fold(draws: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many are -2, -1, 0, 1, 2 and the rest."""
    near = np.array([np.count_nonzero(draws == x) for x in range(-2, 3)])
    return np.append(near, draws.size - near.sum())


@pytest.mark.statistical
def test_a_fair_sign_is_rejected() -> None:
    """Scale 5000, 2^22 draws, P(0) = 1e-4: a fair sign on +-G doubles it; on G and -(1 + G) it favours the negative half by
    1/(4 b). The first is seen at 0 (some 420 for 840 draws); the second is what N avoids, and is below what draws can show."""
    distribution = DiscreteLaplace(Fraction(5000))
    q = np.exp(-1 / 5000)
    claimed = np.array([(1 - q) / (1 + q) * q ** abs(x) for x in range(-2, 3)])
    claimed = np.append(claimed, 1 - claimed.sum())
    draws = drawn(geometric_digits(distribution.scale), 2**22)
    assert excess(fold(draws), claimed) < 1
    mutant = np.where(draws < 0, draws + 1, draws)
    assert excess(fold(mutant), claimed) > 2


def test_a_draw_beyond_int64_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.privacy.sampling.noise._MOST_TOP", 1)
    with pytest.raises(OverflowError):
        drawn(geometric_digits(Fraction(2**50)), 1000)
