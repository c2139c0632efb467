"""Tables of pairs and their distances against counting people one by one."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.counts.pairs import carriers, pair_distances, pair_tables
from starling.genome.distance.rules import of_correlation
from starling.genome.distance.significance import distance_to_correlation
from starling.genome.scores.candidates import candidates
from starling.genome.source.counting import packed_bits


@given(st.integers(2, 200), st.integers(2, 6), st.integers(0, 2**32))
def test_pair_tables_count_people(people: int, snps: int, seed: int) -> None:
    database = np.random.default_rng(seed).random((people, snps)) < 0.4
    bits = packed_bits(database.T)
    assert np.array_equal(carriers(bits), database.sum(axis=0))
    order = np.array([(k, other) for k in range(snps) for other in range(snps)])
    wanted = [
        [
            int((database[:, k] == first)[database[:, other] == second].sum())
            for first, second in ((True, True), (True, False), (False, True), (False, False))
        ]
        for k, other in order.tolist()
    ]
    assert np.array_equal(pair_tables(bits, people, order), wanted)


def test_distances_of_all_pairs_of_a_band_lie_where_the_layout_says() -> None:
    numbers = np.random.default_rng(8)
    database = numbers.random((90, 40)) < 0.5
    bits, delta_c = packed_bits(database.T), Fraction(1, 20)
    among = candidates(40, [(2, 20), (25, 39)], [4, 30], longest=9)
    found = pair_distances(bits, 90, of_correlation("r2", delta_c, 90), among)
    assert found.dtype == np.int16
    for k in range(40):
        row = found[among.offsets[k] : among.offsets[k + 1]].tolist()
        stop = 20 if 2 <= k < 20 else 39 if 25 <= k < 39 else k
        assert len(row) == min(9, stop - k)
        others = np.arange(k + 1, k + len(row))
        if others.size:
            tables = pair_tables(bits, 90, np.column_stack((np.full(others.size, k), others)))
            assert row[1:] == distance_to_correlation(tables, "r2", delta_c).tolist()
            assert row[0] == 0
