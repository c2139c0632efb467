"""Names stand apart from one another and from signs, or are left out."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.pictures.naming import LONGEST, Named, placed, short
from starling.pages.letters import text_width
from starling.pages.marks import Box
from tests.genome.pictures.studies import HOSTILE

ROOM = Box(0, 0, 300, 150)
PLACES = st.lists(st.tuples(st.floats(0, 300), st.floats(0, 150)), min_size=1, max_size=25)


def overlap(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.bottom < other.top and other.bottom < one.top


@pytest.mark.examples(33)
@given(PLACES)
def test_no_name_covers_a_sign_or_another_name(places: list[tuple[float, float]]) -> None:
    points = [Named(x, y, f"rs{number}000") for number, (x, y) in enumerate(places)]
    signs = [Box(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in places]
    found = placed(points, signs, [], ROOM, 6.5)
    boxes = [box for box in found if box is not None]
    assert len(found) == len(points)
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other)
    for box in boxes:
        assert not any(overlap(box, sign) for sign in signs)
        assert box.left >= 0
        assert box.bottom >= 0
        assert box.right <= 300
        assert box.top <= 150
        assert box.right - box.left >= text_width("rs0000", 6.5) - 1e-6


def test_a_name_stands_beside_its_point_and_goes_around_a_bar() -> None:
    point = Named(100, 50, "rs1")
    (free,) = placed([point], [], [], ROOM, 6.5)
    assert free is not None
    assert 102 < free.left < 106
    (around,) = placed([point], [], [Box(108, 0, 109, 150)], ROOM, 6.5)
    assert around is not None
    assert not overlap(around, Box(108, 0, 109, 150))


def test_without_room_a_name_is_left_out() -> None:
    assert placed([Named(5, 5, "rs1234567")], [], [], Box(0, 0, 10, 10), 6.5) == [None]
    assert placed([], [], [], ROOM, 6.5) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_one_short_line_of_ascii(name: str) -> None:
    text = short(name)
    assert text.replace("…", "").isascii()
    assert text.isprintable()
    assert len(text) <= LONGEST + 2


def test_a_long_name_keeps_both_ends() -> None:
    text = short("chr20:31022442:" + "G" * 100 + ":GA")
    assert text.startswith("chr20:31022442")
    assert text.endswith(":GA")
    assert short("x" * (LONGEST + 2)) == "x" * (LONGEST + 2)
