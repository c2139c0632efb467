"""One request, one text, one digest."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from starling.release.codec import digest, plain


class Kind(StrEnum):
    ONE = "one"


@dataclass(frozen=True)
class Choice:
    kind: Kind
    share: Fraction
    parts: tuple[int, ...]


def test_public_choices_become_what_json_has() -> None:
    made = plain(Choice(Kind.ONE, Fraction(1, 3), (2, 1)))
    assert made == {"kind": "one", "share": "1/3", "parts": [2, 1]}
    assert type(made["kind"]) is str


def test_a_digest_is_of_names_and_values() -> None:
    choice = Choice(Kind.ONE, Fraction(1, 3), ())
    assert digest({"a": 1, "b": choice}) == digest({"b": choice, "a": 1})
    assert len({digest(each) for each in ({"a": 1}, {"a": 2}, {"b": 1}, {"a": "1"}, {"a": [1]})}) == 5
