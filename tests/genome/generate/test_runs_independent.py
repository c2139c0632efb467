"""Alleles are drawn with exactly the stated chance, whatever the word size."""

from itertools import product

import numpy as np
import pytest

from starling.genome.generate.runs import BITS, Design, draw_alleles, independent, stream
from starling.genome.source.calls import copies


def halved(words: np.ndarray, numerators: np.ndarray, bits: int) -> np.ndarray:
    """The alleles of random words (c, 2, bits, words), by the rule."""
    out = np.zeros(words[:, :, 0].shape, dtype=np.uint64)
    for bit in range(bits):
        one = ((numerators >> bit) & 1 == 1)[:, np.newaxis, np.newaxis]
        out = np.where(one, out | words[:, :, bit], out & words[:, :, bit])
    return out


@pytest.mark.parametrize("numerator", range(8))
def test_the_chance_of_an_allele_is_exact(numerator: int) -> None:
    """All 8 settings of three random bits, side by side in one word: k of them give the allele."""
    settings = np.array(list(product((0, 1), repeat=3)), dtype=np.uint8)
    words = np.zeros((1, 2, 3, 1), dtype=np.uint64)
    for bit in range(3):
        words[0, :, bit, 0] = sum(1 << place for place, setting in enumerate(settings) if setting[bit])
    assert int(halved(words, np.array([numerator]), 3)[0, 0, 0]).bit_count() == numerator


@pytest.mark.parametrize("bits", [1, 10, 20])
def test_alleles_are_made_of_the_words_of_numpys_stream(bits: int) -> None:
    """And the stream goes on where it would have."""
    fast, slow = stream(5, 1), stream(5, 1)
    numerators = fast.integers(0, 1 << bits, 7)
    slow.integers(0, 1 << bits, 7)
    out = np.empty((7, 2, 13), dtype=np.uint64)
    draw_alleles(fast, numerators, bits, out)
    assert np.array_equal(out, halved(slow.integers(0, 1 << 64, (7, 2, bits, 13), dtype=np.uint64), numerators, bits))
    assert fast.integers(0, 1000, 50).tolist() == slow.integers(0, 1000, 50).tolist()


def genotypes(design: Design, workers: int = 2) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int, str, str]]]:
    made = list(independent(design, workers))
    numbers = np.concatenate([copies(run.calls, design.people) for run in made])
    return numbers, np.concatenate([run.frequencies for run in made]), [site for run in made for site in run.sites]


def test_frequencies_effects_and_places() -> None:
    """A mean of 60,000 alleles is off by more than .011 with a chance below 1e-7 a SNP; the seed is fixed, so this holds or not."""
    design = Design(60_000, 30_000, 50, 3, {7: 2.0, 20: 0.4})
    numbers, frequencies, sites = genotypes(design)
    assert numbers.shape == (50, 60_000)
    p = frequencies
    cases, controls = numbers[:, :30_000].mean(axis=1) / 2, numbers[:, 30_000:].mean(axis=1) / 2
    expected = p.copy()
    for number, ratio in design.causal.items():
        expected[number - 1] = p[number - 1] * ratio / (1 - p[number - 1] + p[number - 1] * ratio)
    assert np.abs(controls - p).max() < 0.011
    assert np.abs(cases - expected).max() < 0.011
    heterozygous = (numbers[:, 30_000:] == 1).mean(axis=1)
    assert np.abs(heterozygous - 2 * p * (1 - p)).max() < 0.015
    assert sites == sorted(sites)
    assert {chromosome for chromosome, *_ in sites} <= set(range(1, 23))
    assert (p >= 52 / 2**BITS).all()
    assert (p <= 0.5).all()


def test_populations_differ_in_frequencies_and_prevalence() -> None:
    """Of three with 12,000 controls and 12,000 cases: the drift of 400 SNPs has F_ST 1/64 within a fifth, by a fixed seed."""
    design = Design(24_000, 12_000, 400, 3, {7: 3.0}, 3)
    members, cases = design.members(), np.arange(24_000) < 12_000
    assert np.bincount(members[cases]).tolist() == [2000, 4000, 6000]
    assert np.bincount(members[~cases]).tolist() == [4000] * 3
    numbers, frequencies, _ = genotypes(design)
    shares = np.stack([numbers[:, ~cases & (members == each)].mean(axis=1) / 2 for each in range(3)])
    drift = shares - frequencies
    assert np.mean(drift**2 / (frequencies * (1 - frequencies))) == pytest.approx(1 / 64, rel=0.2)
    assert abs(np.corrcoef(drift[0], drift[1])[0, 1]) < 0.2
    for each in range(3):
        p = shares[each, 6]
        of_cases = numbers[6, cases & (members == each)].mean() / 2
        assert of_cases == pytest.approx(3 * p / (1 - p + 3 * p), abs=0.03)


def test_a_study_of_populations_is_the_same_on_any_number_of_threads() -> None:
    first, again = (genotypes(Design(130, 60, 3000, 3, {}, 2), workers)[0] for workers in (1, 3))
    assert np.array_equal(first, again)
