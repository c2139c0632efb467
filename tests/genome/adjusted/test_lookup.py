"""Sums from tables beside sums of unpacked calls: whole numbers, so that every bit has to agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.adjusted.lookup import LANES, PEOPLE, SNPS, sums_over_people
from starling.genome.arrays import Float64, Int8
from starling.genome.source.calls import packed


def plain_sums(copies: Int8, counted: Float64, weights: Float64) -> tuple[Float64, Float64]:
    """The slow twin, of copies of A1, -1 where there is no call."""
    one, two, none = ((copies == number).astype(np.float64) for number in (1, 2, -1))
    return one @ (weights * counted[0]) + two @ (weights * counted[1]), none @ weights


def check(copies: Int8, seed: int, width: int) -> None:
    random = np.random.default_rng(seed)
    people = copies.shape[1]
    weights = np.zeros((-(-people // PEOPLE) * PEOPLE, width * LANES))
    weights[:people] = random.integers(-(2**31), 2**31, (people, width * LANES))
    counted = random.integers(-2, 5, (2, width * LANES)).astype(np.float64)
    found, wanted = sums_over_people(packed(copies), counted, weights), plain_sums(copies, counted, weights[:people])
    for some, others in zip(found, wanted, strict=True):
        assert np.array_equal(some, others)


@pytest.mark.examples(25)
@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(1, 6), st.integers(1, 3), st.floats(0, 1))
def test_sums_of_few_people(seed: int, people: int, snps: int, width: int, missing: float) -> None:
    """Of any number of people, also one that does not fill a byte, a word or a line; some SNPs all alike, and any share without a call."""
    random = np.random.default_rng(seed)
    copies = random.integers(0, 3, (snps, people)).astype(np.int8)
    copies[0] = seed % 3
    copies[random.random(copies.shape) < missing] = -1
    check(copies, seed, width)


@pytest.mark.parametrize("snps", [SNPS - 1, SNPS, SNPS + 2])
def test_sums_of_blocks_of_snps(snps: int) -> None:
    random = np.random.default_rng(snps)
    check(random.choice([-1, 0, 1, 2], (snps, PEOPLE + 70), p=[0.01, 0.6, 0.3, 0.09]).astype(np.int8), snps, 2)


@pytest.mark.parametrize("people", [2047, 2048, 2049, 4100])
def test_sums_of_lines_that_are_read_together(people: int) -> None:
    """Of 2,048 people, the last shorter; some of them without a missing call."""
    random = np.random.default_rng(people)
    copies = random.integers(0, 3, (3, people)).astype(np.int8)
    copies[0, 5] = copies[1, -1] = -1
    check(copies, people, 3)


def test_every_case_of_four_people() -> None:
    """All 256 bytes, in each of the eight places of a word."""
    codes = np.array([[-1, 0, 1, 2][(byte >> 2 * at) & 3] for byte in range(256) for at in range(4)], dtype=np.int8)
    for place in range(8):
        copies = np.zeros((256, 32), dtype=np.int8)
        copies[:, 4 * place : 4 * place + 4] = codes.reshape(256, 4)
        check(copies, place, 1)


def test_what_is_beyond_the_last_person_counts_for_nothing() -> None:
    """A file may say anything there."""
    weights = np.zeros((PEOPLE, LANES))
    weights[:5] = 1.0
    some = np.array([[0b11_11_11_11, 0b10_10_01_11], [0b11_11_11_11, 0b00_01_00_11]], dtype=np.uint8)
    copies, missing = sums_over_people(some, np.ones((2, LANES)), weights)
    assert not copies.any()
    assert not missing.any()
