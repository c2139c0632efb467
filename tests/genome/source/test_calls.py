"""Packing is PLINK's, both ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.source.calls import CHUNK, bytes_a_snp, chunk_length, copies, packed


@pytest.mark.examples(33)
@given(
    st.integers(1, 40).flatmap(
        lambda n: st.lists(st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=n, max_size=n), min_size=1, max_size=5)
    )
)
def test_packing_and_its_reverse(rows: list[list[int]]) -> None:
    numbers = np.array(rows, dtype=np.int8)
    calls = packed(numbers)
    people = numbers.shape[1]
    assert calls.shape == (len(rows), bytes_a_snp(people))
    assert np.array_equal(copies(calls, people), numbers)


def test_the_bytes_are_those_of_the_format() -> None:
    # PLINK's description of the format: 00 two copies of A1, 01 missing, 10 one copy, 11 none, the first person lowest.
    assert packed(np.array([[2, -1, 1, 0, 0]], dtype=np.int8)).tolist() == [[0b11100100, 0b00000011]]


def test_a_chunk_is_bounded() -> None:
    assert chunk_length(2000) * bytes_a_snp(2000) <= CHUNK
    assert chunk_length(10**9) == 1
