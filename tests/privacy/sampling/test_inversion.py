"""The whole draw, word to noise: exact with ties that really happen, and the same words give the same draws."""

import itertools
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from starling.privacy.sampling import inversion as module
from starling.privacy.sampling.certified import Certifiable, Digit, GaussianMagnitude, LaplaceMagnitude, settle
from starling.privacy.sampling.entropy import system
from starling.privacy.sampling.inversion import Int64, Inversion, Search, inversion
from tests.privacy import exact_distributions
from tests.privacy.sources import Scripted, Seeded

SEARCHES = get_args(Search)
# Narrow words: (bits of U, bits of a further word, further words).
WIDTHS = [(3, 3, 1), (4, 2, 2), (5, 3, 1)]
DISTRIBUTIONS: list[Certifiable] = [
    LaplaceMagnitude(Fraction(1)),
    LaplaceMagnitude(Fraction(5, 2)),
    GaussianMagnitude(Fraction(3, 2), 2),
    Digit(Fraction(3), 4),
]


def drawn(
    distribution: Inversion, words: Scripted | Seeded, size: int, search: Search, *, signed: bool = True
) -> Int64:
    out = np.full(size, -99, dtype=np.int64)
    distribution.fill(out, words, signed=signed, search=search)
    return out


def scripts(bits: int, step: int, rounds: int) -> Iterator[tuple[int, ...]]:
    """All words: a first one with its sign bit, then `rounds` further ones."""
    return itertools.product(range(2 ** (bits + 1)), *[range(2**step)] * rounds)


def enumerated(distribution: Certifiable, widths: tuple[int, int, int], search: Search) -> dict[int, int]:
    """How many of all scripts draw x, for each x; scripts that end undecided are left out."""
    bits, step, rounds = widths
    narrow = inversion(distribution, bits, step)
    counts: dict[int, int] = {}
    for script in scripts(bits, step, rounds):
        try:
            x = int(drawn(narrow, Scripted(script), 1, search)[0])
        except EOFError:
            continue
        counts[x] = counts.get(x, 0) + 1
    return counts


def expected(distribution: Certifiable, widths: tuple[int, int, int]) -> dict[int, int]:
    """The same from the exact distribution: U is decided to be m where [u, u + 1)/2^n lies within [F(m-1), F(m)); both signs alike."""
    bits, step, rounds = widths
    exact = [0, *exact_distributions.table(distribution, bits + rounds * step)]
    counts = {0: 2 * exact[1]}
    for m, (below, upto) in enumerate(itertools.pairwise(exact[1:]), start=1):
        counts[m] = counts[-m] = max(0, upto - below - 1)
    return {x: count for x, count in counts.items() if count}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("widths", WIDTHS, ids=repr)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_all_scripts_draw_the_exact_law(
    distribution: Certifiable, widths: tuple[int, int, int], search: Search
) -> None:
    assert enumerated(distribution, widths, search) == expected(distribution, widths)


Mutant = Callable[[Certifiable, int, int, int, int, Iterator[int]], int]


def restart_at_zero(distribution: Certifiable, at: int, digits: int, bits: int, step: int, read: Iterator[int]) -> int:
    """A wrong sampler: a tie is drawn anew."""
    return settle(distribution, 0, next(read), step, step, read.__next__)


def stop_at_a_tie(distribution: Certifiable, at: int, digits: int, bits: int, step: int, read: Iterator[int]) -> int:
    """A wrong sampler: U <= T[j] is j."""
    return at


def pass_by_a_tie(distribution: Certifiable, at: int, digits: int, bits: int, step: int, read: Iterator[int]) -> int:
    """A wrong sampler: U < T[j] is j."""
    return at + 1


@pytest.mark.parametrize("mutant", [restart_at_zero, stop_at_a_tie, pass_by_a_tie])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_wrong_ties_are_seen(distribution: Certifiable, mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        module,
        "settle",
        lambda distribution, at, u, bits, step, read: mutant(distribution, at, u, bits, step, iter(read, None)),
    )
    assert enumerated(distribution, (4, 4, 1), "guided") != expected(distribution, (4, 4, 1))


