"""One value has one JSON, and JSON that no value gives is refused."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.release.codec import OPTIONAL, decode, encode, plain


class Colour(StrEnum):
    GREY = "grey"
    BLACK = "black"


@dataclass(frozen=True)
class Flock:
    name: str
    birds: int
    share: Fraction
    colour: Colour
    wings: tuple[int, int]
    homes: frozenset[str]
    legs: Literal["one", "two"]
    flies: bool
    within: int | Fraction | None

    def __post_init__(self) -> None:
        if self.birds < 0:
            raise ParameterError(field="birds", problem="are below 0", fix="count them")


@dataclass(frozen=True)
class Nest:
    flocks: tuple[Flock, ...]


@dataclass(frozen=True)
class LoneBird:
    name: str


NAMES = st.text("abcé ", min_size=1).map(str.strip).filter(bool)
FLOCKS = st.builds(
    Flock,
    NAMES,
    st.integers(0, 2**63 - 1),
    st.fractions(),
    st.sampled_from(Colour),
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    st.frozensets(NAMES),
    st.sampled_from(["one", "two"]),
    st.booleans(),
    st.none() | st.integers(-9, 9) | st.fractions(),
)
VALUES = st.one_of(st.builds(Nest, st.lists(FLOCKS, max_size=3).map(tuple)), st.builds(LoneBird, NAMES), st.none())
FLOCK = Flock("a", 3, Fraction(1, 3), Colour.GREY, (1, 2), frozenset({"x", "y"}), "two", True, 4)
JSON = encode(Flock, FLOCK)


@pytest.mark.examples(30)
@given(VALUES)
def test_what_is_encoded_comes_back(value: Any) -> None:
    said = json.loads(json.dumps(encode(Nest | LoneBird | None, value)))
    assert decode(Nest | LoneBird | None, said) == value
    assert encode(Nest | LoneBird | None, decode(Nest | LoneBird | None, said)) == said


def test_a_value_is_written_by_its_types() -> None:
    assert JSON == {
        "name": "a",
        "birds": 3,
        "share": "1/3",
        "colour": "grey",
        "wings": [1, 2],
        "homes": ["x", "y"],
        "legs": "two",
        "flies": True,
        "within": 4,
    }
    assert encode(Nest | LoneBird, LoneBird("b")) == {"kind": "lone_bird", "name": "b"}


@pytest.mark.parametrize(
    "change",
    [
        {"name": 1},
        {"name": "a\x1b"},
        {"birds": True},
        {"birds": 2**63},
        {"birds": 1.0},
        {"share": "2/6"},
        {"share": 1},
        {"colour": "red"},
        {"wings": [1]},
        {"wings": [1, 2, 3]},
        {"wings": "ab"},
        {"homes": ["y", "x"]},
        {"homes": ["x", "x"]},
        {"legs": "three"},
        {"flies": 1},
        {"within": 0.5},
        {"within": [1]},
        {"more": 1},
    ],
)
def test_what_no_value_gives_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        decode(Flock, JSON | change)


def test_a_field_too_few_and_another_kind_are_refused() -> None:
    wrong: tuple[Any, ...] = ({"name": "b"}, {"kind": "crow", "name": "b"}, {"kind": "nest", "name": "b"}, [], "nest")
    for said in wrong:
        with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
            decode(Nest | LoneBird, said)


def test_a_class_refuses_what_it_cannot_be() -> None:
    with pytest.raises(ParameterError, match="below 0"):
        decode(Flock, JSON | {"birds": -1})


def test_something_may_stand_for_a_field() -> None:
    said = encode(Flock, FLOCK, {"homes": "2 homes"})
    assert said["homes"] == "2 homes"
    assert decode(Flock, said, {"homes": FLOCK.homes}) == FLOCK


@dataclass(frozen=True)
class WithOption:
    name: str
    option: int = field(default=7, metadata=OPTIONAL)


def test_an_optional_field_is_left_out_where_it_has_its_default() -> None:
    assert encode(WithOption, WithOption("a")) == plain(WithOption("a")) == {"name": "a"}
    assert encode(WithOption, WithOption("a", 8)) == plain(WithOption("a", 8)) == {"name": "a", "option": 8}
    for value in (WithOption("a"), WithOption("a", 8)):
        assert decode(WithOption, encode(WithOption, value)) == value
    for data in ({"name": "a", "option": 7}, {"option": 8}, {"name": "a", "other": 1}):
        with pytest.raises(ValueError, match=r"^$"):
            decode(WithOption, data)
