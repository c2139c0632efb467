"""Every key of [tables] does something: a change of it shows in the plan, its preview, or a refusal.

The keys are those of the JSON Schema, so that a new one without an example fails here.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

import pytest

from starling.errors import StarlingError
from starling.tables.plan import Plan, describe, read_regions
from starling.tables.plan.cross_grammar import TABLES
from starling.tables.preview.described import overview_json
from tests.tables.plan.stated_cross import WEIGHED, WHOLE
from tests.tables.plan.test_custom_grammar_every_key import keys
from tests.tables.plan.test_custom_grammar_refused import changed

CHANGES: Final[dict[str, dict[str, Any]]] = {
    "columns": {"tables.columns": ["age", "sex", "school"]},
    "cuts": {"tables.cuts": {"age": [0, 18, 40, 65]}},
    "cross": {"tables.cross": 2, "tables.add": [["sex", "age", "school"]]},
    "add": {"tables.add": [["sex", "age"]]},
    "leave-out": {"tables.leave-out": [["age"]]},
    "budget": {"tables.budget": "0.6"},
    "weights": {"tables.weights": [{"weight": "4", "table": ["sex"]}]},
    "weights.weight": {"tables.weights[0].weight": "3"},
    "weights.table": {"tables.weights[0].table": ["age"]},
    "weights.regions": {"tables.weights[1].regions": "ward"},
    "whole-numbers": {"tables.whole-numbers": True},
    "margins": {"tables.margins": [{"within": 20}]},
    "margins.within": {"tables.margins[0].within": 21},
    "margins.confidence": {"tables.margins[2].confidence": "0.95"},
    "margins.table": {"tables.margins[1].table": ["age"]},
    "margins.regions": {"tables.margins[3].regions": "town"},
}


def effects(changes: dict[str, Any], whole: dict[str, Any]) -> Iterator[object]:
    """What is seen of a plan and its preview; or the refusal."""
    try:
        plan = Plan.of(changed(changes, whole))
        yield plan.cross
        yield overview_json(describe(plan, read_regions(plan)))
    except StarlingError as refused:
        yield str(refused)


def test_every_key_has_an_example() -> None:
    assert set(keys(TABLES.schema())) == CHANGES.keys()


@pytest.mark.series(4)
@pytest.mark.parametrize("key", CHANGES)
def test_a_key_that_is_changed_shows(key: str) -> None:
    whole = WEIGHED if key.startswith(("budget", "weights")) else WHOLE
    before = list(effects({}, whole))
    assert len(before) == 2, before
    after = list(effects(CHANGES[key], whole))
    assert len(after) == 2, after
    assert all(one != other for one, other in zip_longest(after, before))
