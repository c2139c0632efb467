"""A choice of a reader of the map, as it stands in an address."""

import pytest

from starling.errors import ParameterError
from starling.places.analysis import PlacesRelease
from starling.screens.places.choice import Choice, as_address
from starling.screens.replies import Query
from tests.screens.conftest import Reader


@pytest.mark.slow
def test_an_address_says_all_of_a_choice(release: PlacesRelease) -> None:
    text = "west=-1&south=0&east=3&north=2&slice=February&minus=January&typical=yes&chance=yes"
    chosen = Choice.of(Query(text), release)
    assert "&".join(f"{name}={value}" for name, value in as_address(chosen).items()) == text
    assert Choice.of(Query(""), release) == Choice((), "January", None, "", typical=False, chance=False)
    assert chosen.is_difference
    assert Choice.of(Query("other=2"), release).minus == "January", "the same slice of another release"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("west=1", "south is missing"),
        ("west=x&south=0&east=1&north=1", "west is not a decimal number"),
        ("west=2&south=0&east=1&north=1", "west lies beyond east"),
        ("west=0&south=2&east=1&north=1", "south lies beyond north"),
        ("west=0&west=1&south=0&east=1&north=1", "west is there twice"),
        ("slice=March", "slice is not in the plan"),
        ("minus=January", "is compared with itself"),
    ],
)
def test_what_is_no_choice_is_said_by_its_name(release: PlacesRelease, text: str, problem: str) -> None:
    reply = Reader(release).get("/map", text)
    assert reply.status == 422
    assert problem in reply.opened().read().decode()
    with pytest.raises(ParameterError, match=problem):
        release.answers(Choice.of(Query(text), release).question(release))
