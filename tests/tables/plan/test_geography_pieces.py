"""Pieces: every group once, in plan order, bounded, a function of public choices."""

from hypothesis import given
from hypothesis import strategies as st

from starling.tables.plan import MOST_GROUPS, Piece, pieces
from tests.tables.small import small_geography, small_plan, whole


@given(st.integers(0, 9), st.integers(1, 30))
def test_pieces_are_all_regions_in_order(counties: int, most: int) -> None:
    plan = small_plan()
    geography = small_geography(plan, counties)
    result = pieces(plan, geography, most)
    regions = [(piece.level, region) for piece in result for region in range(piece.first, piece.stop)]
    assert regions == [(0, 0), *((1, county) for county in range(counties))]
    assert sum(piece.groups for piece in result) == plan.cells(geography)
    assert all(piece.groups <= most or piece.regions == 1 for piece in result)
    assert all(piece.iterations == len(plan.levels[piece.level].iterations) for piece in result)


def test_a_level_that_fits_is_one_piece() -> None:
    plan = small_plan()
    geography = small_geography(plan, 7)
    assert pieces(plan, geography) == (whole(plan, geography, 0), whole(plan, geography, 1))
    assert whole(plan, geography, 1) == Piece(1, 0, 7, 2)
    assert MOST_GROUPS * 46 * 8 < 2**30, (
        "the cells of a piece, if all its groups were asked for them, stay below a gigabyte"
    )
