"""Two rows of allele bits become PLINK's codes, and streams of a seed are apart."""

import numpy as np
import pytest

from starling.genome.generate.runs import bed_rows, stream, two_bases, words_of
from starling.genome.source.calls import copies


@pytest.mark.parametrize("people", [1, 3, 4, 31, 32, 33, 64, 65, 130])
def test_bits_become_calls(people: int) -> None:
    random = np.random.default_rng(people)
    bits = random.integers(0, 2, (5, 2, 64 * words_of(people))).astype(np.uint8)
    words = np.packbits(bits, axis=2, bitorder="little").view("<u8").astype(np.uint64)
    calls = bed_rows(words, people)
    assert np.array_equal(copies(calls, people), bits.sum(axis=1)[:, :people])
    if people % 4:
        assert not (calls[:, -1] >> (2 * (people % 4))).any()


def test_bases_differ() -> None:
    pairs = two_bases(stream(1, 2), 1000)
    assert all(first != second for first, second in pairs)
    assert len(set(pairs)) == 12


def test_streams_of_a_seed_repeat_and_differ() -> None:
    first = [stream(1, which).integers(0, 2**63) for which in (0, 1, 0)]
    assert first[0] == first[2] != first[1]
