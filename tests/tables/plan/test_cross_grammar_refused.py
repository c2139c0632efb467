"""Every combination that a plan of cross tables cannot have is refused at its key with its reason: one table of all of them."""

from contextlib import suppress
from typing import Any, Final

import pytest

from starling.errors import PlanError
from starling.tables.plan import Plan
from tests.tables.plan.stated_cross import WEIGHED, WHOLE
from tests.tables.plan.test_custom_grammar_refused import NONE, changed, paths, problems, reasons

MODULES: Final = ("cross_grammar", "cross_solving")
FAR: Final = {f"c{place}": {"name": f"c{place}", "values": ["a", "b"]} for place in range(24)}
ROWS: Final[list[tuple[dict[str, Any], str, str]]] = [
    # What stands beside it.
    ({"groups": [{"name": "all", "columns": []}]}, "groups", "are measured one by one"),
    ({"levels": [{"groups": "all", "budget": "1"}]}, "levels", "are of groups; [tables] is measured at every level"),
    ({"sums": [{"of": "spent", "groups": "all", "budget": "1"}]}, "sums", "are of groups; [tables] counts records"),
    ({"quantiles": [{"of": "age", "groups": "all"}]}, "quantiles", "are of groups; quantiles of cells"),
    ({"detail": {"columns": ["sex"]}}, "detail", "is of groups; [tables] has every combination"),
    ({"publication.add-up": True}, "publication.add-up", "would change nothing: cross tables add up by themselves"),
    ({"publication.totals": "both stages"}, "publication.totals", "would change nothing: each table is measured once"),
    ({"publication.intervals": "published"}, "publication.intervals", "would change nothing: every cell is published"),
    (
        {"publication.suppression": "0.9"},
        "publication.suppression",
        "would leave cells out, and tables would no longer",
    ),
    ({"publication.data-structure": "O:D(1.0)"}, "publication.data-structure", "is of groups; cross tables have"),
    ({"publication.negative-counts": False}, "publication.negative-counts", "is false, and tables whose cells are cut"),
    ({"privacy.stage-1-share": "0.1"}, "privacy.stage-1-share", "would change nothing"),
    ({"regions.small": ["ward"]}, "regions.small", "would leave nothing out without publication.suppression"),
    ({"regions.rows[1]": ["w1", ""]}, "regions.levels", "leaves an area without a region"),
    ({"regions.rows[1]": ["w1", "ta"], "regions.levels": ["ward", "town"]}, "regions.levels", "has town, of which a"),
    # The columns.
    ({"tables.columns": []}, "tables.columns", "are none, or one twice"),
    ({"tables.columns": ["sex", "age", "school", "sex"]}, "tables.columns", "are none, or one twice"),
    (
        {"tables.columns": ["sex", "age", "school", "hair"]},
        "tables.columns",
        "has 'hair', which is no column of the plan",
    ),
    (
        {"tables.columns": ["sex", "age", "school", "needs"]},
        "tables.columns",
        "has 'needs', of which a record has several",
    ),
    ({"tables.columns": ["sex", "age", "school", "spent"]}, "tables.columns", "has 'spent', which is for sums and"),
    ({"tables.columns": ["sex", "age", "school", "same"]}, "tables.columns", "has 'same', which has one value"),
    ({"tables.columns": ["sex", "age", "school", "old"]}, "tables.columns", "say 'age' in two ways"),
    ({"columns[0].fields": ["ward"]}, "tables.columns", "say 'ward' in two ways"),
    ({"tables.cuts": {"needs": [0]}}, "tables.cuts", "cuts 'needs', which is no column of the tables"),
    ({"tables.cuts": {"sex": [0]}}, "tables.cuts", "are of sex, which holds no whole numbers"),
    ({"tables.cuts": {"age": [5, 9]}}, "tables.cuts", "do not cut the numbers into classes"),
    ({"tables.cuts": {"age": [[0, 18], [0, 9, 18]]}}, "tables.cuts", "says no whole numbers of the columns"),
    # The tables.
    ({"tables.cross": NONE}, "tables.cross", "is missing"),
    ({"tables.cross": 4}, "tables.cross", "is not an integer from 0 to 3"),
    ({"tables.add": []}, "tables.add", "is not a list of tables"),
    ({"tables.add": ["sex"]}, "tables.add", "is no list of columns, each once"),
    ({"tables.add": [["sex", "sex"]]}, "tables.add", "is no list of columns, each once"),
    ({"tables.add": [["sex", "needs"]]}, "tables.add", "has 'needs', which is no column of the tables"),
    ({"tables.add": [["sex"]]}, "tables.add", "has ['sex'], which is there already"),
    ({"tables.add": [["age", "sex"], ["sex", "age"]]}, "tables.add", "has ['sex', 'age'], which is there already"),
    (
        {"tables.leave-out": [["sex", "school"]]},
        "tables.leave-out",
        "has ['sex', 'school'], which is no table of the plan",
    ),
    (
        {"tables.cross": 0, "tables.add": NONE, "tables.leave-out": [[]], "tables.margins": [{"within": 9}]},
        "tables.leave-out",
        "leaves no table",
    ),
    (
        {"columns": list(FAR.values()), "tables.columns": list(FAR), "tables.cross": 8, "tables.cuts": NONE}
        | {"tables.add": NONE, "tables.leave-out": NONE, "tables.margins": [{"within": 9}]},
        "tables.cross",
        "gives more than 10,000 tables",
    ),
    (
        {"columns": list(FAR.values()), "tables.columns": list(FAR), "tables.cuts": NONE, "tables.add": [list(FAR)]}
        | {"tables.leave-out": NONE, "tables.margins": [{"within": 9}]},
        "tables.columns",
        "have more than 262,144 parts in their tables",
    ),
    ({"columns[1].to": 10**7, "tables.cuts": NONE}, "cross tables", "cells; at most"),
    # What they cost.
    ({"tables.budget": "1"}, "tables.budget", "stands beside margins"),
    ({"tables.weights": [{"table": ["sex"], "weight": 2}]}, "tables.weights", "stands beside margins"),
    ({"tables.margins": NONE}, "tables.budget", "is missing"),
    ({"tables.margins": NONE, "tables.budget": "0"}, "tables.budget", "is not above 0 and at most"),
    ({"tables.margins": NONE, "tables.budget": f"1/{10**30}"}, "cross tables", "have a budget too small to draw"),
    (
        {"tables.margins": NONE, "tables.budget": "1", "tables.weights": [{"weight": 0}]},
        "weight",
        "is not above 0 and at",
    ),
    (
        {"tables.margins": NONE, "tables.budget": "1", "tables.weights": [{"weight": 2}]},
        "tables.weights",
        "are the same of all tables",
    ),
    (
        {"tables.margins": NONE, "tables.budget": "1"}
        | {"tables.weights": [{"weight": 2, "table": ["sex"]}, {"weight": 1, "table": ["age"]}]},
        "tables.weights",
        "state one of ['age'] that changes nothing",
    ),
    ({"tables.margins[0]": NONE}, "tables.margins", "say nothing of some tables"),
    ({"tables.margins[1].table": ["school", "sex"]}, "tables.margins", "name ['sex', 'school'], which is no table"),
    ({"tables.margins[1].table": NONE}, "tables.margins", "state the same tables twice"),
    ({"tables.margins[1].within": 20, "tables.margins[2]": NONE}, "tables.margins", "state one of ['sex', 'age'] that"),
    ({"tables.margins[2].regions": "land"}, "regions", "is not town or ward"),
    ({"regions": NONE}, "regions", "names a level, and the plan has no [regions]"),
    ({"tables.margins[0].within": 0}, "within", "is not an integer from 1"),
    ({"tables.margins[0].confidence": "0.1"}, "confidence", "is not from 0.5"),
]


@pytest.mark.parametrize(("changes", "field", "problem"), ROWS, ids=[f"{row[1]} {row[2]}" for row in ROWS])
def test_it_is_refused_where_it_stands(changes: dict[str, Any], field: str, problem: str) -> None:
    found = problems(changes, WHOLE)
    assert any(where.endswith(field) and problem in why for where, why in found), found


@pytest.mark.series(2)
@pytest.mark.parametrize("value", ["", [], {}, 0, [[]], [{}]], ids=repr)
def test_an_empty_value_is_read_or_refused(value: object) -> None:
    for whole in (WHOLE, WEIGHED):
        for path in paths(whole):
            with suppress(PlanError):
                assert Plan.of(changed({path: value}, whole)).cross


def test_every_reason_of_the_code_stands_in_the_table() -> None:
    met = {why for changes, _, _ in ROWS for _, why in problems(changes, WHOLE)}
    missing = [each for each in reasons(MODULES) if not any(each[1] in why for why in met)]
    assert not missing