@pytest.mark.parametrize("search", SEARCHES)
def test_a_tie_at_63_bits_is_decided_by_the_next_word(search: Search) -> None:
    """The word that equals T[3] draws 3 or 4 as the next 64 bits are below or above those of 2^127 F(3); its sign stays."""
    distribution = LaplaceMagnitude(Fraction(10))
    full = inversion(distribution)
    tie = int(full.table[3])
    next_bits = exact_distributions.table(distribution, 127)[3] - (tie << 64)
    for sign, (word, magnitude) in itertools.product((0, 1), [(next_bits - 1, 3), (next_bits + 1, 4), (0, 3)]):
        assert drawn(full, Scripted([tie << 1 | sign, word]), 1, search)[0] == (-1) ** sign * magnitude
    # Equal again: 64 bits more.
    longer = exact_distributions.table(distribution, 191)[3] - (tie << 128 | next_bits << 64)
    for word, magnitude in [(longer - 1, 3), (longer + 1, 4)]:
        assert drawn(full, Scripted([tie << 1, next_bits, word]), 1, search)[0] == magnitude


@pytest.mark.parametrize("search", SEARCHES)
def test_the_largest_word_draws_beyond_the_table(search: Search) -> None:
    """U = 2^63 - 1 is the tie of the last entry: the draw is that one or far above, up to twice as far with one word more."""
    distribution = LaplaceMagnitude(Fraction(2))
    full = inversion(distribution)
    beyond = exact_distributions.table(distribution, 127)
    for v in (0, 2**62, 2**64 - 2**20, 2**64 - 20):
        magnitude = next(m for m, entry in enumerate(beyond) if entry > ((2**63 - 1) << 64 | v))
        assert drawn(full, Scripted([2**64 - 1, v]), 1, search)[0] == -magnitude
        assert magnitude >= full.table.size - 1


def test_words_of_other_positions_are_not_touched_by_a_tie() -> None:
    """One word a draw, in order, whatever is undecided between; further words come after those of the chunk."""
    full = inversion(LaplaceMagnitude(Fraction(10)))
    tie = int(full.table[3]) << 1
    plain = [5 << 58, 6 << 59, 7 << 60]
    without = drawn(full, Scripted(plain), 3, "fixed")
    mixed = drawn(full, Scripted([plain[0], tie, plain[1], tie, plain[2], 0, 2**64 - 1]), 5, "fixed")
    assert mixed[[0, 2, 4]].tolist() == without.tolist()
    assert mixed[[1, 3]].tolist() == [3, 4]


@pytest.mark.parametrize(
    "distribution", [LaplaceMagnitude(Fraction(3)), GaussianMagnitude(Fraction(10**6), 2)], ids=repr
)
@pytest.mark.parametrize("signed", [True, False])
def test_chunks_and_searches_make_no_difference(
    distribution: Certifiable, signed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = inversion(distribution)
    whole = drawn(full, Seeded(3), 100_000, "guided", signed=signed)
    assert (whole < 0).any() == signed
    for chunk, search in itertools.product((2**16, 1000, 17), SEARCHES):
        monkeypatch.setattr(module, "CHUNK", chunk)
        assert np.array_equal(drawn(full, Seeded(3), 100_000, search, signed=signed), whole)
    assert drawn(full, Seeded(3), 0, "guided").size == 0


def test_threads_draw_what_one_draws() -> None:
    """Tables made and drawn from by 8 threads at once, each from its own seed."""
    distributions = [LaplaceMagnitude(Fraction(100 + i, 7)) for i in range(4)]
    found: dict[int, list[Int64]] = {}

    def work(seed: int) -> None:
        found[seed] = [drawn(inversion(distribution), Seeded(seed), 30_000, "fixed") for distribution in distributions]

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(8):
        again = [drawn(inversion(distribution), Seeded(seed), 30_000, "fixed") for distribution in distributions]
        assert all(np.array_equal(a, b) for a, b in zip(again, found[seed], strict=True))


def test_a_table_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        inversion(LaplaceMagnitude(Fraction(1))).table[0] = 0


def test_the_release_source_fills_all() -> None:
    out = np.full(100_003, -99, dtype=np.int64)
    inversion(LaplaceMagnitude(Fraction(1))).fill(out, system(), signed=True, search="fixed")
    assert np.abs(out).max() < 50
