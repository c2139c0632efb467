"""Every entry of every table is right, and what a table leaves undecided is decided as by the real numbers."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.privacy.sampling.certified import (
    Certifiable,
    Digit,
    GaussianMagnitude,
    Geometric,
    LaplaceMagnitude,
    Negative,
    settle,
    thresholds,
)
from tests.privacy import exact_distributions

DISTRIBUTIONS: list[Certifiable] = [
    *(LaplaceMagnitude(Fraction(scale)) for scale in ("1/50", "1/3", "1", "10", "123.4", "1000")),
    *(GaussianMagnitude(Fraction(s2), 2) for s2 in ("1/100", "1/3", "1", "100/3", "10000", "1000000")),
    *(GaussianMagnitude(Fraction(s2), 1) for s2 in ("1/3", "1024", "12345/7")),
    *(Geometric(Fraction(scale)) for scale in ("1/3", "4.1", "1000")),
    *(Digit(Fraction(scale), base) for scale, base in (("5000", 1024), ("1000000", 1024), ("3", 7), (2**50, 1024))),
    *(Negative(Fraction(scale)) for scale in ("1/3", "5000", "1000000000")),
]
positives = st.fractions(min_value=Fraction(1, 20), max_value=40, max_denominator=10**6)


@pytest.mark.series(10)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_every_entry_is_the_exact_floor(distribution: Certifiable) -> None:
    assert thresholds(distribution, 63).tolist() == exact_distributions.table(distribution, 63)


@given(scale=positives, bits=st.integers(3, 63))
@settings(max_examples=60)
def test_laplace_entries_of_any_scale_and_width(scale: Fraction, bits: int) -> None:
    distribution = LaplaceMagnitude(scale)
    assert thresholds(distribution, bits).tolist() == exact_distributions.table(distribution, bits)


@pytest.mark.examples(12)
@given(sigma_squared=positives, bits=st.integers(3, 63), sides=st.sampled_from([1, 2]))
@settings(max_examples=60)
def test_gaussian_entries_of_any_variance_and_width(sigma_squared: Fraction, bits: int, sides: int) -> None:
    distribution = GaussianMagnitude(sigma_squared, 1 if sides == 1 else 2)
    assert thresholds(distribution, bits).tolist() == exact_distributions.table(distribution, bits)


@pytest.mark.parametrize(
    "distribution", [LaplaceMagnitude(Fraction(1, 10**40)), GaussianMagnitude(Fraction(1, 10**40), 2)], ids=repr
)
def test_a_law_that_is_almost_always_zero_has_one_entry(distribution: Certifiable) -> None:
    """P(|X| > 0) is e^-(10^40) and yet known to be above 0."""
    assert thresholds(distribution, 63).tolist() == [2**63 - 1]


@dataclass(frozen=True)
class FairCoin:
    """P(V = 1) = 1/2, known only within 10^-2000: no precision tells 2^63 P(V <= 0) from an integer."""

    def tails(self, unit: arb) -> Iterator[arb]:
        yield unit * arb(0.5, 10.0**-300) * arb(1, 10.0**-300)
        yield arb(0)


def test_a_law_that_stays_open_is_refused() -> None:
    with pytest.raises(ParameterError, match="4096 bits"):
        thresholds(FairCoin(), 63)


def test_settle_of_a_law_that_stays_open_draws_on() -> None:
    """Words that are not at the open boundary decide, whatever the precision."""
    assert settle(FairCoin(), 0, 2**62, 63, 64, iter([0, 2**63]).__next__) == 1


# The exact epsilon, from the table itself.


def chances(table: list[int], bits: int) -> tuple[list[Fraction], list[Fraction]]:
    """P(|X| = m) from below and above, from a table of floors alone: F(m) is in [T[m], T[m] + 1]/2^bits."""
    unit = Fraction(1, 2**bits)
    steps = [b - a for a, b in zip([0, *table], table, strict=False)]
    low = [max(step - (m > 0), 0) * unit for m, step in enumerate(steps)]
    return low, [(step + 1) * unit for step in steps]


@pytest.mark.series(3)
@pytest.mark.parametrize("scale", ["1/3", "1", "10", "1000"])
def test_exact_epsilon_from_the_table(scale: str) -> None:
    """For neighbours at distance 1 the loss at every outcome, enclosed by the table, contains 1/b; where outcomes have a
    probability above 2^-30 the enclosure is narrower than 10^-9. So no outcome shows a loss other than 1/b."""
    low, high = chances(thresholds(LaplaceMagnitude(Fraction(scale)), 63).tolist(), 63)
    # P(X = m) is half of P(|X| = m) but for m = 0.
    low, high = ([p / (1 if m == 0 else 2) for m, p in enumerate(side)] for side in (low, high))
    narrow = 0
    with mp.workprec(200):
        epsilon = exact_distributions.number(1 / Fraction(scale))
        for m in range(len(low) - 1):
            if low[m + 1] == 0:
                continue
            least, most = (mp.log(exact_distributions.number(p)) for p in (low[m] / high[m + 1], high[m] / low[m + 1]))
            assert least <= epsilon <= most
            if low[m + 1] > Fraction(1, 2**30):
                assert most - least < 1e-9
                narrow += 1
    assert narrow > 5


@pytest.mark.parametrize("scale", ["1", "10", "1000"])
def test_the_law_without_ties_breaks_its_epsilon(scale: str) -> None:
    """A sampler that stops at the first T[j] >= U draws P(|X| = m) = (T[m] - T[m-1])/2^63 exactly. Its loss is above 1/b at some
    outcomes, and infinite where an outcome became impossible whose neighbour did not. What deciding the ties spares us."""
    table = thresholds(LaplaceMagnitude(Fraction(scale)), 63)
    steps = np.diff(table.astype(np.int64))
    possible = steps[:-1][steps[1:] > 0] / steps[1:][steps[1:] > 0]
    assert possible.max() > np.exp(1 / float(scale)) * 1.0001
    assert (steps == 0).any() == (float(scale) > 2)


# What a first word leaves undecided.


def decided(distribution: Certifiable, bits: int, step: int, rounds: int) -> dict[int, int]:
    """For each m: how many of the 2^(bits + rounds * step) digit strings are decided to be m.

    Plays `settle` on every continuation of every first word that equals an entry.
    """
    table = thresholds(distribution, bits).tolist()
    counts: dict[int, int] = {}
    weight = 2 ** (rounds * step)
    for u in range(2**bits):
        at = next(j for j, entry in enumerate(table) if entry >= u)
        if table[at] > u:
            counts[at] = counts.get(at, 0) + weight
            continue
        for rest in range(weight):
            words = [rest >> step * i & (2**step - 1) for i in reversed(range(rounds))]
            try:
                result = settle(distribution, at, u, bits, step, iter(words).__next__)
            except StopIteration:
                continue
            counts[result] = counts.get(result, 0) + 1
    return counts


@pytest.mark.parametrize(("bits", "step", "rounds"), [(3, 3, 2), (4, 4, 1), (5, 3, 1), (3, 2, 3)])
@pytest.mark.parametrize(
    "distribution",
    [
        LaplaceMagnitude(Fraction(1)),
        LaplaceMagnitude(Fraction(7, 2)),
        LaplaceMagnitude(Fraction(1, 5)),
        GaussianMagnitude(Fraction(2), 2),
        GaussianMagnitude(Fraction(1, 3), 1),
        Digit(Fraction(3), 4),
        Negative(Fraction(2)),
        Geometric(Fraction(2)),
    ],
    ids=repr,
)
def test_all_digit_strings_decide_the_exact_law(distribution: Certifiable, bits: int, step: int, rounds: int) -> None:
    """U lies in [u, u + 1)/2^n for a string u of n digits, and u is decided to be m exactly when that interval lies in
    [F(m-1), F(m)). So T[m] - T[m-1] - 1 strings are, T at n bits: one less at each end that is no multiple of 2^-n. With
    more digits the rest vanishes, so the distribution is the exact one."""
    digits = bits + rounds * step
    exact = exact_distributions.table(distribution, digits)
    expected = {m: max(0, b - a - (m > 0)) for m, (a, b) in enumerate(itertools.pairwise([0, *exact]))}
    assert decided(distribution, bits, step, rounds) == {m: count for m, count in expected.items() if count}


def test_the_last_entry_leads_far_beyond_the_table() -> None:
    """Scale 7/2 has 8 entries at 3 bits; the tie at the last one, with 9 digits more, reaches every m from there to 18."""
    distribution = LaplaceMagnitude(Fraction(7, 2))
    assert thresholds(distribution, 3).tolist() == [1, 2, 4, 5, 5, 6, 6, 7]
    ends = {
        settle(distribution, 7, 7, 3, 9, itertools.chain([rest], itertools.repeat(0)).__next__) for rest in range(2**9)
    }
    assert ends >= set(range(7, 19))
