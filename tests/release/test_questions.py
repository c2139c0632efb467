"""Questions as people write them: what they leave out, and what is no question."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError, StarlingError
from starling.genome.plan import Question
from starling.release.codec import OPTIONAL, encode
from starling.release.questions import read, schema


@dataclass(frozen=True)
class HowMany:
    """How many there are.

    Attributes:
        of: Of what.
    """

    of: str
    epsilon: Fraction
    within: tuple[str, ...] | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    noise: Literal["lattice", "laplace"] = "lattice"


@dataclass(frozen=True)
class WhichOne:
    """Which one it is."""

    number: int
    once: bool = False
    sure: bool = field(default=False, metadata=OPTIONAL)


@dataclass(frozen=True)
class Part:
    """A part of a sum."""

    of: str
    times: Fraction = Fraction(1)


@dataclass(frozen=True)
class AllOf:
    """What all parts are together."""

    parts: tuple[Part, ...]
    spots: tuple[tuple[Fraction, Fraction], ...] = ()


Asked: TypeAlias = HowMany | WhichOne | AllOf


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ({"kind": "how_many", "of": "x", "epsilon": "0.5"}, HowMany("x", Fraction(1, 2))),
        ({"kind": "how_many", "epsilon": "1/3"}, HowMany("all", Fraction(1, 3))),
        (
            {"kind": "how_many", "of": "x", "epsilon": "2", "within": ["a"], "pairs": [["a", "b"]], "noise": "laplace"},
            HowMany("x", Fraction(2), ("a",), (("a", "b"),), "laplace"),
        ),
        ({"kind": "which_one", "number": 3}, WhichOne(3)),
        ({"kind": "which_one", "number": 3, "once": True}, WhichOne(3, once=True)),
        (
            {"kind": "all_of", "parts": [{"of": "x"}, {"of": "y", "times": "-0.5"}], "spots": [[1, 0.5]]},
            AllOf((Part("x"), Part("y", Fraction(-1, 2))), ((Fraction(1), Fraction(1, 2)),)),
        ),
    ],
)
def test_what_is_left_out_is_as_the_class_has_it(said: dict[str, Any], asked: Asked) -> None:
    assert read(Asked, said, {"of": "all"}) == asked
    assert read(Asked, encode(Asked, asked)) == asked, "its one form is read, too"


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (None, "question.kind"),
        ([], "question.kind"),
        ({"kind": 1}, "question.kind"),
        ({"kind": "how_few"}, "question.kind"),
        ({"kind": "how_many", "epsilon": "1"}, "question.of"),
        ({"kind": "how_many", "of": "x"}, "question.epsilon"),
        ({"kind": "how_many", "of": "x", "epsilon": 0.5}, "question.epsilon"),
        ({"kind": "how_many", "of": "x", "epsilon": "much"}, "question.epsilon"),
        ({"kind": "how_many", "of": ["x"], "epsilon": "1"}, "question.of"),
        ({"kind": "how_many", "of": "x", "epsilon": "1", "noise": "none"}, "question.noise"),
        ({"kind": "how_many", "of": "x", "epsilon": "1", "pairs": [["a"]]}, "question.pairs"),
        ({"kind": "how_many", "of": "x", "epsilon": "1", "free": True}, "question.free"),
        ({"kind": "which_one", "number": True}, "question.number"),
        ({"kind": "which_one", "number": 1, "once": 1}, "question.once"),
        ({"kind": "all_of", "parts": [{}]}, "question.parts.of"),
        ({"kind": "all_of", "parts": [{"of": "x", "kind": "part"}]}, "question.parts.kind"),
        ({"kind": "all_of", "parts": [{"of": "x", "times": 2}]}, "question.parts.times"),
        ({"kind": "all_of", "parts": ["x"]}, "question.parts"),
        ({"kind": "all_of", "parts": {"of": "x"}}, "question.parts"),
    ],
)
def test_what_is_no_question_is_refused_by_its_field(said: Any, field: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read(Asked, said)
    assert caught.value.problems[0].field == field


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("test", "k", "epsilon", "regions", "excluding", "snps", "snp", "first", "second", "correlation", "delta_c")


@pytest.mark.examples(30)
@given(
    said=st.fixed_dictionaries(
        {"kind": st.sampled_from(["num_sig", "loc_sig", "loc_block", "snp_corr", "explore"])},
        optional=dict.fromkeys(FIELDS, JSON),
    )
)
def test_whatever_is_sent_is_a_question_or_refused(said: dict[str, Any]) -> None:
    try:
        found = read(Question, said, {"test": "g", "delta_c": "1/5"})
    except StarlingError:
        return
    assert read(Question, encode(Question, found)) == found


def test_the_schema_says_what_is_read() -> None:
    said: Any = schema(Asked, {"of": "all"})
    first, second, third = said["oneOf"]
    assert first["required"] == ["kind", "epsilon"]
    assert first["description"] == "How many there are."
    assert first["properties"]["noise"] == {"enum": ["lattice", "laplace"], "default": "lattice"}
    assert first["properties"]["within"]["anyOf"][1] == {"type": "null"}
    assert second["properties"]["once"] == {"type": "boolean", "default": False}
    assert second["additionalProperties"] is False
    part = third["properties"]["parts"]["items"]
    assert (part["required"], part["properties"]["times"]["type"]) == (["of"], "string")
    assert third["properties"]["spots"]["items"]["prefixItems"][0]["type"] == ["string", "number"]
