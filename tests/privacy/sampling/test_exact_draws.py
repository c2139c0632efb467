"""Exact draws: every word of a few bits is tried, so that the distribution and the undecided path are seen whole."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from starling.privacy.sampling import exact_draws
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.exact_draws import below, coin, decays, level, word
from tests.privacy.sources import Scripted

BITS = 4


@pytest.fixture
def short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words of 4 bits, which are undecided all the time."""
    monkeypatch.setattr(exact_draws, "WORD", BITS)


def outcomes(draw: Callable[[BitSource], int], words: int) -> tuple[Counter[int], int]:
    """What `draw` gives over all scripts of that many 4-bit words, and how many scripts were too short.

    Words beyond those that a draw reads change nothing: a script goes on only where it was too short.
    """
    found: Counter[int] = Counter()
    scripts: list[tuple[int, ...]] = [()]
    open_scripts: list[tuple[int, ...]] = []
    for length in range(words + 1):
        open_scripts = []
        for script in scripts:
            try:
                found[draw(Scripted(script))] += 1 << BITS * (words - length)
            except EOFError:
                open_scripts.append(script)
        scripts = [(*script, each) for script in open_scripts for each in range(1 << BITS)]
    return found, len(open_scripts)


def test_word_takes_the_next_one() -> None:
    source = Scripted([5, 2**64 - 1])
    assert [word(source), word(source)] == [5, 2**64 - 1]


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 8, 11, 15, 16, 17, 31, 100, 255, 256])
def test_below_is_uniform(short_words: None, bound: int) -> None:
    words = 1 if bound < 1 << BITS else 2 if bound < 1 << 2 * BITS else 3
    found, rejected = outcomes(lambda source: below(bound, source), words)
    each = (1 << BITS * words) // bound
    assert found == dict.fromkeys(range(bound), each)
    assert rejected == (1 << BITS * words) - each * bound < bound


def test_below_goes_beyond_64_bits() -> None:
    bound = 3 * 2**90
    assert below(bound, Scripted([0, 0, 2**63, 1])) == bound // 2, "the first is one of the words too many"
    assert below(bound, Scripted([2**64 - 1, 2**64 - 1])) == bound - 1


EXPONENTS = [Fraction(0), Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)]


@pytest.mark.series(1)
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_coin_shows_heads_with_its_probability(short_words: None, exponent: Fraction) -> None:
    words = 4
    found, short = outcomes(lambda source: coin(exponent, source), words)
    space = 1 << BITS * words
    truth = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator) * space
    assert found[True] <= truth <= found[True] + short
    assert short <= 1, "a single boundary leaves a single word open"


def test_coin_goes_on_from_the_word_that_was_drawn() -> None:
    with mpmath.workdps(60):
        chance = mpmath.exp(-1) * 2**128
        first, second = divmod(int(mpmath.floor(chance)), 2**64)
    assert coin(Fraction(1), Scripted([]), first - 1)
    assert not coin(Fraction(1), Scripted([]), first + 1)
    assert coin(Fraction(1), Scripted([second - 1]), first)
    assert not coin(Fraction(1), Scripted([second + 1]), first)


def test_coin_of_an_absurd_exponent() -> None:
    assert not coin(Fraction(10**60), Scripted([1]))
    assert not coin(Fraction(10**60), Scripted([0, 0, 1]))


LEVELS = [
    ([0], [1], Fraction(1)),
    ([0, 1], [1, 1], Fraction(1)),
    ([0, 1, 2, 5], [1, 3, 2, 1000], Fraction(1, 2)),
    ([0, 10], [2, 7], Fraction(1, 1000)),
    ([0, 2**64 - 1], [1, 10**6], Fraction(3)),
]


@pytest.mark.series(1)
@pytest.mark.parametrize(("distances", "counts", "rate"), LEVELS)
def test_level_follows_its_weights(short_words: None, distances: list[int], counts: list[int], rate: Fraction) -> None:
    words = 4
    found, short = outcomes(lambda source: level(distances, counts, rate, word(source), source), words)
    space = 1 << BITS * words
    with mpmath.workdps(60):
        weights = [
            c * mpmath.exp(-mpmath.mpf(d) * rate.numerator / rate.denominator)
            for d, c in zip(distances, counts, strict=True)
        ]
        total = sum(weights)
        for index, weight in enumerate(weights):
            assert found[index] <= weight / total * space + 1
            assert weight / total * space <= found[index] + short + 1
    assert short <= len(distances) - 1


def boundary_words() -> Iterator[tuple[list[int], int]]:
    """Scripts about the boundary between levels 0 and 1 of weights 1 and e^(-1/2), and the level each falls in."""
    with mpmath.workdps(60):
        place = int(mpmath.floor(2**128 / (1 + mpmath.exp(mpmath.mpf(-1) / 2))))
    first, second = divmod(place, 2**64)
    yield [first - 1], 0
    yield [first + 1], 1
    yield [first, second - 1], 0
    yield [first, second + 1], 1


@pytest.mark.parametrize(("script", "expected"), list(boundary_words()))
def test_level_reads_on_at_a_boundary(script: list[int], expected: int) -> None:
    assert level([0, 1], [1, 1], Fraction(1, 2), script[0], Scripted(script[1:])) == expected


@pytest.mark.parametrize(
    ("step", "count"), [(Fraction(1, 97), 4097), (Fraction(1, 2), 130), (Fraction(3), 64), (Fraction(9), 2)]
)
def test_decays_are_within_their_bound(step: Fraction, count: int) -> None:
    table = decays(step, count)
    assert table.shape == (count,)
    assert table[0] == 1
    with mpmath.workdps(40):
        exact = [mpmath.exp(-mpmath.mpf(step.numerator) * i / step.denominator) for i in range(count)]
        worst = max(abs(mpmath.mpf(value) / truth - 1) for value, truth in zip(table.tolist(), exact, strict=True))
    assert worst < 2.0**-50
    assert np.all(np.diff(table) < 0)
