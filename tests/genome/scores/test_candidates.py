"""Which blocks are eligible, against the definition; what leaves none is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.genome.scores.candidates import MOST_SNPS, candidates


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=4),
    st.sets(st.integers(0, 30), min_size=1, max_size=4),
    st.none() | st.integers(1, 6),
)
def test_blocks_are_those_of_the_definition(gaps: list[tuple[int, int]], snps: set[int], longest: int | None) -> None:
    regions, place = [], 0
    for gap, length in gaps:
        regions.append((place + gap, place + gap + length))
        place += gap + length
    size = max(place, *snps) + 1
    wanted = [
        (k, end)
        for k in range(size)
        for end in range(k, size)
        if any(start <= k and end < stop for start, stop in regions)
        and any(k <= snp <= end for snp in snps)
        and (longest is None or end - k < longest)
    ]
    if not wanted:
        with pytest.raises(ParameterError, match="snps"):
            candidates(size, regions, sorted(snps), longest)
        return
    found = candidates(size, regions, sorted(snps), longest)
    assert found.count == len(wanted)
    assert [found.block(index) for index in range(found.count)] == wanted


@pytest.mark.parametrize(
    ("regions", "snps", "longest", "field"),
    [
        ([], [1], None, "regions"),
        ([(2, 2)], [1], None, "regions"),
        ([(0, 3), (2, 5)], [1], None, "regions"),
        ([(3, 5), (0, 2)], [1], None, "regions"),
        ([(0, 21)], [1], None, "regions"),
        ([(-1, 3)], [1], None, "regions"),
        ([(0, 5)], [20], None, "snps"),
        ([(0, 5)], [], None, "snps"),
        ([(0, 5)], [1], 0, "longest"),
    ],
)
def test_bad_choices_are_refused(
    regions: list[tuple[int, int]], snps: list[int], longest: int | None, field: str
) -> None:
    with pytest.raises(ParameterError, match=field):
        candidates(20, regions, snps, longest)


def test_long_regions_need_a_longest_block() -> None:
    size = MOST_SNPS + 1
    with pytest.raises(ParameterError, match="longest"):
        candidates(size, [(0, size)], [0])
    assert candidates(size, [(0, size)], [5], longest=3).count == 6
    assert candidates(MOST_SNPS, [(0, MOST_SNPS)], [0]).count == MOST_SNPS
