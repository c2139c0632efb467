"""Tables of a plan file are read whole and written in the fewest words, and no weight or margin is in vain."""

from copy import deepcopy
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.planfile.toml import parse
from starling.planfile.values import toml_of
from starling.tables.plan import Plan
from starling.tables.plan.cross import Cross
from starling.tables.plan.cross_grammar import MOST_TABLES, crossed_tables, spelled
from starling.tables.plan.readable import read_section
from tests.tables.plan.stated_cross import WEIGHED, WHOLE, cross_plans, read


def plan_of(values: dict[str, Any]) -> Plan:
    """The plan, if no weight or margin of it is in vain."""
    plan, refused = read(values)
    assert refused <= {"tables.weights", "tables.margins"}
    assume(plan)
    assert plan is not None
    return plan


@pytest.mark.examples(8)
@settings(max_examples=40, deadline=None)
@given(cross_plans())
def test_what_is_read_is_written_and_read_back(values: dict[str, Any]) -> None:
    plan = plan_of(values)
    assert plan.cross is not None
    written = plan.values()
    assert Plan.of(written) == plan
    text = parse(toml_of(written), "plan.toml")
    assert read_section(text, None).cross == plan.cross  # type: ignore[arg-type]
    stated, of_tables = values["tables"], written["tables"]
    words = [sum(len(each.get(key) or []) for key in ("add", "leave-out")) for each in (of_tables, stated)]
    assert words[0] <= words[1]
    ordered = [tuple(sorted(each)) for each in stated["add"] or []]
    crossed = [each for many in range(stated["cross"] + 1) for each in combinations(stated["columns"], many)]
    left_out = [tuple(each) for each in stated["leave-out"] or []]
    assert set(plan.cross.named) == (set(crossed) | set(ordered)) - set(left_out)
    assert plan.cost.amount == plan.cross.budget
    if "budget" in stated:
        assert str(plan.cost.amount) == "1/4"


@pytest.mark.examples(5)
@settings(max_examples=25, deadline=None)
@given(cross_plans(most=3), st.data())
def test_without_any_one_weight_or_margin_the_plan_is_another(values: dict[str, Any], data: st.DataObject) -> None:
    plan = plan_of(values)
    key = "margins" if "margins" in values["tables"] else "weights"
    stated = values["tables"].get(key) or []
    assume(stated)
    fewer = deepcopy(values)
    del fewer["tables"][key][data.draw(st.integers(0, len(stated) - 1))]
    if not fewer["tables"][key]:
        del fewer["tables"][key]
    other, refused = read(fewer)
    assert refused <= {"tables.weights", "tables.margins", "tables.budget"}
    # A margin that others keep anyhow moves no share; it is a promise of the plan still.
    assert other is None or (key == "margins" and other != plan) or other.cross.shares != plan.cross.shares  # type: ignore[union-attr]


@pytest.mark.parametrize("values", [WHOLE, WEIGHED], ids=["margins", "weights"])
def test_every_key_is_read_and_written(values: dict[str, Any]) -> None:
    plan = Plan.of(values)
    assert plan.cross is not None
    assert plan.cross.named == ((), ("sex",), ("age",), ("sex", "age"), ("sex", "age", "school"))
    assert plan.cross.levels == ("town", "ward")
    assert plan.cross.cuts == ((), (0, 18, 65), ())
    assert Plan.of(plan.values()) == plan
    written = plan.values()["tables"]
    assert written == written | {
        key: each for key, each in values["tables"].items() if key in ("columns", "cuts", "budget")
    }


def test_tables_are_said_in_the_fewest_words() -> None:
    columns = ("a", "b", "c")

    def words(*tables: tuple[int, ...]) -> object:
        return spelled(Cross(columns, ((), (), ()), tables, ("all",), ()))

    every = tuple(each for many in range(4) for each in combinations(range(3), many))
    assert words(*every) == (3, [], [])
    assert words(*every[:-1]) == (2, [], [])
    assert words(*every[1:]) == (3, [], [()])
    assert words(every[-1]) == (0, [("a", "b", "c")], [()])


def test_too_many_tables_are_none() -> None:
    columns = tuple(f"c{place}" for place in range(60))
    assert crossed_tables(columns, 8) is None
    assert len(crossed_tables(columns, 2) or ()) == 1 + 60 + 59 * 30 < MOST_TABLES


def test_nested_cuts_of_a_column_are_levels_of_regions() -> None:
    """Ages in three classes and, within them, in four groups: one tree, whose root is everybody, as the refusal of two cuts says."""
    columns = [{"name": "sex", "values": ["F", "M"]}, {"name": "age", "from": 0, "to": 99}]
    twice = WHOLE | {"columns": [*columns, {"name": "old", "from": 0, "to": 99, "fields": ["age"]}]}
    twice |= {"tables": {"columns": ["sex", "age", "old"], "cross": 2, "cuts": {"old": [0, 15]}, "budget": "1"}}
    del twice["regions"]
    with pytest.raises(PlanError, match=r"nested cuts of one can be the levels of \[regions\]"):
        Plan.of(twice)
    groups = {"0-14": "young", "15-19": "grown", "20-64": "grown", "65+": "old"}
    rows = [[group, "everybody", each, group] for group, each in groups.items()]
    nested = {"column": "age", "levels": ["all ages", "age class", "age group"], "rows": rows}
    plan = Plan.of(
        twice | {"columns": columns[:1], "tables": {"columns": ["sex"], "cross": 1, "budget": "1"}, "regions": nested}
    )
    assert plan.cross_shape.regions == (1, 3, 4)
    assert [sorted(each) for each in plan.cross_shape.parents] == [[0, 0, 0], [0, 0, 1, 2]]
