"""Which iterations a set of codes is in: union, intersection, each once, against sets of plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.counts.kernels import Iterations, Sets, iterations_of_sets


def compressed(rows: list[set[int]], kind: type[np.signedinteger] = np.int32) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
    return offsets.astype(np.int64), np.array([one for row in rows for one in sorted(row)], dtype=kind)


CODES = 5
COMBINED = st.lists(st.sets(st.integers(0, 3)), min_size=CODES, max_size=CODES)
ALONE = st.lists(st.sets(st.integers(4, 7)), min_size=CODES, max_size=CODES)


@given(COMBINED, ALONE, st.lists(st.sets(st.integers(0, CODES - 1)), max_size=8))
def test_union_and_intersection(combined: list[set[int]], alone: list[set[int]], sets: list[set[int]]) -> None:
    offsets, positions = iterations_of_sets(
        Sets(*compressed(sets, np.int16)), Iterations(*compressed(combined)), Iterations(*compressed(alone)), 8
    )
    for number, codes in enumerate(sets):
        result = positions[offsets[number] : offsets[number + 1]].tolist()
        union = set().union(*(combined[code] for code in codes))
        both = set.intersection(*(alone[code] for code in codes)) if codes else set()
        assert sorted(result) == sorted(union | both)
