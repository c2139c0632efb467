"""The wide Gaussian: proposals, the proved bracket around e^(-t), what is left open, and the draws."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.privacy.sampling import wide_gaussian as module
from starling.privacy.sampling.entropy import system
from starling.privacy.sampling.inversion import inversion
from starling.privacy.sampling.wide_gaussian import WideGaussian, accept, propose, wide_gaussian
from tests.privacy import exact_distributions
from tests.privacy.goodness_of_fit import bins, excess, power
from tests.privacy.sources import Scripted, Seeded

UNFILLED = -(2**63)
VARIANCES = [Fraction(1024), Fraction(5000), Fraction(2**24 + 1), Fraction(10**12, 7), Fraction(2**90)]


def drawn(distribution: WideGaussian, size: int) -> npt.NDArray[np.int64]:
    out = np.full(size, UNFILLED, dtype=np.int64)
    distribution.fill(out, system(), search="fixed")
    return out


@given(st.fractions(min_value=1024, max_value=2**90))
def test_blocks_are_as_wide_as_sigma_over_32(sigma_squared: Fraction) -> None:
    """B = 2^s is the largest power of two with B <= sigma/32, and h has the distribution of parameter s2/B^2."""
    distribution = wide_gaussian(sigma_squared)
    assert (32 * 2**distribution.offset_bits) ** 2 <= sigma_squared < (32 * 2 ** (distribution.offset_bits + 1)) ** 2
    assert distribution.blocks.distribution.sigma_squared == sigma_squared / 4**distribution.offset_bits  # type: ignore[attr-defined]
    assert distribution.blocks.table.size < 700


@pytest.mark.parametrize("sigma_squared", [Fraction(5000), Fraction(20_000), Fraction(100_000)], ids=str)
def test_accepted_proposals_have_the_law(sigma_squared: Fraction) -> None:
    """P(h) / B / 2 * e^(-t), added over all proposals of x and divided by the accepted part, is P(X = x): for every x out to 9
    sigma. At least 97.5 % are accepted."""
    distribution = wide_gaussian(sigma_squared)
    width = 2**distribution.offset_bits
    two_s2 = 2 * exact_distributions.number(sigma_squared)
    with mp.workprec(160):
        weights: dict[int, mp.mpf] = {}
        chances = exact_distributions.probabilities(distribution.blocks.distribution)
        for h in range(9 * 64):
            p = next(chances) / width / 2
            for offset in range(width):
                x = width * h + offset
                t = mp.mpf(2 * width * h * offset + offset**2) / two_s2
                weights[x] = p * mp.exp(-t)  # and the same of -x
        accepted = 2 * mp.fsum(weights.values()) - weights[0]
        assert accepted > 0.975
        law = {x: mp.exp(-mp.mpf(x * x) / two_s2) for x in weights}
        whole = 2 * mp.fsum(law.values()) - law[0]
        for x, weight in weights.items():
            exact = law[x] / whole
            assert mp.almosteq(weight / accepted, exact, rel_eps=mp.mpf(2) ** -100)


@pytest.mark.examples(20)
@given(
    sigma_squared=st.fractions(min_value=1024, max_value=2**90),
    block=st.integers(0, 700),
    offset=st.floats(0, 1, exclude_max=True),
    word=st.integers(0, 2**64 - 1),
    negative=st.booleans(),
)
def test_the_bracket_holds(sigma_squared: Fraction, block: int, offset: float, word: int, negative: bool) -> None:
    """V/2^64 - e^(-t) within 2^-44 of the exact value for t <= 1/2, and 0 (open) beyond."""
    bits = wide_gaussian(sigma_squared).offset_bits
    low = int(offset * 2**bits)
    proposals, gaps = np.array([block]), np.full(1, np.nan)
    offsets = np.array([low | negative << 63], dtype=np.uint64)
    propose(proposals, offsets, np.array([word], dtype=np.uint64), bits, float(1 / (2 * sigma_squared)), gaps)
    x = (block << bits) + low
    assert proposals[0] == (-1 - x if negative else x)
    with mp.workprec(200):
        t = exact_distributions.number(Fraction((2 * (block << bits) + low) * low) / (2 * sigma_squared))
        if t > 0.5000001:
            assert gaps[0] == 0
        elif t < 0.4999999:
            assert mp.fabs(mp.mpf(word) / 2**64 - mp.exp(-t) - gaps[0]) < mp.mpf(2) ** -44


def test_accept_keeps_what_is_below_and_stops_at_what_is_open() -> None:
    gaps = np.array([-0.5, 0.5, -0.1, -0.1, -0.1, 2.0**-41, -0.2])
    proposals = np.array([7, 8, -1, -8, 0, 5, 6])
    out = np.zeros(10, dtype=np.int64)
    assert accept(proposals, gaps, 0, out, 0) == (3, 5, True)
    assert accept(proposals, gaps, 6, out, 3) == (4, 7, False)
    assert out[:4].tolist() == [7, -7, 0, 6]
    assert accept(proposals, gaps, 0, out[:1], 0) == (1, 1, False)


def test_an_open_proposal_is_decided_by_its_next_word() -> None:
    """V is the first word of 2^64 e^(-t): the next one decides, as the digits of e^(-t) say."""
    distribution = wide_gaussian(Fraction(2**24))
    blocks = distribution.blocks.table
    h, low = 40, 77
    with mp.workprec(300):
        t = mp.mpf(2 * (h << distribution.offset_bits) * low + low * low) / 2**25
        digits = int(mp.floor(mp.exp(-t) * 2**128))
    first, second = divmod(digits, 2**64)
    # Eight spare proposals are drawn: h = 0, l = 0, accepted at once.
    count = 1 + 8
    spare = [0] * 8
    for sign, (word, accepted) in [(0, (second - 1, True)), (1, (second - 1, True)), (0, (second + 1, False))]:
        script = [(int(blocks[h]) - 1) << 1, *spare, sign << 63 | low, *spare, first, *spare, word]
        assert len(script) == 3 * count + 1
        out = np.full(1, -99, dtype=np.int64)
        distribution.fill(out, Scripted(script), search="guided")
        x = (h << distribution.offset_bits) + low
        assert out[0] == ((-x if sign else x) if accepted else 0)


@pytest.mark.parametrize("negative", [0, 1])
def test_an_open_zero_has_one_sign(negative: int) -> None:
    """h = 0, l = 0 has t = 0, and the largest words lie within the bracket: +0 is accepted, -0 is not, either way."""
    script = [0] * 9 + [negative << 63] + [5] * 8 + [2**64 - 1] + [0] * 8 + [2**64 - 1]
    out = np.full(1, -99, dtype=np.int64)
    wide_gaussian(Fraction(2**24)).fill(out, Scripted(script), search="guided")
    assert out[0] == (5 if negative else 0)


def test_chunks_of_any_size_fill_all(monkeypatch: pytest.MonkeyPatch) -> None:
    for chunk in (1, 7, 1000):
        monkeypatch.setattr(module, "CHUNK", chunk)
        assert (drawn(wide_gaussian(Fraction(10**10)), 1003) != UNFILLED).all()


def test_both_searches_draw_the_same() -> None:
    guided, fixed = (np.empty(100_000, dtype=np.int64) for _ in range(2))
    wide_gaussian(Fraction(10**9)).fill(guided, Seeded(5), search="guided")
    wide_gaussian(Fraction(10**9)).fill(fixed, Seeded(5), search="fixed")
    assert np.array_equal(guided, fixed)


@pytest.mark.series(2)
@pytest.mark.statistical
@pytest.mark.parametrize("sigma_squared", VARIANCES[:-1], ids=str)
def test_draws_fit_the_law(sigma_squared: Fraction) -> None:
    """1,250,000 draws; false alarm 1e-9; 1 % more sigma is rejected with a chance above 0.999."""
    distribution = DiscreteGaussian(sigma_squared)
    draws = drawn(wide_gaussian(sigma_squared), 1_250_000)
    cut = bins(distribution, draws.size)
    claimed = cut.chances(distribution)
    assert power(cut.chances(DiscreteGaussian(sigma_squared * Fraction("1.0201"))), claimed, draws.size) > 0.999
    assert excess(cut.counts(draws), claimed) < 1


@pytest.mark.statistical
def test_the_widest_has_its_mean_and_variance() -> None:
    """sigma 2^45, 2^20 draws: mean and mean square within 6.5 standard errors (false alarm 2e-10)."""
    draws = drawn(wide_gaussian(VARIANCES[-1]), 2**20) / 2.0**45
    assert abs(draws.mean()) < 6.5 / 2**10
    assert abs((draws**2).mean() - 1) < 6.5 * 2**0.5 / 2**10


@pytest.mark.statistical
def test_accepting_minus_zero_is_rejected() -> None:
    """s2 = 1024, 2^22 draws: keeping both zeros doubles P(0) = 0.0125: some 50,000 draws more."""
    distribution = DiscreteGaussian(Fraction(1024))
    draws = drawn(wide_gaussian(distribution.sigma_squared), 2**22)
    zeros = np.count_nonzero(draws == 0)
    cut = bins(distribution, draws.size)
    mutant = np.concatenate([draws, np.zeros(zeros, dtype=np.int64)])
    assert excess(cut.counts(mutant), cut.chances(distribution)) > 2


def test_the_table_law_is_the_same_law() -> None:
    """The two ways to draw the Gaussian start from one definition: P(h) for B = 1 is P(|X| = h) less its second zero."""
    one_sided = wide_gaussian(Fraction(1024)).blocks.distribution
    assert wide_gaussian(Fraction(1024)).offset_bits == 0
    assert inversion(one_sided) is wide_gaussian(Fraction(1024)).blocks
