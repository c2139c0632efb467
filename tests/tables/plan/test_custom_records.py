"""What a plan says of its records is refused as a whole, with every problem."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan.columns import Codes, Column, Integers
from starling.tables.plan.custom_families import MOST_VALUES, CustomFamily, CustomGroup
from starling.tables.plan.custom_records import EVERYWHERE, CustomAreas, CustomRecords
from starling.tables.plan.iterations import Attribute

SEX = Column("sex", Codes((("F", "female"), ("M", "male"))))
SKILLS = Column("skills", Codes((("p", "p"), ("q", "q"))), separator=";", most=2)
AGE = Column("age", Integers(0, 9))
AREAS = CustomAreas("area", ("a", "b"), (("x", ""), ("a", "b")))
FAMILY = CustomFamily("skills by sex", ("skills", "sex"), ((), ()))
RECORDS = CustomRecords((SEX, SKILLS, AGE), AREAS, (FAMILY,))


def test_what_is_read_and_what_groups_look_at() -> None:
    assert RECORDS.read().fields == ("area", "skills", "sex")
    assert replace(RECORDS, areas=EVERYWHERE, detail=("age",)).read().fields == ("age", "skills", "sex")
    assert RECORDS.attributes == (Attribute("skills by sex", 2),)
    assert [code for code, _ in RECORDS.definitions.codes] == [f"skills by sex: {s}, {x}" for s in "pq" for x in "FM"]
    assert {each.level for each in RECORDS.definitions.iterations} == {1}
    assert AREAS.ids(0) == ("x",)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"columns": (SEX, SEX, SKILLS)}, "two of one name"),
        ({"columns": (SEX, SKILLS, replace(AGE, name="area"))}, "two of one name"),
        ({"columns": (SEX, SKILLS, replace(AGE, domain=Integers(0, 9, (0, 5))))}, "cut already"),
        ({"families": (FAMILY, FAMILY)}, "none, or two"),
        ({"families": (CustomFamily("a", ("age",), ((3, 3),)),)}, "cuts do not cut"),
        ({"families": (CustomFamily("a", ("age",), ((3, 10),)),)}, "cuts do not cut"),
        ({"families": (CustomFamily("a", ("size",), ((),)),)}, "no column of the plan"),
        ({"areas": replace(AREAS, codes=("b", "a"))}, "one twice"),
        ({"areas": replace(AREAS, regions=(("", ""), ("a", "b")))}, "without regions"),
        ({"areas": replace(AREAS, codes=("a", "\n"))}, "not printed|is empty"),
        ({"detail": ("skills",)}, "several values"),
        ({"detail": ("size",)}, "none of the plan"),
        (
            {
                "columns": (replace(AGE, domain=Integers(0, MOST_VALUES)), SEX, SKILLS),
                "families": (CustomFamily("a", ("age",), ((),)),),
            },
            "combinations",
        ),
    ],
)
def test_what_no_records_can_be_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        replace(RECORDS, **changes)


def test_groups_of_one_code_are_refused() -> None:
    commas = replace(SEX, domain=Codes((("a", "a"), ("a, a", "b"))))
    both = (commas, replace(commas, name="two"))
    with pytest.raises(PlanError, match="the one code f: a, a, a; rename a family, or a value"):
        CustomRecords(both, EVERYWHERE, (CustomFamily("f", ("sex", "two"), ((), ())),))


CODES = st.lists(
    st.text("ab,:;\"' ", min_size=1, max_size=5).filter(lambda code: code == code.strip(' "')),
    min_size=1,
    max_size=5,
    unique=True,
)


@pytest.mark.examples(167)
@given(CODES, CODES, st.sampled_from(["f", "f: a", "f: a,", "f:", "f: ;"]), st.booleans())
@settings(max_examples=500, deadline=None)
@example(["a: a", "b"], ["a", "b"], "f: a", True)
@example(["a", "a, a"], ["a", "a, a"], "g", False)
def test_no_two_groups_get_one_code_silently(one: list[str], two: list[str], name: str, sets: bool) -> None:
    """Whatever commas, colons and quotes stand in codes and names: each combination has a code of its own, or the plan is refused."""
    columns = tuple(
        Column(each, Codes(tuple((code, code) for code in codes))) for each, codes in (("x", one), ("y", two))
    )
    families = (
        CustomFamily("f", ("x",), ((),), tuple(CustomGroup(f"set {code}", (code,)) for code in one) if sets else ()),
        CustomFamily(name if name != "f" else "by both", ("y",), ((),)),
        CustomFamily("both", ("x", "y"), ((), ())),
    )
    try:
        records = CustomRecords(columns, EVERYWHERE, families)
    except PlanError as error:
        refused, definitions = [f"{each.problem}; {each.fix}" for each in error.problems], None
    else:
        refused, definitions = [], records.definitions
    if definitions is None:
        assert len(refused) == 1
        assert re.match("give two groups the one code .*; rename a family, or a value: commas and colons", refused[0])
        return
    values = [code for code, _ in definitions.codes]
    assert len(set(values)) == len(values) == len(one) + len(two) + len(one) * len(two)
    groups = [(each.code, each.codes) for each in definitions.iterations]
    assert len({code for code, _ in groups}) == len({codes for _, codes in groups}) == len(groups) == len(values)


@pytest.mark.parametrize(
    ("above", "below", "parents"),
    [
        (("x", "x", "y"), ("a", "b", "c"), (0, 0, 1)),
        (("x", "x", "y"), ("a", "a", "b"), (0, 1)),
        (("x", "y", "y"), ("a", "a", "b"), None),
        (("x", "x", ""), ("a", "b", "c"), None),
        (("x", "x", "y"), ("a", "b", ""), None),
        (("x", "x", ""), ("b", "a", ""), (0, 0)),
    ],
)
def test_levels_are_nested_where_all_areas_say_so(
    above: tuple[str, ...], below: tuple[str, ...], parents: tuple[int, ...] | None
) -> None:
    areas = CustomAreas("area", ("1", "2", "3"), (above, below))
    assert areas.parents(0, 1) == parents
