"""Which groups can have records in common: what brute force over all records finds."""

from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables import Plan
from starling.tables.plan import Iteration
from starling.tables.plan.overlaps import Overlaps
from tests.tables.plan.test_stability import definitions, groups_of, people
from tests.tables.small import census_attributes

NO_REGIONS: Any = SimpleNamespace(regions={})
FAMILIES: list[dict[str, Any]] = [
    {"name": "all", "columns": []},
    {"name": "sex", "columns": ["sex"]},
    {"name": "age", "columns": ["age"], "cuts": {"age": [0, 2, 5]}},
    {"name": "sex and age", "columns": ["sex", "age"], "cuts": {"age": [0, 3]}},
    {"name": "tags", "columns": ["tags"]},
    {"name": "sets", "columns": ["tags"], "sets": {"ab": ["a", "b"], "c": ["c"]}, "match": "all"},
    {"name": "sex and tags", "columns": ["sex", "tags"]},
]
VALUES: dict[str, Any] = {
    "title": "x",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
    "records": {"of-a-person": 1},
    "columns": [
        {"name": "sex", "values": ["F", "M"]},
        {"name": "age", "from": 0, "to": 6},
        {"name": "tags", "values": ["a", "b", "c"], "separator": "+", "most": 2},
    ],
    "publication": {"negative-counts": True},
    "groups": FAMILIES,
    "levels": [{"groups": each["name"], "budget": "1"} for each in FAMILIES],
}


@pytest.mark.examples(20)
@given(iterations=definitions(), most=st.integers(1, 3))
def test_of_the_census_they_meet_where_a_person_is_in_both(iterations: Sequence[Iteration], most: int) -> None:
    plan: Any = SimpleNamespace(
        definitions=SimpleNamespace(iterations=iterations),
        attributes=census_attributes(most),
        records=SimpleNamespace(families=(), by_name={}),
    )
    overlaps, persons = Overlaps(plan, NO_REGIONS), [groups_of(iterations, *each) for each in people(most)]
    filled = [each.code for each in iterations if each.codes]
    for one, other in combinations_with_replacement(filled, 2):
        assert overlaps.iterations_meet(one, other) == any({one, other} <= groups for groups in persons), (one, other)


@pytest.fixture(scope="module")
def custom() -> Plan:
    return Plan.of(VALUES)


def groups_of_record(sex: str, age: int, tags: Sequence[str]) -> set[str]:
    """The slow twin."""
    groups = {"all: everybody", f"sex: {sex}", f"age: {('0 to 1', '2 to 4', '5 to 6')[(age > 1) + (age > 4)]}"}
    groups.add(f"sex and age: {sex}, {('0 to 2', '3 to 6')[age > 2]}")
    groups |= {f"tags: {each}" for each in tags} | {f"sex and tags: {sex}, {each}" for each in tags}
    groups |= {f"sets: {name}" for name, held in (("ab", {"a", "b"}), ("c", {"c"})) if tags and {*tags} <= held}
    return groups


def test_of_declared_columns_they_meet_where_a_record_is_in_both_but_where_a_column_has_several_values(
    custom: Plan,
) -> None:
    overlaps = Overlaps(custom, NO_REGIONS)
    tags = [(), *((each,) for each in "abc"), *(("a", "b"), ("a", "c"), ("b", "c"))]
    records = [groups_of_record(*each) for each in product("FM", range(7), tags)]
    codes = [each.code for each in custom.definitions.iterations]
    assert {*codes} == set().union(*records)
    for one, other in combinations_with_replacement(codes, 2):
        both = any({one, other} <= groups for groups in records)
        kinds = {each.partition(":")[0] for each in (one, other)}
        if both or len(kinds & {"tags", "sets", "sex and tags"}) < 2:
            assert overlaps.iterations_meet(one, other) == both, (one, other)


def test_regions_meet_where_one_lies_in_the_other() -> None:
    rows = [["a1", "a", "n"], ["a2", "a", "n"], ["b1", "b", "n"], ["b2", "b", "m"]]
    regions: dict[str, Any] = {
        "column": "area",
        "levels": ["land", "state", "area"],
        "rows": [[area, "x", state] for area, state, _ in rows],
    }
    levels = [{"regions": level, "groups": "all", "budget": "1"} for level in regions["levels"]]
    plan = Plan.of({**VALUES, "regions": regions, "groups": FAMILIES[:1], "levels": levels})
    geography = plan.records.stated_regions(plan.regions, regions["levels"])
    assert geography is not None
    overlaps = Overlaps(plan, geography)
    known = [("land", "x"), *(("state", each) for each in "ab"), *(("area", row[0]) for row in rows)]
    for one, other in product(known, known):
        inside = one == other or "land" in (one[0], other[0])
        inside |= one[0] != other[0] and one[1][0] == other[1][0]
        assert overlaps.regions_meet(one, other) == inside, (one, other)
